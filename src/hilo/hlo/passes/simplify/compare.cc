// SPDX-License-Identifier: Apache-2.0
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
  if (!is_pred(b.shape(x))) return kNoInstruction;
  // p == true -> p, p != true -> !p, p == false -> !p, p != false -> p.
  const bool is_eq = compare.direction == ComparisonDirection::kEq,
             is_ne = compare.direction == ComparisonDirection::kNe;
  const std::optional<int64_t> truth = splat_integer(b, y);
  if (!truth || (!is_eq && !is_ne)) return kNoInstruction;
  return is_eq == (*truth != 0) ? x : b.add(Opcode::kNot, {x});
}

}  // namespace hilo::hlo
