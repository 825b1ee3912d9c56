// SPDX-License-Identifier: Apache-2.0
// hlo/partition/partition.h -- converts a program with shardings to the program of one device of the mesh.
#pragma once

#include "hilo/hlo/partition/report.h"
#include "hilo/hlo/sharding/propagate.h"

namespace hilo::hlo {

struct PartitionedProgram {
  Module module;  ///< for as many replicas as the mesh has devices: device i of the mesh is replica i
  std::vector<Sharding> parameters, results;  ///< leaf by leaf; only whole axes, which divide their dimensions
  PartitionReport report;
};

/// Partitions a program: every device computes its shards and gets others by collectives (all-reduce, reduce-scatter,
/// all-gather, all-to-all, collective-permute). Shardings are inferred by propagation. Ops that can't be sharded along
/// a dimension gather it; the report lists them. Small all-reduces are merged (join_all_reduces.h); the report lists
/// each. Unreduced arguments are reduced first. Results that are requested unreduced stay so, if devices have their
/// summands (summands.h).
/// Values    those of the whole program. Bit-identical if no sum of floats is sharded; otherwise the order of its terms
/// differs
/// Errors    those of propagate_shardings; INVALID_ARGUMENT for shardings of parameters and results that don't divide
/// them;
///           UNIMPLEMENTED for unreduced arrays of types without the reduction, effects, and programs with per-device
///           code outside of manual computations (PropagationRequest::manual)
/// Cost      linear in the instructions, with calls opened
StatusOr<PartitionedProgram> partition(const Module& module, const PropagationRequest& request);

}  // namespace hilo::hlo
