// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/node_traits.h -- cost, registers and accumulators of a region's nodes by themselves.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/engine/regions.h"
#include "hilo/engine/target.h"

namespace hilo::cpu {

using namespace engine;  // this back end is written in the engine's words

/// Whether the node computes a function of many operations.
bool is_expensive(const RegionNode& node);

/// Bytes of an element in a register: narrow floats are computed in f32.
int register_bytes(ElementType type);

/// The number of nodes, of which some count several times: those on floats of 8 bits and fewer, each of which is
/// widened and rounded, and those on c128, whose loops carry numbers of 128 bits, which fill no vector.
int64_t weighted_nodes(const Region& region);

/// f16, bf16 and narrower floats accumulate in f32, and are rounded once, at the end.
ElementType accumulator_type(ElementType type);

/// That of a reduction. Products of f32 and narrower floats are kept in f64: relative errors of factors add up in any
/// order.
ElementType accumulator_of(const RegionNode& reduce);

/// A product of f32 or narrower floats, which accumulates in f64.
bool is_wide_product(const RegionNode& reduce);

/// The maximum or minimum of one array.
bool is_extreme(const RegionNode& reduce);

}  // namespace hilo::cpu
