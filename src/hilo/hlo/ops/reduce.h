// SPDX-License-Identifier: Apache-2.0
// hlo/ops/reduce.h -- the reduce op, variadic: n arrays, n initial values; to_apply has n accumulators and n elements
// as parameters.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

struct ReduceAttributes : Attributes {
  Int64List dimensions;
  ComputationPtr to_apply;
};

/// Checks the operands of a variadic reduction: n arrays of one shape, then n scalars, the initial values. Returns n.
/// `same_types` requires initial values of the arrays' types; the body of a plain reduce may widen its accumulator.
/// Errors    INVALID_ARGUMENT "arrays differ in shape; operand 0 is f32[2], operand 1 is f32[3]"
StatusOr<size_t> check_reduction_operands(std::span<const Shape> operands, bool same_types);

}  // namespace hilo::hlo
