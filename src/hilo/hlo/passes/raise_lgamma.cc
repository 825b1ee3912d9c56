// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/passes/expansion.h"
#include "hilo/hlo/passes/passes.h"

namespace hilo::hlo {
namespace {

// Recognizes the end of CHLO's expansion of lgamma: select(|x| == inf, inf, select(x < 1/2, reflection, Lanczos)). The
// reflection takes the logarithm of a sine that is zero at every integer, even where it isn't used. A derivative of the
// expansion is NaN there.
InstructionId raise_lgamma_expansion(RewriteBuilder& b, const RewriteNode& n) {
  if (n.opcode != Opcode::kSelect) return kNoInstruction;
  const RewriteNode &test = b.node(n.operand(0)), &inside = b.node(n.operand(2));
  const std::optional<double> at_infinity = splat_number(b, n.operand(1));
  if (test.opcode != Opcode::kCompare || inside.opcode != Opcode::kSelect || !at_infinity || !std::isinf(*at_infinity))
    return kNoInstruction;
  const RewriteNode &magnitude = b.node(test.operand(0)), &small = b.node(inside.operand(0));
  const std::optional<double> bound = splat_number(b, test.operand(1));
  if (magnitude.opcode != Opcode::kAbs || small.opcode != Opcode::kCompare || !bound || !std::isinf(*bound))
    return kNoInstruction;
  const InstructionId x = magnitude.operand(0);
  const bool ends = small.operand(0) == x && splat_number(b, small.operand(1)) == 0.5 &&
                    attributes_of<CompareAttributes>(test).direction == ComparisonDirection::kEq &&
                    attributes_of<CompareAttributes>(small).direction == ComparisonDirection::kLt;
  if (!ends || !is_expansion(b, n.operand(2), x, Opcode::kSin, kLanczos)) return kNoInstruction;
  return add_raised(b, kExtLgamma, x);
}

}  // namespace

StatusOr<bool> raise_lgamma(Module& module) { return raise_where(module, Opcode::kSin, raise_lgamma_expansion); }

}  // namespace hilo::hlo
