// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/floating_point.h"
#include "hilo/hlo/ops/elementwise_rows.h"

namespace hilo::hlo {
namespace {

/// Whether doubles are rounded to T in one step.
template <typename T>
constexpr bool rounds_once = false;
template <int kExponentBits, int kMantissaBits, int kBias, Specials kSpecials>
constexpr bool rounds_once<NarrowFloat<kExponentBits, kMantissaBits, kBias, kSpecials>> =
    kSpecials != Specials::kUnsigned;

/// Saturates; NaN becomes 0.
template <typename To, typename From>
To float_to_integer(From value) {
  if (std::isnan(value)) return To(0);
  // The limits as floats: MIN is exact, MAX + 1 is a power of two and exact.
  const From low = static_cast<From>(std::numeric_limits<To>::min());
  const From end = std::ldexp(From{1}, std::numeric_limits<To>::digits);
  if (value <= low) return std::numeric_limits<To>::min();
  if (value >= end) return std::numeric_limits<To>::max();
  if constexpr (is_narrow_integer_twin<To>) return To(static_cast<int>(value));
  else return static_cast<To>(value);
}

/// As in XLA, integers are converted to f16 and narrower floats through float, and so are doubles to f16 and bf16.
/// Doubles are rounded to floats of 8 bits and fewer in one step. f8e8m0fnu has no zero for numbers that vanish in
/// float.
template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (computes_in_float<From>) {
    return convert<To, float>(static_cast<float>(value));
  } else if constexpr (computes_in_float<To>) {
    if constexpr (kernels::is_complex<From>) return convert<To, typename From::value_type>(value.real());
    else if constexpr (std::is_same_v<From, double> && rounds_once<To>) return To(round_to_odd(value));
    else return To(convert<float, From>(value));
  } else if constexpr (kernels::is_complex<To>) {
    using Part = typename To::value_type;
    if constexpr (kernels::is_complex<From>)
      return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    else return To(convert<Part, From>(value), Part{0});
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (kernels::is_complex<From>) {
    return convert<To, typename From::value_type>(value.real());
  } else if constexpr (is_integral_element<To> && std::is_floating_point_v<From>) {
    return float_to_integer<To, From>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <typename From, typename To>
void convert_all(const Literal& operand, Literal& out) {
  const std::span<const From> from = operand.data<From>();
  const std::span<To> to = out.data<To>();
  for (size_t i = 0; i < to.size(); ++i) to[i] = convert<To, From>(from[i]);
}

/// The native type that holds all values of a type of at most 8 bits: float or an 8-bit integer.
template <typename T>
auto widened(T value) {
  if constexpr (is_narrow_float_twin<T>) return static_cast<float>(value);
  else return static_cast<typename T::Byte>(value);
}

/// Converts a narrow type to a native type of C++, so that conversions don't have to be compiled for all pairs.
StatusOr<Literal> widen(const Literal& operand) {
  const Shape& shape = operand.shape();
  const ElementType type = is_floating(shape.element_type())         ? ElementType::kF32
                           : is_signed_integer(shape.element_type()) ? ElementType::kS8
                                                                     : ElementType::kU8;
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(shape.with_element_type(type)));
  visit_array_type(
      shape.element_type(),
      [&]<typename T>() {
        if constexpr (is_narrow_float_twin<T> || is_narrow_integer_twin<T>) {
          const std::span<const T> from = operand.data<T>();
          const auto to = out.data<decltype(widened(T()))>();
          for (size_t i = 0; i < to.size(); ++i) to[i] = widened(from[i]);
        }
      },
      [] {});
  return out;
}

/// XLA treats the largest value of f4e2m1fn, whose exponent is all ones, as an infinity in conversions to integers.
void largest_becomes_infinity(Literal& widened) {
  for (float& value : widened.data<float>()) {
    if (std::fabs(value) == 6.0f) value = std::copysign(std::numeric_limits<float>::infinity(), value);
  }
}

bool is_narrow(ElementType type) {
  const int bits = element_type_info(type).bits;
  return (is_integer(type) && bits < 8) || (is_floating(type) && bits <= 8);
}

}  // namespace

float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value) || std::isinf(nearest)) return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  // If it was rounded away from zero, steps back toward zero.
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1u);
}

StatusOr<Literal> evaluate_convert(const EvaluateInput& input) {
  return convert_literal(*input.operands[0], input.instruction.shape.element_type());
}

StatusOr<Literal> convert_literal(Literal operand, ElementType type) {
  if (operand.shape().element_type() == type) return operand;
  if (const ElementType from = operand.shape().element_type(); is_narrow(from)) {
    HILO_ASSIGN_OR_RETURN(operand, widen(operand));
    if (from == ElementType::kF4E2M1Fn && is_integer(type)) largest_becomes_infinity(operand);
    if (operand.shape().element_type() == type) return operand;
  }
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(operand.shape().with_element_type(type).with_default_layout()));
  const FloatingPointScope nearest;
  visit_array_type(
      operand.shape().element_type(),
      [&]<typename From>() {
        if constexpr (!is_narrow_float_twin<From> && !is_narrow_integer_twin<From>) {
          visit_array_type(type, [&]<typename To>() { convert_all<From, To>(operand, out); }, [] {});
        }
      },
      [] {});
  return out;
}

}  // namespace hilo::hlo
