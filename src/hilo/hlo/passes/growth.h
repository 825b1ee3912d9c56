// SPDX-License-Identifier: Apache-2.0
// hlo/passes/growth.h -- how much a pass may add to a program by writing bodies down where they are called.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

/// Instructions that one pass may add to one program. A chain of computations that each call the one before twice has as many
/// copies of the first as two to the power of its length: so copies are counted against the size of the program as written.
class GrowthBudget {
 public:
  /// 16,384 instructions, and `factor` for each instruction of the module.
  explicit GrowthBudget(const Module& module, int64_t factor = 16);

  /// Whether `instructions` more may be added; if so they are subtracted.
  bool take(int64_t instructions);

 private:
  int64_t left_;
};

/// The value of `body` on `arguments`: its instructions if the budget has room for them, else a call of it.
InstructionId splice_or_call(RewriteBuilder& builder, const ComputationPtr& body,
                             std::span<const InstructionId> arguments, GrowthBudget& budget);

}  // namespace hilo::hlo
