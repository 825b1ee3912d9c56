// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/manual.h -- manual computations (shard_map) in a program that is to be partitioned. They begin and end
// with custom calls that split whole arrays into shards and join shards to whole arrays. Between them each device has
// its own values.
#pragma once

#include "hilo/hlo/sharding/propagate.h"

namespace hilo::hlo {

/// Returns whether the instruction is the custom call that splits a whole array, or the one that joins shards. These
/// calls are never executed: the partitioner replaces them.
bool enters_manual(const Instruction& instruction);
bool leaves_manual(const Instruction& instruction);

/// Replaces the instructions that split and join arrays (ManualEdge) by such calls, and removes instructions that
/// become unused. Returns a program without edges unchanged.
/// Errors    those of `manual`
StatusOr<Module> with_manual_calls(const Module& module, const PropagationRequest& request);

/// The atoms of the mesh that the computation after (or before) each edge uses manually.
using ManualAtoms = std::map<const Instruction*, Atoms>;
/// Returns the manual atoms of all edges.
/// Errors    those of `manual`
StatusOr<ManualAtoms> manual_atoms(const Module& module, const PropagationRequest& request);

/// Returns the sharding rule between a whole array and its shards. Axes that aren't manual propagate through it.
ShardingRule edge_rule(const Shape& from, const Shape& to);

/// Counts for each array in how many nested manual computations it is, and records their axes. Collectives and device
/// ids are in one at least. Does nothing if the program has no manual computation.
void mark_manual(DataFlow& flow, const ManualAtoms& atoms);

}  // namespace hilo::hlo
