// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/small_arrays.h -- ops on arrays whose elements are a register each: most only say which register is which
// element of the result.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"
#include "hilo/hlo/ir/computation.h"

namespace hilo::cpu {

/// What the lanes of a register stand for: indices of a batch (engine/register_loop.h), or nothing.
struct LaneBatch {
  int64_t size = 1;
  llvm::Value* lanes = nullptr;  ///< the indices, as i64 lanes
};

/// An operand: its shape and, in row-major order, its elements for one index of the batch.
struct SmallArray {
  const Shape& shape;
  const Values& elements;
};

/// The results of a reduction's body, from its accumulators and then as many elements.
using ReduceBody = std::function<Values(const Values& arguments)>;

/// The builder for an op on these values, which it makes equally wide.
using BuilderFor = std::function<SimdBuilder(Values& values)>;

/// The elements of broadcast, reshape, transpose, slice, reverse, concatenate, pad, iota, dot, dynamic-slice,
/// dynamic-update-slice or bitcast-convert. Precondition: register_loop_work takes the op.
Values emit_small_array(const hlo::Instruction& i, std::span<const SmallArray> operands, const LaneBatch& batch,
                        const BuilderFor& builder_for);

/// Those of a reduction's results, one after the other; each sum is taken in the order of the elements.
Values emit_small_reduce(const hlo::Instruction& i, std::span<const SmallArray> operands, const LaneBatch& batch,
                         const ReduceBody& body);

/// A constant whose elements may differ.
Values emit_small_constant(SimdBuilder& b, const Literal& literal, const LaneBatch& batch);

}  // namespace hilo::cpu
