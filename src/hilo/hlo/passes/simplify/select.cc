// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {

InstructionId simplify_select(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId p = n.operand(0), on_true = n.operand(1), on_false = n.operand(2);
  // select(p, x, x) -> x.
  if (on_true == on_false) return on_true;
  // select(true, x, y) -> x.
  if (const std::optional<int64_t> known = splat_integer(b, p)) return *known != 0 ? on_true : on_false;
  // select(!p, x, y) -> select(p, y, x).
  if (const RewriteNode* negated = match(b, p, Opcode::kNot))
    return b.add(Opcode::kSelect, {negated->operand(0), on_false, on_true});
  // select(p, true, false) -> p; select(p, false, true) -> !p.
  if (is_pred(n.shape) && b.shape(p) == n.shape) {
    const std::optional<int64_t> x = splat_integer(b, on_true), y = splat_integer(b, on_false);
    // Equal values are the same instruction, as checked above.
    if (x && y) return *x != 0 ? p : b.add(Opcode::kNot, {p});
    // select(p, true, y) -> p | y; select(p, false, y) -> !p & y; and the same for the other arm.
    if (x)
      return *x != 0 ? b.add(Opcode::kOr, {p, on_false}) : b.add(Opcode::kAnd, {b.add(Opcode::kNot, {p}), on_false});
    if (y) return *y != 0 ? b.add(Opcode::kOr, {b.add(Opcode::kNot, {p}), on_true}) : b.add(Opcode::kAnd, {p, on_true});
  }
  // select(p, select(p, x, y), z) -> select(p, x, z), and the other arm.
  if (const RewriteNode* nested = match(b, on_true, Opcode::kSelect); nested != nullptr && nested->operand(0) == p) {
    return b.add(Opcode::kSelect, {p, nested->operand(1), on_false});
  }
  if (const RewriteNode* nested = match(b, on_false, Opcode::kSelect); nested != nullptr && nested->operand(0) == p) {
    return b.add(Opcode::kSelect, {p, on_true, nested->operand(2)});
  }
  return floor_division(b, n);
}

}  // namespace hilo::hlo
