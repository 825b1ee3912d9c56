// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

/// Returns 1/c if c is a power of two and 1/c is a normal number of its type. Then x/c and x*(1/c) round the same real
/// number.
std::optional<double> exact_reciprocal(const Literal& scalar) {
  const double c = element_as_double(scalar, 0);
  int exponent = 0;
  if (!std::isfinite(c) || c == 0 || std::abs(std::frexp(c, &exponent)) != 0.5) return std::nullopt;
  // c = 2^(exponent-1). Both c and 1/c must be normal.
  const std::optional<FloatFormat> format = float_format(scalar.shape().element_type());
  if (!format) return std::nullopt;
  const int largest = (1 << (format->exponent_bits - 1)) - 2;
  return std::abs(exponent - 1) <= largest ? std::optional(1 / c) : std::nullopt;
}

}  // namespace

InstructionId simplify_divide(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0), y = n.operand(1);
  const bool is_complex = !is_integer(n.shape) && !is_float(n.shape);
  if (is_complex) return kNoInstruction;
  // x / 1 -> x.
  if (is_splat_of(b, y, 1)) return x;
  // x / -1 -> -x; the smallest integer is mapped to itself in both cases.
  if (!is_unsigned_integer(n.shape) && is_splat_of(b, y, -1)) return b.add(Opcode::kNegate, {x});
  if (is_float(n.shape)) {
    // x / 2^k -> x * 2^-k.
    const Literal* c = splat_value(b, y);
    if (c == nullptr) return kNoInstruction;
    const std::optional<double> reciprocal = exact_reciprocal(*c);
    return reciprocal ? b.add(Opcode::kMultiply, {x, splat_like(b, n.shape, *reciprocal)}) : kNoInstruction;
  }
  // x / 2^k -> x >> k, for unsigned integers.
  if (is_unsigned_integer(n.shape)) {
    if (const auto k = log2_of_splat(b, y)) return b.add(Opcode::kShiftRightLogical, {x, splat_like(b, n.shape, *k)});
  }
  return kNoInstruction;
}

InstructionId simplify_remainder(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0), y = n.operand(1);
  if (!is_integer(n.shape)) return kNoInstruction;
  // x % 1 -> 0 and x % -1 -> 0, for integers.
  if (is_splat_of(b, y, 1)) return splat_like(b, n.shape, 0);
  if (!is_unsigned_integer(n.shape)) return is_splat_of(b, y, -1) ? splat_like(b, n.shape, 0) : kNoInstruction;
  // x % 2^k -> x & (2^k - 1), for unsigned integers.
  const auto k = log2_of_splat(b, y);
  return k ? b.add(Opcode::kAnd, {x, b.add(Opcode::kSubtract, {y, splat_like(b, n.shape, 1)})}) : kNoInstruction;
}

}  // namespace hilo::hlo
