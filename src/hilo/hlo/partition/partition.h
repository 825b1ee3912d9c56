// SPDX-License-Identifier: Apache-2.0
// hlo/partition/partition.h -- a whole program with shardings becomes the program of one device of the mesh.
#pragma once

#include "hilo/hlo/partition/report.h"
#include "hilo/hlo/sharding/propagate.h"

namespace hilo::hlo {

struct PartitionedProgram {
  Module module;  ///< for as many replicas as the mesh has devices: device i of the mesh is replica i
  std::vector<Sharding> parameters, results;  ///< leaf by leaf, of whole axes that divide their dimensions
  PartitionReport report;
};

/// Every device computes its parts, and meets others in collectives where it needs theirs: all-reduce, reduce-scatter,
/// all-gather, all-to-all, collective-permute. Shardings come from propagation; ops that can't be shared along a dimension
/// get it whole, which the report says. Small all-reduces become one (join_all_reduces.h); the report has each. Arguments
/// that are unfinished sums are finished first; results that are to be unfinished are left so, where devices have summands
/// of them (summands.h).
/// Values    those of the whole program. To the bit where no sum of floats is shared: the order of its terms differs then
/// Errors    those of propagate_shardings; INVALID_ARGUMENT for shardings of parameters and results that don't divide them;
///           UNIMPLEMENTED for unfinished sums of types without addition, effects, and programs that say what each device
///           does, but for computations by hand (PropagationRequest::manual), which stand as they are
/// Cost      linear in instructions, where calls are opened
StatusOr<PartitionedProgram> partition(const Module& module, const PropagationRequest& request);

}  // namespace hilo::hlo
