// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/expansion.h"

#include <algorithm>
#include <cmath>

#include "hilo/hlo/ops/check_instruction.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

constexpr size_t kMaxExpansion = 512;  // instructions

bool is_one_of(double value, std::span<const double> numbers) {
  return std::ranges::any_of(numbers,
                             [&](double number) { return std::abs(value - number) <= 1e-7 * std::abs(number); });
}

}  // namespace

std::optional<double> splat_number(const RewriteBuilder& b, InstructionId id) {
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

bool is_expansion(const RewriteBuilder& b, InstructionId id, InstructionId x, Opcode opcode,
                  std::span<const double> coefficients) {
  std::vector<InstructionId> pending = {id}, seen;
  bool has_opcode = false, has_coefficient = false;
  while (!pending.empty()) {
    const InstructionId i = pending.back();
    pending.pop_back();
    if (i == x || std::ranges::find(seen, i) != seen.end()) continue;
    if (seen.size() >= kMaxExpansion) return false;
    seen.push_back(i);
    const RewriteNode& n = b.node(i);
    if (const std::optional<double> value = splat_number(b, i)) {
      has_coefficient = has_coefficient || is_one_of(*value, coefficients);
      continue;
    }
    if (!is_elementwise(n.opcode) || n.operands.empty()) return false;
    has_opcode = has_opcode || n.opcode == opcode;
    pending.insert(pending.end(), n.operands.begin(), n.operands.end());
  }
  return has_opcode && has_coefficient;
}

InstructionId add_raised(RewriteBuilder& b, Opcode opcode, InstructionId x) {
  const Shape shapes[] = {b.shape(x)};
  if (!check_instruction(op_def(opcode), shapes, nullptr, std::nullopt).ok()) return kNoInstruction;
  return b.add(opcode, {x});
}

StatusOr<bool> raise_where(Module& module, Opcode opcode, RewriteRule rule) {
  return rewrite_computations(module, [&](const ComputationPtr& source) -> StatusOr<ComputationPtr> {
    return has_opcode(*source, opcode) ? rewrite(source, {.share = false, .rule = rule}) : source;
  });
}

}  // namespace hilo::hlo
