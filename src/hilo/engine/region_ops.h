// SPDX-License-Identifier: Apache-2.0
// engine/region_ops.h -- the ops that regions compute, and the cost of computing them twice.
#pragma once

#include "hilo/engine/regions.h"

namespace hilo::engine {

enum class RegionOp : uint8_t {
  kNone,      ///< not in a region: library calls, loops, ops of the reference evaluator
  kFree,      ///< constants, iota, and one number in many places
  kMovement,  ///< copies elements: becomes an access map of the reader
  kCheap,
  kExpensive,
  kReduce,
};

/// Whether the node is one number in many places, so that the index doesn't matter.
bool is_scalar_broadcast(const Graph& graph, const Node& node);

RegionOp region_op_of(const Graph& graph, const Node& node, const Costs& costs);

/// Whether the op maps element i of its operands to element i of its result: elementwise HLO ops, and fma.
bool is_lanewise(hlo::Opcode opcode);

/// Returns the bits of a scalar constant, or of one whose elements are all equal.
std::optional<uint64_t> splat_bits(const Literal& literal);

/// Whether an element of one type has the bits of one element of the other, so that a bitcast-convert doesn't change
/// the dimensions.
bool keeps_width(ElementType from, ElementType to);

/// Whether the body consists of elementwise ops, bit casts and constants over scalars.
bool is_scalar_body(const hlo::Computation& body);

}  // namespace hilo::engine
