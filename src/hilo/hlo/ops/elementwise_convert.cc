// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/elementwise_rows.h"

namespace hilo::hlo {
namespace {

template <typename T>
inline constexpr bool is_half = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

/// Narrows with the last bit set if anything was lost, so that rounding once more to 16 bits rounds as if it were once.
float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value) || std::isinf(nearest)) return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  // One step toward zero if it was rounded away from it.
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1u);
}

/// Saturates; NaN gives 0.
template <typename To, typename From>
To float_to_integer(From value) {
  if (std::isnan(value)) return To{0};
  // The limits as floats: MIN is exact, MAX + 1 is a power of two and exact.
  constexpr From kLow = static_cast<From>(std::numeric_limits<To>::min());
  const From end = std::ldexp(From{1}, std::numeric_limits<To>::digits);
  if (value <= kLow) return std::numeric_limits<To>::min();
  if (value >= end) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

/// Integers reach f16 and bf16 through float, as in XLA; doubles are rounded once.
template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_half<From>) {
    return convert<To, float>(static_cast<float>(value));
  } else if constexpr (is_half<To>) {
    if constexpr (std::is_same_v<From, double>) return To(round_to_odd(value));
    else if constexpr (std::is_same_v<From, std::complex<double>>) return To(round_to_odd(value.real()));
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
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
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

}  // namespace

StatusOr<Literal> evaluate_convert(const EvaluateInput& input) {
  const Literal& operand = *input.operands[0];
  const Shape shape = input.instruction.shape.with_default_layout();
  if (operand.shape().element_type() == shape.element_type()) return operand;
  HILO_ASSIGN_OR_RETURN(Literal out, Literal::make(shape));
  const bool done = visit_element_type(
      operand.shape().element_type(),
      [&]<typename From>() {
        return visit_element_type(
            shape.element_type(),
            [&]<typename To>() {
              convert_all<From, To>(operand, out);
              return true;
            },
            [] { return false; });
      },
      [] { return false; });
  if (!done) {
    return unimplemented("convert of " + std::string(element_type_name(operand.shape().element_type())) + " to " +
                         std::string(element_type_name(shape.element_type())) + " is not implemented in this version");
  }
  return out;
}

}  // namespace hilo::hlo
