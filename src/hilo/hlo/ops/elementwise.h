// SPDX-License-Identifier: Apache-2.0
// hlo/ops/elementwise.h -- attributes of the elementwise ops that have some.
#pragma once

#include <optional>

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

enum class ComparisonDirection : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
inline constexpr std::string_view kComparisonDirectionNames[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};

/// kDefault: IEEE order for floats. kTotalOrder: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
enum class ComparisonType : uint8_t { kDefault, kFloat, kTotalOrder, kSigned, kUnsigned };
inline constexpr std::string_view kComparisonTypeNames[] = {"", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};

/// Of the word that XLA writes instead since jaxlib 0.12: PARTIAL is the order of IEEE, TOTAL that of kTotalOrder.
inline std::optional<ComparisonType> comparison_type_of_order(std::string_view word) {
  if (word == "PARTIAL") return ComparisonType::kDefault;
  if (word == "TOTAL") return ComparisonType::kTotalOrder;
  return std::nullopt;
}

struct CompareAttributes : Attributes {
  ComparisonDirection direction = ComparisonDirection::kEq;
  ComparisonType type = ComparisonType::kDefault;
};

/// Whether integers of `type` are compared by their bits as if they were signed and aren't, or the other way round.
/// kSigned and kUnsigned say nothing of other types, kFloat nothing of any.
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

/// The elements of `operand` in another type, as convert does it.
StatusOr<Literal> convert_literal(Literal operand, ElementType type);

}  // namespace hilo::hlo
