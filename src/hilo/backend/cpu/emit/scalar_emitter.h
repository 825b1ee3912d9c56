// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/scalar_emitter.h -- writes a computation over scalars and small arrays. Each element is a register
// of one lane, or of several lanes for independent indices. All lanes follow the same branches and loops.
#pragma once

#include "hilo/backend/cpu/emit/lane_memory.h"
#include "hilo/backend/cpu/emit/small_arrays.h"
#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/ops/control_flow.h"

namespace hilo::cpu {

/// Recursion is over the nesting of calls, which is_scalar_program, register_loop_form and is_scalar_body bound.
class ScalarEmitter {
 public:
  /// If *cancel_word isn't 0, loops branch to `cancelled`. If both are null, loops run to their end.
  explicit ScalarEmitter(SimdBuilder& b, llvm::Value* cancel_word = nullptr, llvm::BasicBlock* cancelled = nullptr)
      : b_(b), cancel_word_(cancel_word), cancelled_(cancelled) {}

  /// Sets the batch whose indices are the lanes. A value without the batch dimension is a register of one lane until an
  /// op combines it with others. So is a value that is equal for all indices.
  void set_batch(const LaneBatch& batch) { batch_ = batch; }

  /// Sets where slices of arrays in memory are read and written. Must outlive the emitter.
  void set_memory(LaneMemory* memory) { memory_ = memory; }

  /// Emits the elements of the result's leaves. `arguments`: those of each parameter. Precondition: is_scalar_program,
  /// or register_loop_form accepts it.
  Values emit(const hlo::Computation& computation, const std::vector<Values>& arguments);

  Values emit_loop(const hlo::Computation& condition, const hlo::Computation& body, const Values& initial);

  /// Returns the first error of the emission.
  const Status& status() const { return status_; }

 private:
  SimdBuilder builder_for(Values& operands);
  Values widened(Values elements, const Shape& shape);
  int64_t width(const Shape& shape) const;
  Values emit_tuple_element(const hlo::Instruction& i, const Shape& tuple, const Values& elements) const;
  Values emit_array_op(const hlo::Computation& computation, const hlo::Instruction& i,
                       const std::vector<Values>& leaves);
  llvm::Value* clamped(llvm::Value* index, ElementType type, int64_t last);
  Values emit_slice(const hlo::Computation& computation, const hlo::Instruction& i, const std::vector<Values>& leaves);
  Values emit_lanewise(const hlo::Computation& computation, const hlo::Instruction& i,
                       const std::vector<Values>& leaves);
  Values emit_packed(const hlo::Instruction& i, ElementType type, const std::vector<Values>& elements);
  llvm::Value* emit_op(SimdBuilder& b, const hlo::Instruction& i, ElementType type, const Values& operands);
  Values emit_instruction(const hlo::Computation& computation, const hlo::Instruction& i,
                          const std::vector<Values>& leaves, const std::vector<Values>& arguments);
  Values emit_conditional(const hlo::Instruction& i, const std::vector<Values>& leaves);
  Values emit_branch(const hlo::Instruction& i, const hlo::ConditionalAttributes& a, const std::vector<Values>& leaves,
                     llvm::Value* selector, size_t k);

  SimdBuilder& b_;
  llvm::Value* cancel_word_;
  llvm::BasicBlock* cancelled_;
  LaneBatch batch_;
  LaneMemory* memory_ = nullptr;
  Status status_;
};

}  // namespace hilo::cpu
