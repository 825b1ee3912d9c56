// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {

InstructionId simplify_multiply(RewriteBuilder& b, const RewriteNode& n) {
  // x * 1 -> x.
  if (const auto x =
          other_operand(b, n, [](const auto& builder, InstructionId id) { return is_splat_of(builder, id, 1); })) {
    if (element_type_info(n.shape.element_type()).element_class != ElementClass::kComplex) return *x;
    return kNoInstruction;  // (a + bi)(1 + 0i) loses signed zeros and spreads NaN
  }
  if (is_exact(n.shape)) {
    // x * 0 -> 0, for integers and pred; a float may be infinite, NaN or negative.
    if (other_operand(b, n, [](const auto& builder, InstructionId id) { return is_splat_of(builder, id, 0); })) {
      return splat_like(b, n.shape, 0);
    }
    return is_integer(n.shape) ? reassociate_constants(b, n) : kNoInstruction;
  }
  if (!is_float(n.shape)) return kNoInstruction;
  // x * -1 -> -x.
  if (const auto x =
          other_operand(b, n, [](const auto& builder, InstructionId id) { return is_splat_of(builder, id, -1); })) {
    return b.add(Opcode::kNegate, {*x});
  }
  // -x * -y -> x * y: the sign of a product is exact.
  const RewriteNode* x = match(b, n.operand(0), Opcode::kNegate);
  const RewriteNode* y = match(b, n.operand(1), Opcode::kNegate);
  if (x != nullptr && y != nullptr) return b.add(Opcode::kMultiply, {x->operand(0), y->operand(0)});
  return kNoInstruction;
}

}  // namespace hilo::hlo
