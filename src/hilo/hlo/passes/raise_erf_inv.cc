// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "hilo/hlo/ops/check_instruction.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/extensions.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

// What CHLO's expansion of erf_inv ends in (f32 and f64): select(|x| == 1, x * inf, polynomial(log1p(-x x)) * x). At 1 the
// slope of the unused branch is infinite, so a derivative of the expansion is NaN everywhere.
constexpr double kLastCoefficients[] = {1.50140941, 1.6536545626831027};  // of the central polynomials
constexpr size_t kLargestExpansion = 512;                                 // instructions

/// The number that an instruction is everywhere.
std::optional<double> number(const RewriteBuilder& b, InstructionId id) {
  const Literal* const value = splat_value(b, id);
  if (value == nullptr) return std::nullopt;
  return visit_array_type(
      value->shape().element_type(),
      [&]<typename T>() -> std::optional<double> {
        if constexpr (std::is_convertible_v<T, double>) return static_cast<double>(value->data<T>()[0]);
        else return std::nullopt;
      },
      []() -> std::optional<double> { return std::nullopt; });
}

/// Whether `id` is computed from x and constants alone, with a log1p and one of the coefficients.
bool is_expansion(const RewriteBuilder& b, InstructionId id, InstructionId x) {
  std::vector<InstructionId> pending = {id}, seen;
  bool logarithm = false, coefficient = false;
  while (!pending.empty()) {
    const InstructionId i = pending.back();
    pending.pop_back();
    if (i == x || std::find(seen.begin(), seen.end(), i) != seen.end()) continue;
    if (seen.size() >= kLargestExpansion) return false;
    seen.push_back(i);
    const RewriteNode& n = b.node(i);
    if (const std::optional<double> value = number(b, i)) {
      for (double known : kLastCoefficients) coefficient = coefficient || std::abs(*value - known) < 1e-7;
      continue;
    }
    if (!is_elementwise(n.opcode) || n.operands.empty()) return false;
    logarithm = logarithm || n.opcode == Opcode::kLog1p;
    pending.insert(pending.end(), n.operands.begin(), n.operands.end());
  }
  return logarithm && coefficient;
}

InstructionId raise_expansion(RewriteBuilder& b, const RewriteNode& n) {
  if (n.opcode != Opcode::kSelect) return kNoInstruction;
  const RewriteNode &test = b.node(n.operand(0)), &at_one = b.node(n.operand(1)), &inside = b.node(n.operand(2));
  if (test.opcode != Opcode::kCompare || at_one.opcode != Opcode::kMultiply || inside.opcode != Opcode::kMultiply)
    return kNoInstruction;
  const InstructionId x = at_one.operand(0);
  const std::optional<double> infinity = number(b, at_one.operand(1)), one = number(b, test.operand(1));
  const RewriteNode& magnitude = b.node(test.operand(0));
  const bool ends = infinity && std::isinf(*infinity) && one == 1.0 && magnitude.opcode == Opcode::kAbs &&
                    magnitude.operand(0) == x && inside.operand(1) == x &&
                    attributes_of<CompareAttributes>(test).direction == ComparisonDirection::kEq;
  if (!ends || !is_expansion(b, inside.operand(0), x)) return kNoInstruction;
  const Shape shapes[] = {b.shape(x)};
  if (!check_instruction(op_def(kExtErfInv), shapes, nullptr, std::nullopt).ok()) return kNoInstruction;
  return b.add(kExtErfInv, {x});
}

StatusOr<ComputationPtr> raise_in(const ComputationPtr& source) {
  return has_opcode(*source, Opcode::kLog1p) ? rewrite(source, {.share = false, .rule = raise_expansion}) : source;
}

}  // namespace

StatusOr<bool> raise_erf_inv(Module& module) { return rewrite_computations(module, raise_in); }

}  // namespace hilo::hlo
