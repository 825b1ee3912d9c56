// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

std::optional<ComparisonDirection> inverse(ComparisonDirection direction, bool total) {
  switch (direction) {
    case ComparisonDirection::kEq: return ComparisonDirection::kNe;
    case ComparisonDirection::kNe: return ComparisonDirection::kEq;
    case ComparisonDirection::kGe: return total ? std::optional(ComparisonDirection::kLt) : std::nullopt;
    case ComparisonDirection::kGt: return total ? std::optional(ComparisonDirection::kLe) : std::nullopt;
    case ComparisonDirection::kLe: return total ? std::optional(ComparisonDirection::kGt) : std::nullopt;
    case ComparisonDirection::kLt: return total ? std::optional(ComparisonDirection::kGe) : std::nullopt;
  }
  return std::nullopt;
}

bool rounds_to_integer(Opcode opcode) {
  return opcode == Opcode::kFloor || opcode == Opcode::kCeil || opcode == Opcode::kRoundNearestAfz ||
         opcode == Opcode::kRoundNearestEven;
}

}  // namespace

InstructionId simplify_abs(RewriteBuilder& b, const RewriteNode& n) {
  const RewriteNode& x = b.node(n.operand(0));
  // |x| -> x if x is unsigned, or the result of abs. ||MIN|| is |MIN|.
  if (is_unsigned_integer(x.shape) || (x.opcode == Opcode::kAbs && x.shape == n.shape)) return n.operand(0);
  // |-x| -> |x|.
  if (x.opcode == Opcode::kNegate) return b.add(Opcode::kAbs, {x.operand(0)});
  return kNoInstruction;
}

InstructionId simplify_negate(RewriteBuilder& b, const RewriteNode& n) {
  const RewriteNode& x = b.node(n.operand(0));
  // --x -> x.
  if (x.opcode == Opcode::kNegate) return x.operand(0);
  // -(x - y) -> y - x, for integers. For equal floats it would return +0 instead of -0.
  if (x.opcode == Opcode::kSubtract && is_integer(n.shape))
    return b.add(Opcode::kSubtract, {x.operand(1), x.operand(0)});
  return kNoInstruction;
}

InstructionId simplify_not(RewriteBuilder& b, const RewriteNode& n) {
  const RewriteNode& x = b.node(n.operand(0));
  // !!x -> x.
  if (x.opcode == Opcode::kNot) return x.operand(0);
  // !(x < y) -> x >= y. In IEEE's order of floats only == and != have an inverse: comparisons with NaN are false.
  if (x.opcode == Opcode::kCompare) {
    const auto& compare = attributes_of<CompareAttributes>(x);
    const bool total = is_exact(b.shape(x.operand(0))) || compare.type == ComparisonType::kTotalOrder;
    if (const auto direction = inverse(compare.direction, total)) {
      return b.add(Opcode::kCompare, x.operands, make<CompareAttributes>([&](auto& a) {
                     a = compare;
                     a.direction = *direction;
                   }));
    }
  }
  return kNoInstruction;
}

InstructionId simplify_rounding(RewriteBuilder& b, const RewriteNode& n) {
  // floor(ceil(x)) -> ceil(x): rounding an integer has no effect.
  return rounds_to_integer(b.opcode(n.operand(0))) ? n.operand(0) : kNoInstruction;
}

InstructionId simplify_copy(RewriteBuilder&, const RewriteNode& n) {
  // copy(x) -> x; the sweep keeps a copy that changes the layout.
  return n.operand(0);
}

InstructionId simplify_real(RewriteBuilder& b, const RewriteNode& n) {
  // real(complex(x, y)) -> x.
  const RewriteNode* z = match(b, n.operand(0), Opcode::kComplex);
  return z != nullptr ? z->operand(0) : kNoInstruction;
}

InstructionId simplify_imag(RewriteBuilder& b, const RewriteNode& n) {
  // imag(complex(x, y)) -> y.
  const RewriteNode* z = match(b, n.operand(0), Opcode::kComplex);
  return z != nullptr ? z->operand(1) : kNoInstruction;
}

InstructionId simplify_complex(RewriteBuilder& b, const RewriteNode& n) {
  // complex(real(z), imag(z)) -> z.
  const RewriteNode* re = match(b, n.operand(0), Opcode::kReal);
  const RewriteNode* im = match(b, n.operand(1), Opcode::kImag);
  return re != nullptr && im != nullptr && re->operand(0) == im->operand(0) ? re->operand(0) : kNoInstruction;
}

InstructionId simplify_reduce_precision(RewriteBuilder&, const RewriteNode& n) {
  const auto& precision = attributes_of<ReducePrecisionAttributes>(n);
  const std::optional<FloatFormat> format = float_format(n.shape.element_type());
  // The precision is at least that of the type -> x.
  if (format && precision.exponent_bits >= format->exponent_bits &&
      precision.mantissa_bits >= format->mantissa_bits - 1)
    return n.operand(0);
  return kNoInstruction;
}

}  // namespace hilo::hlo
