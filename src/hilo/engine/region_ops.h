// SPDX-License-Identifier: Apache-2.0
// engine/region_ops.h -- which ops regions compute, and what computing them twice would cost.
#pragma once

#include "hilo/engine/regions.h"

namespace hilo::engine {

enum class RegionOp : uint8_t {
  kNone,      ///< not a region's: heroes, loops, what the reference evaluator runs
  kFree,      ///< constants and iota
  kMovement,  ///< copies elements; becomes an access map of the reader
  kCheap,
  kExpensive,
  kReduce,
};

RegionOp region_op_of(const Graph& graph, const Node& node, const Costs& costs);

/// Ops that map element i of their operands to element i of the result: those of HLO, and fma.
bool is_lanewise(hlo::Opcode opcode);

/// A scalar constant, or one whose elements are all equal: its bits.
std::optional<uint64_t> splat_bits(const Literal& literal);

/// Whether bits of one type are an element of the other: what bitcast-convert does without another dimension.
bool keeps_width(ElementType from, ElementType to);

/// True if the body consists of elementwise ops, casts of bits and constants over scalars.
bool is_scalar_body(const hlo::Computation& body);

}  // namespace hilo::engine
