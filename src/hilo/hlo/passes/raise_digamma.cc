// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/passes/expansion.h"
#include "hilo/hlo/passes/passes.h"

namespace hilo::hlo {
namespace {

bool compares(const RewriteNode& n, ComparisonDirection direction, InstructionId x) {
  return n.opcode == Opcode::kCompare && n.operand(0) == x &&
         attributes_of<CompareAttributes>(n).direction == direction;
}

// Recognizes the end of CHLO's expansion of digamma: select(x <= 0 and x == floor(x), NaN, select(x < 1/2, reflection,
// Lanczos)). The derivative of the reflection is NaN at the poles, where that of digamma is infinite.
InstructionId raise_expansion(RewriteBuilder& b, const RewriteNode& n) {
  if (n.opcode != Opcode::kSelect) return kNoInstruction;
  const RewriteNode& at_pole = b.node(n.operand(0));
  const std::optional<double> value = splat_number(b, n.operand(1));
  if (at_pole.opcode != Opcode::kAnd || !value || !std::isnan(*value)) return kNoInstruction;
  const RewriteNode &negative = b.node(at_pole.operand(0)), &whole = b.node(at_pole.operand(1));
  if (negative.opcode != Opcode::kCompare) return kNoInstruction;
  const InstructionId x = negative.operand(0);
  if (!compares(negative, ComparisonDirection::kLe, x) || splat_number(b, negative.operand(1)) != 0.0 ||
      !compares(whole, ComparisonDirection::kEq, x))
    return kNoInstruction;
  const RewriteNode& floor = b.node(whole.operand(1));
  const bool ends = floor.opcode == Opcode::kFloor && floor.operand(0) == x;
  if (!ends || !is_expansion(b, n.operand(2), x, Opcode::kCos, kLanczos)) return kNoInstruction;
  return add_raised(b, kExtDigamma, x);
}

}  // namespace

StatusOr<bool> raise_digamma(Module& module) { return raise_where(module, Opcode::kCos, raise_expansion); }

}  // namespace hilo::hlo
