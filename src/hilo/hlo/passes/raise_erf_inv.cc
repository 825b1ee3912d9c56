// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/passes/expansion.h"
#include "hilo/hlo/passes/passes.h"

namespace hilo::hlo {
namespace {

// CHLO's expansion of erf_inv (f32 and f64) ends in select(|x| == 1, x * inf, polynomial(log1p(-x x)) * x). At 1 the
// slope of the unused branch is infinite, so a derivative of the expansion is NaN everywhere.
constexpr double kLastCoefficients[] = {1.50140941, 1.6536545626831027};  // of the central polynomials

InstructionId raise_erf_inv_expansion(RewriteBuilder& b, const RewriteNode& n) {
  if (n.opcode != Opcode::kSelect) return kNoInstruction;
  const RewriteNode &test = b.node(n.operand(0)), &at_one = b.node(n.operand(1)), &inside = b.node(n.operand(2));
  if (test.opcode != Opcode::kCompare || at_one.opcode != Opcode::kMultiply || inside.opcode != Opcode::kMultiply)
    return kNoInstruction;
  const InstructionId x = at_one.operand(0);
  const std::optional<double> infinity = splat_number(b, at_one.operand(1)), one = splat_number(b, test.operand(1));
  const RewriteNode& magnitude = b.node(test.operand(0));
  const bool ends = infinity && std::isinf(*infinity) && one == 1.0 && magnitude.opcode == Opcode::kAbs &&
                    magnitude.operand(0) == x && inside.operand(1) == x &&
                    attributes_of<CompareAttributes>(test).direction == ComparisonDirection::kEq;
  if (!ends || !is_expansion(b, inside.operand(0), x, Opcode::kLog1p, kLastCoefficients)) return kNoInstruction;
  return add_raised(b, kExtErfInv, x);
}

}  // namespace

StatusOr<bool> raise_erf_inv(Module& module) { return raise_where(module, Opcode::kLog1p, raise_erf_inv_expansion); }

}  // namespace hilo::hlo
