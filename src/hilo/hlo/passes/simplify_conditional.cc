// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/passes/growth.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

/// Returns the branch that runs, if known: the predicate is constant, or all branches and their operands are equal.
std::optional<size_t> known_branch(const RewriteBuilder& b, const ConditionalAttributes& conditional,
                                   std::span<const InstructionId> operands) {
  if (const std::optional<int64_t> value = splat_integer(b, operands[0])) return chosen_branch(conditional, *value);
  for (size_t i = 1; i < conditional.branches.size(); ++i) {
    if (operands[i + 1] != operands[1] ||
        conditional.branches[i]->fingerprint() != conditional.branches[0]->fingerprint())
      return std::nullopt;
  }
  return 0;
}

/// conditional(!p, x, y) -> conditional(p, y, x).
bool swap_negated(RewriteBuilder& b, const Instruction& i, const ConditionalAttributes& conditional,
                  std::span<const InstructionId> operands) {
  const RewriteNode* negated = conditional.predicated ? match(b, operands[0], Opcode::kNot) : nullptr;
  if (negated == nullptr) return false;
  auto swapped = std::make_shared<ConditionalAttributes>(conditional);
  std::swap(swapped->branches[0], swapped->branches[1]);
  b.replace(i.id,
            b.add(Opcode::kConditional, {negated->operand(0), operands[2], operands[1]}, std::move(swapped), i.shape));
  return true;
}

StatusOr<ComputationPtr> simplify_in(const ComputationPtr& source, GrowthBudget& budget) {
  if (!has_opcode(*source, Opcode::kConditional)) return source;
  RewriteBuilder b(source, {.share = false, .rule = forward_tuples});
  for (const Instruction& i : source->instructions()) {
    if (i.opcode != Opcode::kConditional) {
      b.copy(i);
      continue;
    }
    b.at(i);
    const auto& conditional = attributes_of<ConditionalAttributes>(i);
    const std::vector<InstructionId> operands = b.mapped(i.operands);
    if (const std::optional<size_t> branch = known_branch(b, conditional, operands)) {
      b.replace(i.id,
                splice_or_call(b, conditional.branches[*branch], std::span(operands).subspan(*branch + 1, 1), budget));
    } else if (!swap_negated(b, i, conditional, operands)) {
      b.copy(i);
    }
  }
  return b.finish();
}

}  // namespace

StatusOr<bool> simplify_conditional(Module& module) {
  GrowthBudget budget(module);
  return rewrite_computations(module, [&](const ComputationPtr& c) { return simplify_in(c, budget); });
}

}  // namespace hilo::hlo
