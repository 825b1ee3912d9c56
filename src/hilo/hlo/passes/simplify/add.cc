// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {

InstructionId simplify_add(RewriteBuilder& b, const RewriteNode& n) {
  // x + -0 -> x. Not x + 0, which turns -0 into +0.
  if (const auto x = other_operand(b, n, is_additive_identity)) return *x;
  // x + -y -> x - y, the definition of subtraction.
  if (const RewriteNode* y = match(b, n.operand(1), Opcode::kNegate)) {
    return b.add(Opcode::kSubtract, {n.operand(0), y->operand(0)});
  }
  if (const RewriteNode* x = match(b, n.operand(0), Opcode::kNegate)) {
    return b.add(Opcode::kSubtract, {n.operand(1), x->operand(0)});
  }
  // (x + c1) + c2 -> x + (c1 + c2), for integers.
  if (is_integer(n.shape)) return reassociate_constants(b, n);
  return kNoInstruction;
}

InstructionId simplify_subtract(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0), y = n.operand(1);
  // x - 0 -> x: exact for floats too, -0 - +0 is -0.
  if (is_splat_of(b, y, 0)) return x;
  // -0 - x -> -x; for integers 0 - x.
  if (is_additive_identity(b, x)) return b.add(Opcode::kNegate, {y});
  // x - -y -> x + y.
  if (const RewriteNode* negated = match(b, y, Opcode::kNegate)) return b.add(Opcode::kAdd, {x, negated->operand(0)});
  if (!is_integer(n.shape)) return kNoInstruction;
  // x - x -> 0, for integers; a float may be infinite or NaN.
  if (x == y) return splat_like(b, n.shape, 0);
  // x - c -> x + -c, for integers, so that chains of additions are merged.
  if (splat_value(b, y) != nullptr) return b.add(Opcode::kAdd, {x, b.add(Opcode::kNegate, {y})});
  return kNoInstruction;
}

}  // namespace hilo::hlo
