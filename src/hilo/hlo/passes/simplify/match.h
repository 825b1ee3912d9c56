// SPDX-License-Identifier: Apache-2.0
// hlo/passes/simplify/match.h -- questions that rules ask about values: is it a constant, which one, whose shape.
#pragma once

#include <optional>

#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

/// The instruction if it has this opcode, else null.
inline const RewriteNode* match(const RewriteBuilder& b, InstructionId id, Opcode opcode) {
  return b.opcode(id) == opcode ? &b.node(id) : nullptr;
}

/// The value of a constant, or null.
const Literal* constant_value(const RewriteBuilder& b, InstructionId id);

/// The scalar that every element of the value is (a scalar constant, or a broadcast of one), or null. Non-scalar
/// constants with equal elements don't count: simplify_constant made them broadcasts.
const Literal* splat_value(const RewriteBuilder& b, InstructionId id);

/// The integer that every element is, if it is known and fits; pred counts as 0 and 1.
std::optional<int64_t> splat_integer(const RewriteBuilder& b, InstructionId id);

bool is_integer(const Shape& shape);
bool is_signed_integer(const Shape& shape);
bool is_unsigned_integer(const Shape& shape);
bool is_pred(const Shape& shape);
bool is_float(const Shape& shape);
/// pred or integer: arithmetic is exact.
bool is_exact(const Shape& shape);

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;  ///< the hidden one included
};
/// Of f16, bf16, f32, f64, and of the parts of c64 and c128; nullopt for other types.
std::optional<FloatFormat> float_format(ElementType type);

/// Every element is `value`, of whatever numeric type; zero means +0 in both parts of a complex number.
bool is_splat_of(const RewriteBuilder& b, InstructionId id, double value);
/// Every element is -0.0 (floats; both parts of a complex number) or, for exact types, 0: what may be added freely.
bool is_additive_identity(const RewriteBuilder& b, InstructionId id);
/// Every bit of every element is set: -1, the largest unsigned number, true.
bool is_all_ones(const RewriteBuilder& b, InstructionId id);
/// Every element is the least (greatest) value of its type: MIN, -inf, false.
bool is_lowest(const RewriteBuilder& b, InstructionId id);
bool is_highest(const RewriteBuilder& b, InstructionId id);

/// The other operand of a two-operand op if `is(builder, operand)` holds for one, the second asked first.
template <typename Predicate>
std::optional<InstructionId> other_operand(const RewriteBuilder& b, const RewriteNode& n, Predicate&& is) {
  if (is(b, n.operand(1))) return n.operand(0);
  if (is(b, n.operand(0))) return n.operand(1);
  return std::nullopt;
}

/// `value` (0 or 1 in most rules) at every element of a value of this shape.
InstructionId splat_like(RewriteBuilder& b, const Shape& shape, double value);

/// A sum of this term alone. Sums begin with 0, so one of -0 is 0.
InstructionId sum_of_one(RewriteBuilder& b, InstructionId term);

/// For two-operand ops over exact types that are associative: op(op(x, c1), c2) = op(x, op(c1, c2)).
InstructionId reassociate_constants(RewriteBuilder& b, const RewriteNode& n);

/// An attribute struct filled in place: make<SliceAttributes>([&](auto& a) { a.ranges = ...; }).
template <typename T, typename Fill>
AttributesPtr make(Fill&& fill) {
  auto attributes = std::make_shared<T>();
  fill(*attributes);
  return attributes;
}

}  // namespace hilo::hlo
