// SPDX-License-Identifier: Apache-2.0
// hlo/passes/simplify/match.h -- predicates and queries of rules: whether a value is constant, its scalar, its opcode.
#pragma once

#include <optional>

#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

/// Returns the instruction if it has this opcode, else null.
inline const RewriteNode* match(const RewriteBuilder& b, InstructionId id, Opcode opcode) {
  return b.opcode(id) == opcode ? &b.node(id) : nullptr;
}

/// Returns the value of a constant, or null.
const Literal* constant_value(const RewriteBuilder& b, InstructionId id);

/// Returns the scalar that every element equals (a scalar constant, or a broadcast of one), or null. Non-scalar
/// constants with equal elements don't count, because simplify_constant converts them to broadcasts.
const Literal* splat_value(const RewriteBuilder& b, InstructionId id);

/// Returns the integer that every element equals, if it is known and fits; pred counts as 0 and 1.
std::optional<int64_t> splat_integer(const RewriteBuilder& b, InstructionId id);

/// Returns k if every element is the integer 2^k.
std::optional<int> log2_of_splat(const RewriteBuilder& b, InstructionId id);

bool is_integer(const Shape& shape);
bool is_signed_integer(const Shape& shape);
bool is_unsigned_integer(const Shape& shape);
bool is_pred(const Shape& shape);
bool is_float(const Shape& shape);
/// Returns whether arithmetic is exact: pred or integer.
bool is_exact(const Shape& shape);

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;  ///< including the implicit bit
};
/// Returns the format of f16, bf16, f32, f64, and of the parts of c64 and c128; nullopt for other types.
std::optional<FloatFormat> float_format(ElementType type);

/// Returns whether every element is `value`, for any numeric type. Zero means +0 in both parts of a complex number.
bool is_splat_of(const RewriteBuilder& b, InstructionId id, double value);
/// Returns whether every element is the identity of addition: -0.0 for floats (in both parts of complex numbers), 0 for
/// exact types.
bool is_additive_identity(const RewriteBuilder& b, InstructionId id);
/// Returns whether every bit of every element is set: -1, the largest unsigned number, true.
bool is_all_ones(const RewriteBuilder& b, InstructionId id);
/// Returns whether every element is the lowest (highest) value of its type, such as MIN, -inf, false.
bool is_lowest(const RewriteBuilder& b, InstructionId id);
bool is_highest(const RewriteBuilder& b, InstructionId id);

/// Returns the other operand of a binary op if `is(builder, operand)` is true for one. Tests the second operand first.
template <typename Predicate>
std::optional<InstructionId> other_operand(const RewriteBuilder& b, const RewriteNode& n, Predicate&& is) {
  if (is(b, n.operand(1))) return n.operand(0);
  if (is(b, n.operand(0))) return n.operand(1);
  return std::nullopt;
}

/// Returns a value of this shape with `value` (0 or 1 in most rules) in every element.
InstructionId splat_like(RewriteBuilder& b, const Shape& shape, double value);

/// Returns the sum of one term. Sums begin with 0, so the sum of -0 is 0.
InstructionId sum_of_one(RewriteBuilder& b, InstructionId term);

/// For associative binary ops over exact types: op(op(x, c1), c2) = op(x, op(c1, c2)).
InstructionId reassociate_constants(RewriteBuilder& b, const RewriteNode& n);

/// Creates attributes and fills them: make<SliceAttributes>([&](auto& a) { a.ranges = ...; }).
template <typename T, typename Fill>
AttributesPtr make(Fill&& fill) {
  auto attributes = std::make_shared<T>();
  fill(*attributes);
  return attributes;
}

}  // namespace hilo::hlo
