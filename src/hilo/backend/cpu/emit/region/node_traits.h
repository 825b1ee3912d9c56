// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/node_traits.h -- cost, registers and accumulators of single nodes of a region.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/engine/regions.h"
#include "hilo/engine/target.h"

namespace hilo::cpu {

using engine::Guard, engine::GuardRange, engine::IndexExpr, engine::IndexTerm, engine::NodeKind;
using engine::Region, engine::RegionNode, engine::RegionOutput, engine::RegionShape;

/// Whether the node computes a function of many operations.
bool is_expensive(const RegionNode& node);

/// Whether it is one of the functions that math.h computes, which are the longest.
bool is_function(const RegionNode& node);

/// Returns the bytes of an element in a register. Narrow floats are computed in f32.
int register_bytes(ElementType type);

/// Returns the weighted number of nodes. Two kinds count several times: nodes on floats of at most 8 bits, which are
/// widened and rounded, and nodes on c128, whose 128-bit numbers don't fill vectors.
int64_t weighted_nodes(const Region& region);

/// Returns the type in which a sum of this type accumulates. f16, bf16 and narrower floats accumulate in f32 and are
/// rounded once, at the end.
ElementType accumulator_type(ElementType type);

/// Returns the accumulator type of a reduction. Products of f32 and narrower floats accumulate in f64, because relative
/// errors of factors add up in any order.
ElementType accumulator_of(const RegionNode& reduce);

/// Whether it is a product of f32 or narrower floats, which accumulates in f64.
bool is_wide_product(const RegionNode& reduce);

/// Whether it is the maximum or minimum of one array.
bool is_extreme(const RegionNode& reduce);

/// Numbers about the bits of floats from which their maximum and minimum follow.
inline constexpr size_t kBitAccumulators = 3;

/// Whether it is a maximum or minimum of floats that follows from numbers about their bits. A step takes one
/// operation for each of these, if they have instructions; the maximum of two floats takes seven. NaN and the signs of
/// zeros are decided once, at the end.
bool reduces_bits(const RegionNode& reduce, Isa isa);

/// Returns the number of accumulators, which may differ from that of the results.
size_t accumulator_count(const RegionNode& reduce, Isa isa);

}  // namespace hilo::cpu
