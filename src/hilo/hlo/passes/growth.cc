// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/growth.h"

#include "hilo/hlo/ops/control_flow.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kFreeGrowth = 1 << 14;  // instructions

}  // namespace

GrowthBudget::GrowthBudget(const Module& module, int64_t factor)
    : left_(kFreeGrowth + factor * instruction_count(module)) {}

bool GrowthBudget::take(int64_t instructions) {
  if (instructions > left_) return false;
  left_ -= instructions;
  return true;
}

InstructionId splice_or_call(RewriteBuilder& builder, const ComputationPtr& body,
                             std::span<const InstructionId> arguments, GrowthBudget& budget) {
  if (budget.take(body->size())) return builder.splice(body, arguments);
  auto call = std::make_shared<CallAttributes>();
  call->to_apply = body;
  return builder.add(Opcode::kCall, arguments, std::move(call));
}

}  // namespace hilo::hlo
