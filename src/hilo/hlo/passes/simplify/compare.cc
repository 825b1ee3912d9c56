// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

/// Returns the result of comparing x with itself, if it doesn't depend on x.
std::optional<bool> compare_with_itself(ComparisonDirection direction, bool has_nan) {
  switch (direction) {
    case ComparisonDirection::kEq:
    case ComparisonDirection::kGe:
    case ComparisonDirection::kLe: return has_nan ? std::nullopt : std::optional(true);
    case ComparisonDirection::kNe: return has_nan ? std::nullopt : std::optional(false);
    case ComparisonDirection::kGt:
    case ComparisonDirection::kLt: return false;  // NaN is not less than itself, either
  }
  return std::nullopt;
}

/// Returns the result of comparing x with `bound`, if that is the smallest or largest value of an exact type.
std::optional<bool> compare_with_bound(const RewriteBuilder& b, ComparisonDirection direction, InstructionId bound) {
  const bool lowest = is_lowest(b, bound), highest = is_highest(b, bound);
  if (lowest && direction == ComparisonDirection::kGe) return true;
  if (lowest && direction == ComparisonDirection::kLt) return false;
  if (highest && direction == ComparisonDirection::kLe) return true;
  if (highest && direction == ComparisonDirection::kGt) return false;
  return std::nullopt;
}

/// select(p, 3, i) < 4 -> select(p, true, i < 4): tests of a place that selects found. `n` compares the select with a
/// number, on either side.
InstructionId compare_of_select(RewriteBuilder& b, const RewriteNode& n, size_t side) {
  const RewriteNode* const select = match(b, n.operand(side), Opcode::kSelect);
  const std::optional<int64_t> number = splat_integer(b, n.operand(1 - side));
  if (select == nullptr || !number || b.shape(select->operand(0)) != n.shape) return kNoInstruction;
  const auto direction = attributes_of<CompareAttributes>(n).direction;
  const auto known = [&](size_t arm) -> InstructionId {
    const std::optional<int64_t> value = splat_integer(b, select->operand(arm));
    if (!value) return kNoInstruction;
    return splat_like(b, n.shape, side == 0 ? holds(direction, *value, *number) : holds(direction, *number, *value));
  };
  std::array<InstructionId, 2> arms = {known(1), known(2)};
  if (arms[0] == kNoInstruction && arms[1] == kNoInstruction) return kNoInstruction;
  for (size_t arm = 0; arm < 2; ++arm) {
    std::array<InstructionId, 2> operands = {n.operand(0), n.operand(1)};
    operands[side] = select->operand(arm + 1);
    if (arms[arm] == kNoInstruction) arms[arm] = b.add(Opcode::kCompare, operands, n.attributes);
  }
  return b.add(Opcode::kSelect, {select->operand(0), arms[0], arms[1]});
}

/// Tests of a truth value against a known one: p == true -> p, p < true -> !p, ...
InstructionId compare_of_truth(RewriteBuilder& b, const RewriteNode& n, size_t side) {
  const std::optional<int64_t> number = splat_integer(b, n.operand(1 - side));
  if (!number || !is_pred(b.shape(n.operand(side)))) return kNoInstruction;
  const auto direction = attributes_of<CompareAttributes>(n).direction;
  const auto of = [&](int64_t p) { return side == 0 ? holds(direction, p, *number) : holds(direction, *number, p); };
  if (of(0) == of(1)) return splat_like(b, n.shape, of(0));
  return of(1) ? n.operand(side) : b.add(Opcode::kNot, {n.operand(side)});
}

}  // namespace

InstructionId simplify_compare(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0), y = n.operand(1);
  const auto& compare = attributes_of<CompareAttributes>(n);
  const bool exact = is_exact(b.shape(x));
  // x < x -> false, x == x -> true; for floats only comparisons that hold for NaN, too.
  if (x == y) {
    const auto known = compare_with_itself(compare.direction, !exact && compare.type != ComparisonType::kTotalOrder);
    return known ? splat_like(b, n.shape, *known) : kNoInstruction;
  }
  if (!exact) return kNoInstruction;
  // u >= 0 -> true, and similar.
  if (const auto known = compare_with_bound(b, compare.direction, y)) return splat_like(b, n.shape, *known);
  for (const size_t side : {0, 1}) {
    if (const InstructionId truth = compare_of_truth(b, n, side); truth != kNoInstruction) return truth;
    if (const InstructionId test = compare_of_select(b, n, side); test != kNoInstruction) return test;
  }
  return kNoInstruction;
}

}  // namespace hilo::hlo
