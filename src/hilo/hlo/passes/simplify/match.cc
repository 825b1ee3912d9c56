// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/match.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "hilo/hlo/ops/reshape.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {
namespace {

ElementClass class_of(const Shape& shape) { return element_type_info(shape.element_type()).element_class; }

/// Calls test(x) with the scalar as its native type. Returns false for types without one.
template <typename Test>
bool test_scalar(const Literal* scalar, Test&& test) {
  if (scalar == nullptr) return false;
  return visit_array_type(
      scalar->shape().element_type(), [&]<typename T>() { return test(scalar->data<T>()[0]); }, [] { return false; });
}

template <typename T>
constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

bool is_positive_zero_or_nonzero(double x) { return x != 0 || !std::signbit(x); }

/// Returns x == value, where -0 is not 0.
template <typename T>
bool is_number(const T& x, double value) {
  if constexpr (kIsComplex<T>) {
    return x.real() == value && x.imag() == 0 && is_positive_zero_or_nonzero(x.real()) &&
           is_positive_zero_or_nonzero(x.imag());
  } else if constexpr (is_integral_element<T>) {
    // Callers pass small values only, so rounding of large integers can't make them equal.
    return static_cast<double>(x) == value && (value >= 0) == (x >= T(0));
  } else {
    const double d = static_cast<double>(static_cast<float>(x));
    if constexpr (std::is_same_v<T, double>) return x == value && is_positive_zero_or_nonzero(x);
    return d == value && is_positive_zero_or_nonzero(d);
  }
}

template <typename T>
bool is_negative_zero(const T& x) {
  if constexpr (kIsComplex<T>) {
    return x.real() == 0 && x.imag() == 0 && std::signbit(x.real()) && std::signbit(x.imag());
  } else if constexpr (is_integral_element<T>) {
    return x == T(0);
  } else {
    const double d = static_cast<double>(x);
    return d == 0 && std::signbit(d);
  }
}

}  // namespace

const Literal* constant_value(const RewriteBuilder& b, InstructionId id) {
  const RewriteNode* n = match(b, id, Opcode::kConstant);
  return n == nullptr ? nullptr : &attributes_of<ConstantAttributes>(*n).value;
}

const Literal* splat_value(const RewriteBuilder& b, InstructionId id) {
  if (const RewriteNode* broadcast = match(b, id, Opcode::kBroadcast)) id = broadcast->operand(0);
  const Literal* value = constant_value(b, id);
  return value != nullptr && value->shape().is_scalar() ? value : nullptr;
}

std::optional<int64_t> splat_integer(const RewriteBuilder& b, InstructionId id) {
  const Literal* scalar = splat_value(b, id);
  if (scalar == nullptr || !is_exact(scalar->shape())) return std::nullopt;
  return visit_array_type(
      scalar->shape().element_type(),
      [&]<typename T>() -> std::optional<int64_t> {
        if constexpr (is_integral_element<T>) {
          const T x = scalar->data<T>()[0];
          if (std::is_same_v<T, uint64_t> && static_cast<uint64_t>(x) > static_cast<uint64_t>(INT64_MAX))
            return std::nullopt;
          return static_cast<int64_t>(x);
        } else {
          return std::nullopt;
        }
      },
      []() -> std::optional<int64_t> { return std::nullopt; });
}

bool is_signed_integer(const Shape& shape) { return class_of(shape) == ElementClass::kSigned; }
bool is_unsigned_integer(const Shape& shape) { return class_of(shape) == ElementClass::kUnsigned; }
std::optional<int> log2_of_splat(const RewriteBuilder& b, InstructionId id) {
  const std::optional<int64_t> value = splat_integer(b, id);
  if (!value || *value <= 0 || !std::has_single_bit(static_cast<uint64_t>(*value))) return std::nullopt;
  return std::countr_zero(static_cast<uint64_t>(*value));
}

bool is_integer(const Shape& shape) { return is_signed_integer(shape) || is_unsigned_integer(shape); }
bool is_pred(const Shape& shape) { return class_of(shape) == ElementClass::kPred; }
bool is_float(const Shape& shape) { return class_of(shape) == ElementClass::kFloat; }
bool is_exact(const Shape& shape) { return is_pred(shape) || is_integer(shape); }

std::optional<FloatFormat> float_format(ElementType type) {
  if (type == ElementType::kF16) return FloatFormat{5, 11};
  if (type == ElementType::kBf16) return FloatFormat{8, 8};
  if (type == ElementType::kF32 || type == ElementType::kC64) return FloatFormat{8, 24};
  if (type == ElementType::kF64 || type == ElementType::kC128) return FloatFormat{11, 53};
  return std::nullopt;
}

bool is_splat_of(const RewriteBuilder& b, InstructionId id, double value) {
  return test_scalar(splat_value(b, id), [value](const auto& x) { return is_number(x, value); });
}

bool is_additive_identity(const RewriteBuilder& b, InstructionId id) {
  return test_scalar(splat_value(b, id), [](const auto& x) { return is_negative_zero(x); });
}

bool is_all_ones(const RewriteBuilder& b, InstructionId id) {
  return test_scalar(splat_value(b, id), []<typename T>(const T& x) {
    if constexpr (std::is_same_v<T, bool>) return x;
    else if constexpr (is_integral_element<T>) return x == static_cast<T>(~T(0));
    else return false;
  });
}

bool is_lowest(const RewriteBuilder& b, InstructionId id) {
  return test_scalar(splat_value(b, id), []<typename T>(const T& x) {
    if constexpr (is_integral_element<T>) return x == std::numeric_limits<T>::lowest();
    else if constexpr (kIsComplex<T>) return false;
    else return static_cast<double>(x) == -std::numeric_limits<double>::infinity();
  });
}

bool is_highest(const RewriteBuilder& b, InstructionId id) {
  return test_scalar(splat_value(b, id), []<typename T>(const T& x) {
    if constexpr (is_integral_element<T>) return x == std::numeric_limits<T>::max();
    else if constexpr (kIsComplex<T>) return false;
    else return static_cast<double>(x) == std::numeric_limits<double>::infinity();
  });
}

InstructionId splat_like(RewriteBuilder& b, const Shape& shape, double value) {
  return b.splat(shape, filled(Shape::scalar(shape.element_type()), value));
}

InstructionId sum_of_one(RewriteBuilder& b, InstructionId term) {
  const Shape shape = b.shape(term);
  const bool has_zero = shape.element_type() != ElementType::kF8E8M0Fnu;
  return is_float(shape) && has_zero ? b.add(Opcode::kAdd, {term, splat_like(b, shape, 0)}) : term;
}

InstructionId reassociate_constants(RewriteBuilder& b, const RewriteNode& n) {
  if (!is_exact(n.shape)) return kNoInstruction;
  const auto is_splat = [](const RewriteBuilder& builder, InstructionId id) {
    return splat_value(builder, id) != nullptr;
  };
  const std::optional<InstructionId> outer = other_operand(b, n, is_splat);
  if (!outer) return kNoInstruction;
  const InstructionId outer_constant = *outer == n.operand(0) ? n.operand(1) : n.operand(0);
  const RewriteNode* nested = match(b, *outer, n.opcode);
  if (nested == nullptr) return kNoInstruction;
  const std::optional<InstructionId> x = other_operand(b, *nested, is_splat);
  if (!x || is_splat(b, *x)) return kNoInstruction;
  const InstructionId inner_constant = *x == nested->operand(0) ? nested->operand(1) : nested->operand(0);
  return b.add(n.opcode, {*x, b.add(n.opcode, {inner_constant, outer_constant})});
}

}  // namespace hilo::hlo
