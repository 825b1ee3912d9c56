// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

bool is_zero(const RewriteBuilder& b, InstructionId id) { return is_splat_of(b, id, 0); }

/// Returns whether one operand is the negation of the other.
bool are_opposite(const RewriteBuilder& b, const RewriteNode& n) {
  const RewriteNode* x = match(b, n.operand(0), Opcode::kNot);
  const RewriteNode* y = match(b, n.operand(1), Opcode::kNot);
  return (x != nullptr && x->operand(0) == n.operand(1)) || (y != nullptr && y->operand(0) == n.operand(0));
}

InstructionId all_ones(RewriteBuilder& b, const Shape& shape) { return b.add(Opcode::kNot, {splat_like(b, shape, 0)}); }

}  // namespace

InstructionId simplify_and(RewriteBuilder& b, const RewriteNode& n) {
  if (n.operand(0) == n.operand(1)) return n.operand(0);
  if (const auto x = other_operand(b, n, is_all_ones)) return *x;
  if (other_operand(b, n, is_zero) || are_opposite(b, n)) return splat_like(b, n.shape, 0);
  if (const InstructionId test = sign_of_remainder(b, n); test != kNoInstruction) return test;
  return reassociate_constants(b, n);
}

InstructionId simplify_or(RewriteBuilder& b, const RewriteNode& n) {
  if (n.operand(0) == n.operand(1)) return n.operand(0);
  if (const auto x = other_operand(b, n, is_zero)) return *x;
  if (other_operand(b, n, is_all_ones) || are_opposite(b, n)) return all_ones(b, n.shape);
  return reassociate_constants(b, n);
}

InstructionId simplify_xor(RewriteBuilder& b, const RewriteNode& n) {
  if (n.operand(0) == n.operand(1)) return splat_like(b, n.shape, 0);
  if (const auto x = other_operand(b, n, is_zero)) return *x;
  if (const auto x = other_operand(b, n, is_all_ones)) return b.add(Opcode::kNot, {*x});
  if (are_opposite(b, n)) return all_ones(b, n.shape);
  return reassociate_constants(b, n);
}

InstructionId simplify_shift(RewriteBuilder& b, const RewriteNode& n) {
  // x << 0 -> x, also for the right shifts.
  if (is_zero(b, n.operand(1))) return n.operand(0);
  // A logical shift by at least the width gives 0.
  const std::optional<int64_t> amount = splat_integer(b, n.operand(1));
  const int bits = element_type_info(n.shape.element_type()).bits;
  if (n.opcode != Opcode::kShiftRightArithmetic && amount && *amount >= bits) return splat_like(b, n.shape, 0);
  return kNoInstruction;
}

}  // namespace hilo::hlo
