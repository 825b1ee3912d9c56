// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/by_hand.h -- computations by hand (shard_map) in a program that is to be partitioned: between two custom calls that
// make parts of a whole array and a whole array of parts, values are each device's own.
#pragma once

#include "hilo/hlo/sharding/propagate.h"

namespace hilo::hlo {

/// The part of a whole array; the whole array of parts. Nobody runs them: the partitioner puts others in their place.
bool enters_by_hand(const Instruction& instruction);
bool leaves_by_hand(const Instruction& instruction);

/// The program with such calls in the place of what cuts and joins arrays (ManualEdge); instructions that nothing needs then are
/// gone. A program without edges as it is.
/// Errors    those of `manual`
StatusOr<Module> with_calls_by_hand(const Module& module, const PropagationRequest& request);

/// The atoms of the mesh that the computation behind or before each edge takes by hand.
using ManualAtoms = std::map<const Instruction*, Atoms>;
/// Errors    those of `manual`
StatusOr<ManualAtoms> manual_atoms(const Module& module, const PropagationRequest& request);

/// The rule between a whole array and its parts: axes that are not taken by hand go through.
ShardingRule edge_rule(const Shape& from, const Shape& to);

/// Counts for each array in how many computations by hand it is, if the program has any, and which axes they take.
/// Collectives and ids of devices are in one at least.
void mark_by_hand(DataFlow& flow, const ManualAtoms& atoms);

}  // namespace hilo::hlo
