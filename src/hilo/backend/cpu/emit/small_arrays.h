// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/small_arrays.h -- ops on arrays with one register per element. Most ops only select the register of
// each result element.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"
#include "hilo/hlo/ir/computation.h"

namespace hilo::cpu {

/// The meaning of the lanes of a register: indices of a batch (engine/register_loop.h), or nothing.
struct LaneBatch {
  int64_t size = 1;
  llvm::Value* lanes = nullptr;  ///< indices as i64 lanes
};

/// An operand: its shape and, in row-major order, its elements for one index of the batch.
struct SmallArray {
  const Shape& shape;
  const Values& elements;
};

/// Emits a reduction's body: from the accumulators and as many elements to the results.
using ReduceBody = std::function<Values(const Values& arguments)>;

/// Returns the builder for an op on these values, after widening them equally.
using BuilderFor = std::function<SimdBuilder(Values& values)>;

/// Emits the elements of broadcast, reshape, transpose, slice, reverse, concatenate, pad, iota, dot, dynamic-slice,
/// dynamic-update-slice or bitcast-convert. Precondition: register_loop_form accepts the op.
Values emit_small_array(const hlo::Instruction& i, std::span<const SmallArray> operands, const LaneBatch& batch,
                        const BuilderFor& builder_for);

/// Emits the elements of a reduction's results, one result after the other. Each sum is computed in the order of the
/// elements.
Values emit_small_reduce(const hlo::Instruction& i, std::span<const SmallArray> operands, const LaneBatch& batch,
                         const ReduceBody& body);

/// Emits a constant whose elements may differ.
Values emit_small_constant(SimdBuilder& b, const Literal& literal, const LaneBatch& batch);

}  // namespace hilo::cpu
