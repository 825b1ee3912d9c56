// SPDX-License-Identifier: Apache-2.0
// hlo/ir/attributes.h -- attributes of instructions as tables of fields, over which text, proto, hash and equality
// loop.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hilo/types/literal.h"

namespace hilo::hlo {

class Computation;
using ComputationPtr = std::shared_ptr<const Computation>;

/// Base of every attribute struct (ReduceAttributes, ...). No virtual functions: the OpDef knows the struct's type.
struct Attributes {};
using AttributesPtr = std::shared_ptr<const Attributes>;

/// One dimension of `slice={[start:limit:stride], ...}`.
struct SliceRange {
  int64_t start = 0, limit = 0, stride = 1;
  bool operator==(const SliceRange&) const = default;
};

/// One dimension of `padding=low_high_interior`. Negative low and high crop.
struct PaddingDimension {
  int64_t low = 0, high = 0, interior = 0;
  bool operator==(const PaddingDimension&) const = default;
};

/// One dimension of `window={size=.. stride=.. pad=low_high lhs_dilate=.. rhs_dilate=.. rhs_reversal=..}`.
struct WindowDimension {
  int64_t size = 1, stride = 1, padding_low = 0, padding_high = 0, base_dilation = 1, window_dilation = 1;
  bool reversal = false;
  bool operator==(const WindowDimension&) const = default;
};

/// `dim_labels=b01f_01io->b01f`: input, kernel and output dimensions by role.
struct ConvolutionDimensions {
  int64_t input_batch = 0, input_feature = 0, kernel_input = 0, kernel_output = 0, output_batch = 0, output_feature = 0;
  std::vector<int64_t> input_spatial, kernel_spatial, output_spatial;
  bool operator==(const ConvolutionDimensions&) const = default;
};

using Int64List = std::vector<int64_t>;
using Int64Lists = std::vector<std::vector<int64_t>>;         // replica groups
using Int64Pairs = std::vector<std::pair<int64_t, int64_t>>;  // source-target pairs
using StringList = std::vector<std::string>;

/// Returns whether `list`, a list of dimensions, contains `value`.
inline bool contains(std::span<const int64_t> list, int64_t value) {
  for (const int64_t item : list)
    if (item == value) return true;
  return false;
}

/// The kind of value that a field holds. Readers and writers switch over it.
// clang-format off: rows of a kind
enum class FieldKind : uint8_t {
  kInt64, kBool, kDouble, kString, kInt64List, kInt64Lists, kInt64Pairs, kStringList, kEnum,
  kComputation, kComputations, kLiteral, kShape, kSliceRanges, kPadding, kWindow, kConvolutionDimensions,
};
// clang-format on

/// When HLO text and proto show a field.
enum class FieldShow : uint8_t {
  kAlways,
  kUnlessDefault,
  kAsOperand,  ///< in the operand list: parameter(0), constant({1, 2})
};

struct AttributeField {
  std::string_view name;
  FieldKind kind;
  FieldShow show;
  const void* (*get)(const Attributes&);
  void* (*get_mutable)(Attributes&);
  /// For kEnum: text of values 0, 1, ... (the enum is one byte wide).
  std::span<const std::string_view> enum_names = {};
};

namespace field_detail {
template <typename M> struct Member;
template <typename S, typename T> struct Member<T S::*> {
  using Struct = S;
  using Type = T;
};

template <typename T>
constexpr FieldKind kind_of() {
  if constexpr (std::is_enum_v<T>) {
    static_assert(sizeof(T) == 1);
    return FieldKind::kEnum;
  } else if constexpr (std::is_same_v<T, int64_t>) return FieldKind::kInt64;
  else if constexpr (std::is_same_v<T, bool>) return FieldKind::kBool;
  else if constexpr (std::is_same_v<T, double>) return FieldKind::kDouble;
  else if constexpr (std::is_same_v<T, std::string>) return FieldKind::kString;
  else if constexpr (std::is_same_v<T, Int64List>) return FieldKind::kInt64List;
  else if constexpr (std::is_same_v<T, Int64Lists>) return FieldKind::kInt64Lists;
  else if constexpr (std::is_same_v<T, Int64Pairs>) return FieldKind::kInt64Pairs;
  else if constexpr (std::is_same_v<T, StringList>) return FieldKind::kStringList;
  else if constexpr (std::is_same_v<T, ComputationPtr>) return FieldKind::kComputation;
  else if constexpr (std::is_same_v<T, std::vector<ComputationPtr>>) return FieldKind::kComputations;
  else if constexpr (std::is_same_v<T, Literal>) return FieldKind::kLiteral;
  else if constexpr (std::is_same_v<T, Shape>) return FieldKind::kShape;
  else if constexpr (std::is_same_v<T, std::vector<SliceRange>>) return FieldKind::kSliceRanges;
  else if constexpr (std::is_same_v<T, std::vector<PaddingDimension>>) return FieldKind::kPadding;
  else if constexpr (std::is_same_v<T, std::vector<WindowDimension>>) return FieldKind::kWindow;
  else {
    static_assert(std::is_same_v<T, ConvolutionDimensions>, "this member type has no FieldKind");
    return FieldKind::kConvolutionDimensions;
  }
}
}  // namespace field_detail

/// Returns the description of one member: field<&ReduceAttributes::dimensions>("dimensions", FieldShow::kAlways).
template <auto MemberPointer>
constexpr AttributeField field(std::string_view name, FieldShow show,
                               std::span<const std::string_view> enum_names = {}) {
  using M = field_detail::Member<decltype(MemberPointer)>;
  return {
      name,
      field_detail::kind_of<typename M::Type>(),
      show,
      [](const Attributes& a) -> const void* { return &(static_cast<const typename M::Struct&>(a).*MemberPointer); },
      [](Attributes& a) -> void* { return &(static_cast<typename M::Struct&>(a).*MemberPointer); },
      enum_names};
}

/// Returns the value of a field. Precondition: T is the member's type.
template <typename T>
const T& field_value(const AttributeField& field, const Attributes& attributes) {
  return *static_cast<const T*>(field.get(attributes));
}
template <typename T>
T& field_value(const AttributeField& field, Attributes& attributes) {
  return *static_cast<T*>(field.get_mutable(attributes));
}

/// Compares or hashes field by field. Called computations are compared by their fingerprints.
bool fields_equal(std::span<const AttributeField> fields, const Attributes& a, const Attributes& b);
uint64_t fields_hash(std::span<const AttributeField> fields, const Attributes& attributes);

}  // namespace hilo::hlo
