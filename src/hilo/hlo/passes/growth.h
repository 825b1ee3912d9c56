// SPDX-License-Identifier: Apache-2.0
// hlo/passes/growth.h -- limits the instructions that a pass may add by inlining.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

/// Number of instructions that one pass may add to one program. In a chain of n computations that each call the
/// previous one twice, inlining copies the first 2^n times. The budget therefore depends on the size of the program as
/// written.
class GrowthBudget {
 public:
  /// Sets the budget: 16,384 instructions, plus `factor` for each instruction of the module.
  explicit GrowthBudget(const Module& module, int64_t factor = 16);

  /// Subtracts `instructions` from the budget, if they fit. Returns whether they did.
  bool take(int64_t instructions);

 private:
  int64_t left_;
};

/// Returns the value of `body` on `arguments`: inlined if the budget allows, else by a call.
InstructionId splice_or_call(RewriteBuilder& builder, const ComputationPtr& body,
                             std::span<const InstructionId> arguments, GrowthBudget& budget);

}  // namespace hilo::hlo
