// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/scalar_emitter.h -- writes a computation over scalars: each value a register of one lane or, if nothing
// in it branches or loops, of several that go through it side by side.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"
#include "hilo/hlo/ir/computation.h"
#include "hilo/hlo/ops/control_flow.h"

namespace hilo::cpu {

/// Recursion is over the nesting of calls, which is_scalar_program bounds.
class ScalarEmitter {
 public:
  /// Loops are left for `cancelled` when *cancel_word isn't 0; both null: they run to their end.
  explicit ScalarEmitter(SimdBuilder& b, llvm::Value* cancel_word = nullptr, llvm::BasicBlock* cancelled = nullptr)
      : b_(b), cancel_word_(cancel_word), cancelled_(cancelled) {}

  /// The leaves of the result; `arguments`: the leaves of each parameter. Preconditions: is_scalar_program; one lane if the
  /// computation has loops or branches.
  Values emit(const hlo::Computation& computation, const std::vector<Values>& arguments);

  Values emit_loop(const hlo::Computation& condition, const hlo::Computation& body, const Values& initial);

  /// The first error of what was emitted.
  const Status& status() const { return status_; }

 private:
  void poll();
  llvm::Value* constant(const hlo::Instruction& i);
  Values emit_instruction(const hlo::Computation& computation, const hlo::Instruction& i,
                          const std::vector<Values>& leaves, const std::vector<Values>& arguments);
  Values emit_conditional(const hlo::Instruction& i, const std::vector<Values>& leaves);
  Values emit_branch(const hlo::Instruction& i, const hlo::ConditionalAttributes& a, const std::vector<Values>& leaves,
                     llvm::Value* selector, size_t k);

  SimdBuilder& b_;
  llvm::Value* cancel_word_;
  llvm::BasicBlock* cancelled_;
  Status status_;
};

}  // namespace hilo::cpu
