// SPDX-License-Identifier: Apache-2.0
// hlo/partition/reshard.h -- parts of an array from parts that are cut otherwise.
#pragma once

#include "hilo/hlo/partition/device_program.h"

namespace hilo::hlo {

enum class ReshardWay : uint8_t {
  kCut,       ///< what is whole is cut in place
  kPermute,   ///< parts of the same size change hands
  kExchange,  ///< a dimension gives up what another takes: devices exchange pieces
  kGather,
};

struct ReshardStep {
  ReshardWay way = ReshardWay::kCut;
  size_t from = 0, into = 0;  ///< dimensions; of a cut and a gather the first alone
  Atoms by;
  ArraySplit after;
};

/// From the parts of `from` to those of `to`: what is whole is cut; parts of the same size change hands; where a dimension gives
/// up what another takes, devices exchange pieces, and then parts, if theirs are the right sizes; only the rest is gathered.
std::vector<ReshardStep> plan_reshard(ArraySplit from, const ArraySplit& to, const MeshAtoms& atoms);

/// What each device sends for it, in bytes.
double reshard_bytes(const Shape& whole, const ArraySplit& from, const ArraySplit& to, const MeshAtoms& atoms);

/// Writes the plan, once for a value. Precondition: both divide the array.
Expr reshard(DeviceProgram& program, Expr part, const ArraySplit& from, const ArraySplit& to);

/// Sums (or the like) that aren't finished over `partial`: by which atoms each dimension takes its part of them at once, and
/// what is left to reduce for all.
struct ReductionPlan {
  ArraySplit scattered;  ///< by dimension
  Atoms all;
};
ReductionPlan plan_reduction(const ArraySplit& split, Atoms partial, const ArraySplit& to);
double reduction_bytes(const Shape& whole, ArraySplit split, const ReductionPlan& plan, const MeshAtoms& atoms);

/// The sum (or the like) over `partial` of what the devices have, cut as `to` says as far as that saves bytes. Updates
/// `split`, which says how `part` is cut.
Expr finish_reduction(DeviceProgram& program, Expr part, ArraySplit& split, const Atoms& partial,
                      const ComputationPtr& reducer, const ArraySplit& to);

}  // namespace hilo::hlo
