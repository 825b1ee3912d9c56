// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

/// Simplifies max or min. `neutral` leaves the other operand unchanged; `absorbing` wins against everything except NaN.
InstructionId simplify_extremum(RewriteBuilder& b, const RewriteNode& n,
                                bool (*neutral)(const RewriteBuilder&, InstructionId),
                                bool (*absorbing)(const RewriteBuilder&, InstructionId)) {
  // max(x, x) -> x.
  if (n.operand(0) == n.operand(1)) return n.operand(0);
  // max(x, -inf) -> x, including NaN.
  if (const auto x = other_operand(b, n, neutral)) return *x;
  // max(x, MAX) -> MAX, but not for floats: NaN propagates.
  if (is_exact(n.shape) && other_operand(b, n, absorbing))
    return absorbing(b, n.operand(1)) ? n.operand(1) : n.operand(0);
  // max(max(x, y), y) -> max(x, y), including NaN.
  for (size_t i = 0; i < 2; ++i) {
    const RewriteNode* nested = match(b, n.operand(i), n.opcode);
    if (nested != nullptr && (nested->operand(0) == n.operand(1 - i) || nested->operand(1) == n.operand(1 - i)))
      return n.operand(i);
  }
  return reassociate_constants(b, n);
}

}  // namespace

InstructionId simplify_maximum(RewriteBuilder& b, const RewriteNode& n) {
  return simplify_extremum(b, n, is_lowest, is_highest);
}

InstructionId simplify_minimum(RewriteBuilder& b, const RewriteNode& n) {
  return simplify_extremum(b, n, is_highest, is_lowest);
}

InstructionId simplify_clamp(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId low = n.operand(0), x = n.operand(1), high = n.operand(2);
  // The bounds are those of the type -> x.
  if (is_lowest(b, low) && is_highest(b, high)) return x;
  // clamp(lo, clamp(lo, x, hi), hi) -> clamp(lo, x, hi).
  const RewriteNode* nested = match(b, x, Opcode::kClamp);
  if (nested != nullptr && nested->operand(0) == low && nested->operand(2) == high) return x;
  // clamp(c, x, c) -> c, for integers; NaN would propagate.
  if (is_exact(n.shape) && low == high && b.shape(low) == n.shape) return low;
  return kNoInstruction;
}

}  // namespace hilo::hlo
