// SPDX-License-Identifier: Apache-2.0
// hlo/ops/elementwise.h -- attributes of elementwise ops.
#pragma once

#include <optional>

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

enum class ComparisonDirection : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
inline constexpr std::string_view kComparisonDirectionNames[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};

/// Returns whether two numbers compare in this direction.
template <typename T>
constexpr bool holds(ComparisonDirection direction, T x, T y) {
  switch (direction) {
    case ComparisonDirection::kEq: return x == y;
    case ComparisonDirection::kNe: return x != y;
    case ComparisonDirection::kGe: return x >= y;
    case ComparisonDirection::kGt: return x > y;
    case ComparisonDirection::kLe: return x <= y;
    case ComparisonDirection::kLt: return x < y;
  }
  return false;
}

/// kDefault: IEEE order for floats. kTotalOrder: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
enum class ComparisonType : uint8_t { kDefault, kFloat, kTotalOrder, kSigned, kUnsigned };
inline constexpr std::string_view kComparisonTypeNames[] = {"", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};

/// Returns the type for the word that XLA writes since jaxlib 0.12: PARTIAL is the IEEE order, TOTAL is kTotalOrder.
inline std::optional<ComparisonType> comparison_type_of_order(std::string_view word) {
  if (word == "PARTIAL") return ComparisonType::kDefault;
  if (word == "TOTAL") return ComparisonType::kTotalOrder;
  return std::nullopt;
}

struct CompareAttributes : Attributes {
  ComparisonDirection direction = ComparisonDirection::kEq;
  ComparisonType type = ComparisonType::kDefault;
};

/// Returns whether integers of `type` are compared as if they had the other signedness. kSigned and kUnsigned don't
/// affect other types; kFloat affects none.
inline bool is_of_other_sign(const CompareAttributes& attributes, ElementType type) {
  return attributes.type == ComparisonType::kSigned
             ? is_unsigned_integer(type)
             : attributes.type == ComparisonType::kUnsigned && is_signed_integer(type);
}

struct ReducePrecisionAttributes : Attributes {
  int64_t exponent_bits = 8;
  int64_t mantissa_bits = 23;
};

const OpDef& elementwise_op(Opcode opcode);

/// Rounds to float and sets the last bit if anything was lost. Rounding again to 16 bits or fewer then gives the same
/// result as rounding once.
float round_to_odd(double value);

/// Converts the elements of `operand` to another type, as the op convert does.
StatusOr<Literal> convert_literal(Literal operand, ElementType type);

}  // namespace hilo::hlo
