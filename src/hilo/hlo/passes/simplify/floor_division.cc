// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

/// A comparison of integers with one number.
struct Test {
  InstructionId x;
  ComparisonDirection direction;
  int64_t number;
};

std::optional<Test> test_of(const RewriteBuilder& b, InstructionId id) {
  const RewriteNode* const compare = match(b, id, Opcode::kCompare);
  if (compare == nullptr || !is_signed_integer(b.shape(compare->operand(0)))) return std::nullopt;
  const std::optional<int64_t> number = splat_integer(b, compare->operand(1));
  if (!number) return std::nullopt;
  return Test{compare->operand(0), attributes_of<CompareAttributes>(*compare).direction, *number};
}

/// Whether the test is that of a nonzero number.
bool is_nonzero(const Test& test) { return test.direction == ComparisonDirection::kNe && test.number == 0; }

/// Whether the test holds if x has another sign than the divisor of this remainder, or is 0.
bool has_other_sign(const RewriteBuilder& b, const Test& test, const RewriteNode& remainder) {
  const RewriteNode* const sign = match(b, test.x, Opcode::kSign);
  return sign != nullptr && sign->operand(0) == remainder.operand(0) && test.direction == ComparisonDirection::kNe &&
         test.number == 1;
}

}  // namespace

InstructionId sign_of_remainder(RewriteBuilder& b, const RewriteNode& n) {
  for (const size_t side : {0, 1}) {
    const std::optional<Test> nonzero = test_of(b, n.operand(side)), other = test_of(b, n.operand(1 - side));
    if (!nonzero || !other || !is_nonzero(*nonzero)) continue;
    // r < 0 and r != 0 -> r < 0.
    const bool is_strict = other->direction == ComparisonDirection::kLt || other->direction == ComparisonDirection::kGt;
    if (other->x == nonzero->x && is_strict && other->number == 0) return n.operand(1 - side);
    // sign(x) != 1 and x % c != 0 -> x % c < 0, for c > 0, because x % c has the sign of x.
    const RewriteNode* const remainder = match(b, nonzero->x, Opcode::kRemainder);
    if (remainder == nullptr || !has_other_sign(b, *other, *remainder)) continue;
    const std::optional<int64_t> divisor = splat_integer(b, remainder->operand(1));
    if (!divisor || *divisor <= 0) continue;
    return b.add(Opcode::kCompare, {nonzero->x, splat_like(b, remainder->shape, 0)},
                 make<CompareAttributes>([](auto& a) { a.direction = ComparisonDirection::kLt; }));
  }
  return kNoInstruction;
}

InstructionId floor_division(RewriteBuilder& b, const RewriteNode& n) {
  const std::optional<Test> test = test_of(b, n.operand(0));
  const RewriteNode* const more = match(b, n.operand(1), Opcode::kAdd);
  if (!test || test->direction != ComparisonDirection::kLt || test->number != 0 || more == nullptr ||
      more->operand(0) != n.operand(2))
    return kNoInstruction;
  const RewriteNode* const remainder = match(b, test->x, Opcode::kRemainder);
  const std::optional<int> k = remainder != nullptr ? log2_of_splat(b, remainder->operand(1)) : std::nullopt;
  if (!k) return kNoInstruction;
  const InstructionId x = remainder->operand(0), divisor = remainder->operand(1);
  // select(x % 2^k < 0, x % 2^k + 2^k, x % 2^k) -> x & (2^k - 1).
  if (n.operand(2) == test->x && more->operand(1) == divisor)
    return b.add(Opcode::kAnd, {x, b.add(Opcode::kAdd, {divisor, splat_like(b, n.shape, -1)})});
  // select(x % 2^k < 0, x / 2^k - 1, x / 2^k) -> x >> k.
  const RewriteNode* const quotient = match(b, n.operand(2), Opcode::kDivide);
  if (quotient == nullptr || quotient->operand(0) != x || quotient->operand(1) != divisor ||
      !is_splat_of(b, more->operand(1), -1))
    return kNoInstruction;
  return b.add(Opcode::kShiftRightArithmetic, {x, splat_like(b, n.shape, *k)});
}

}  // namespace hilo::hlo
