// SPDX-License-Identifier: Apache-2.0
// hlo/partition/reshard.h -- changes the sharding of an array.
#pragma once

#include "hilo/hlo/partition/device_program.h"

namespace hilo::hlo {

enum class ReshardKind : uint8_t {
  kCut,       ///< slice a whole dimension locally
  kPermute,   ///< exchange shards of equal size
  kExchange,  ///< move a split from one dimension to another by an all-to-all
  kGather,
};

struct ReshardStep {
  ReshardKind kind = ReshardKind::kCut;
  size_t from = 0, into = 0;  ///< dimensions; a cut and a gather use only the first
  Atoms by;
  ArraySplit after;
};

/// Plans the steps from the shards of `from` to those of `to`. In this order of preference: local slices; permutations
/// of shards of equal size; all-to-all exchanges between dimensions, followed by a permutation if only sizes match;
/// gathers.
std::vector<ReshardStep> plan_reshard(ArraySplit from, const ArraySplit& to, const MeshAtoms& atoms);

/// Returns the bytes that each device sends for it.
double reshard_bytes(const Shape& whole, const ArraySplit& from, const ArraySplit& to, const MeshAtoms& atoms);

/// Writes the plan, once per value. Precondition: both splits divide the array.
Expr reshard(DeviceProgram& program, Expr part, const ArraySplit& from, const ArraySplit& to);

/// How to complete a reduction over `partial`: the atoms by which each dimension is reduce-scattered, and those that
/// remain for an all-reduce.
struct ReductionPlan {
  ArraySplit scattered;  ///< by dimension
  Atoms all;
};
ReductionPlan plan_reduction(const ArraySplit& split, Atoms partial, const ArraySplit& to);
double reduction_bytes(const Shape& whole, ArraySplit split, const ReductionPlan& plan, const MeshAtoms& atoms);

/// Reduces `part` over `partial`, and shards the result as `to` where a reduce-scatter saves bytes. Updates `split`,
/// the sharding of `part`.
Expr finish_reduction(DeviceProgram& program, Expr part, ArraySplit& split, const Atoms& partial,
                      const ComputationPtr& reducer, const ArraySplit& to);

}  // namespace hilo::hlo
