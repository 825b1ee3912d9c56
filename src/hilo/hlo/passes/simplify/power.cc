// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {

InstructionId simplify_power(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0), exponent = n.operand(1);
  if (!is_float(n.shape) && !is_integer(n.shape)) return kNoInstruction;
  // x ^ 0 -> 1, also for NaN, as in IEEE 754; x ^ -0 is 1, too.
  if (is_splat_of(b, exponent, 0) || is_additive_identity(b, exponent)) return splat_like(b, n.shape, 1);
  // x ^ 1 -> x.
  if (is_splat_of(b, exponent, 1)) return x;
  // x ^ 2 -> x * x. It is rounded once, so its error is at most half an ulp, as small as that of any power function.
  if (is_splat_of(b, exponent, 2)) return b.add(Opcode::kMultiply, {x, x});
  // x ^ -1 -> 1 / x, for floats; also rounded once.
  if (is_float(n.shape) && is_splat_of(b, exponent, -1)) return b.add(Opcode::kDivide, {splat_like(b, n.shape, 1), x});
  return kNoInstruction;
}

}  // namespace hilo::hlo
