// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/elementwise.h"

#include <limits>
#include <numbers>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/lax/broadcasting.h"
#include "hilo/lax/in_wide.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/custom_jvp.h"

namespace hilo::lax {

namespace {

/// Returns y; an integer exponent of an inexact base is converted to the base's type, as in JAX's pow.
template <hlo::Opcode kOpcode>
Array second_operand(const Array& x, const Array& y) {
  if constexpr (kOpcode == hlo::Opcode::kPower) {
    const bool inexact = is_floating(x.dtype()) || is_complex(x.dtype());
    if (inexact && is_integer(y.dtype())) return with_weak_type(ops::convert_element_type(y, x.dtype()), y.weak_type());
  }
  return y;
}

}  // namespace

#define HILO_LAX_1(enumerator, lax_name)   \
  Array lax_name(const Operand& x) {       \
    const UserLocation here(x.location()); \
    return ops::lax_name(x.array());       \
  }
#define HILO_LAX_2(enumerator, lax_name)                                                          \
  Array lax_name(const Operand& x, const Operand& y) {                                            \
    const UserLocation here(x.location());                                                        \
    return spread(#lax_name, x, second_operand<hlo::Opcode::k##enumerator>(x, y), ops::lax_name); \
  }
#define HILO_LAX_3(enumerator, lax_name)                                 \
  Array lax_name(const Operand& x, const Operand& y, const Operand& z) { \
    const UserLocation here(x.location());                               \
    return ops::lax_name(x.array(), y.array(), z.array());               \
  }
#define HILO_ELEMENTWISE(enumerator, name, lax_name, arity, ...) HILO_LAX_##arity(enumerator, lax_name)
#define HILO_ELEMENTWISE_DECLARED(...)
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE

HILO_LAX_2(Compare, eq)
HILO_LAX_2(Compare, ne)
HILO_LAX_2(Compare, ge)
HILO_LAX_2(Compare, gt)
HILO_LAX_2(Compare, le)
HILO_LAX_2(Compare, lt)
HILO_LAX_2(Complex, complex)
#undef HILO_LAX_1
#undef HILO_LAX_2
#undef HILO_LAX_3

Array mul_with_out_dtype(const Operand& x, const Operand& y, const OutDtypeOption& options) {
  if (!options.out_dtype) return mul(x, y);
  const UserLocation here(x.location());
  return mul(convert_element_type(x, *options.out_dtype), convert_element_type(y, *options.out_dtype));
}

Array convert_element_type(const Operand& x, ElementType type) {
  const UserLocation here(x.location());
  return ops::convert_element_type(x.array(), requested_type("convert_element_type", type));
}

Array round(const Operand& x, RoundingMethod rounding_method) {
  return rounding_method == RoundingMethod::AWAY_FROM_ZERO ? round_away_from_zero(x) : round_to_even(x);
}

Array square(const Operand& x) {
  const UserLocation here(x.location());
  return ops::mul(x, x);
}

Array reciprocal(const Operand& x) { return integer_pow(x, -1); }

namespace {

/// Computes factor 2^x as e^(x ln 2) in two parts, so that a factor below 1 delays overflow. Adds the rounding error of
/// x ln 2, which e^ would multiply by its magnitude.
Array power_of_two(const Array& x, double factor) {
  const bool wide = x.dtype() == ElementType::kF64;
  const double high = wide ? std::numbers::ln2 : static_cast<float>(std::numbers::ln2);
  const double low = wide ? 0x1.abc9e3b39803fp-56 : std::numbers::ln2 - high;
  const Array ln2 = ops::full_like(x, high), power = ops::mul(x, ln2);
  const Array lost = ops::add(bind_one(hlo::kExtFma, {x, ln2, ops::neg(power)}), ops::mul(x, ops::full_like(x, low)));
  const Array root = ops::exp(ops::mul(power, ops::full_like(x, 0.5)));
  const Array finite = ops::is_finite(ops::mul(power, root));
  const Array exact = ops::add(root, ops::select(finite, ops::mul(root, lost), ops::full_like(x, 0)));
  return factor == 1 ? ops::mul(root, exact) : ops::mul(ops::mul(root, ops::full_like(x, factor)), exact);
}
Array power_of_two_with_rule(const Array& x, double factor) {
  return custom_jvp([factor](const Array& a) { return power_of_two(a, factor); })
      .defjvps([factor](const Array& t, const Array&, const Array& a) {
        return ops::mul(t, power_of_two_with_rule(a, factor * std::numbers::ln2));
      })(x);
}

/// Computes 1 / x^n for n > 1. Its derivative by the quotient rule would divide by x^(2 n), which overflows.
Array inverse_power(const Array& x, int64_t n) {
  const auto value = [n](const Array& a) {
    const Array one = ops::full_like(a, 1);
    // The inverse of an infinite complex number is NaN.
    return is_complex(a.dtype()) ? integer_pow(ops::div(one, a), n) : ops::div(one, integer_pow(a, n));
  };
  return custom_jvp(value).defjvps([n](const Array& t, const Array&, const Array& a) {
    return ops::mul(t, ops::mul(ops::full_like(a, -static_cast<double>(n)), inverse_power(a, n + 1)));
  })(x);
}

}  // namespace

Array exp2(const Operand& x) {
  const UserLocation here(x.location());
  if (is_complex(x.array().dtype())) return ops::exp(ops::mul(x, ops::full_like(x, std::numbers::ln2)));
  return in_wide("exp2", {x}, [](std::span<const Array> a) { return power_of_two_with_rule(a[0], 1); });
}

Array log2(const Operand& x) {
  const UserLocation here(x.location());
  return ops::mul(ops::log(x.array()), ops::full_like(x.array(), std::numbers::log2e));
}

Array one_minus_square(const Operand& x) {
  const UserLocation here(x.location());
  const auto value = [](const Array& a) {
    const Array one = ops::full_like(a, 1);
    return ops::mul(ops::add(one, a), ops::sub(one, a));
  };
  // The derivative of the product would cancel near 0.
  return custom_jvp(value).defjvps([](const Array& t, const Array&, const Array& a) {
    return ops::mul(t, ops::mul(ops::full_like(a, -2), a));
  })(x.array());
}

Array polynomial(const Operand& x, const std::vector<Array>& coeffs) {
  const UserLocation here(x.location());
  const Array& at = x.array();
  if (coeffs.empty()) return ops::full_like(at, 0);
  const auto converted = [&](const Array& coefficient) {
    const Array a = ops::convert_element_type(coefficient, at.dtype());
    return a.ndim() == 0 ? over({at.shape().begin(), at.shape().end()}, a) : a;
  };
  Array sum = converted(coeffs.back());
  for (size_t i = coeffs.size() - 1; i-- > 0;)
    sum = spread("polynomial", spread("polynomial", sum, at, ops::mul), converted(coeffs[i]), ops::add);
  sum = spread("polynomial", sum, at, [](const Array& a, const Array&) { return a; });  // of one coefficient
  return with_weak_type(sum, at.weak_type());
}

Array integer_pow(const Operand& x, int64_t y) {
  const UserLocation here(x.location());
  const Array& base = x.array();
  const Array one = with_weak_type(ops::full_like(base, 1), base.weak_type());
  if (y < 0 && (is_integer(base.dtype()) || base.dtype() == ElementType::kPred))
    or_throw(invalid_argument(at_user_line("integer_pow") + ": integers can't be raised to negative powers; got " +
                              base.aval_shape().to_string() + " to " + std::to_string(y)));
  if (y < -1 && y != std::numeric_limits<int64_t>::min()) {
    const bool narrow = element_size_bytes(base.dtype()) < 4;  // powers of narrow types overflow early
    const Array wide = narrow ? ops::convert_element_type(base, ElementType::kF32) : base;
    return with_weak_type(ops::convert_element_type(inverse_power(wide, -y), base.dtype()), base.weak_type());
  }
  std::optional<Array> result;
  Array square = base;
  for (uint64_t rest = y < 0 ? uint64_t{0} - static_cast<uint64_t>(y) : static_cast<uint64_t>(y); rest != 0;) {
    if (rest & 1) result = result ? ops::mul(*result, square) : square;
    rest >>= 1;
    if (rest != 0) square = ops::mul(square, square);
  }
  if (!result) return one;
  return y < 0 ? ops::div(one, *result) : *result;
}

Array conj(const Operand& x) {
  const UserLocation here(x.location());
  const Array& z = x.array();
  if (is_complex(z.dtype())) return ops::complex(ops::real(z), ops::neg(ops::imag(z)));
  return ops::complex(z, with_weak_type(ops::full_like(z, 0), z.weak_type()));
}

Array reduce_precision(const Operand& x, int64_t exponent_bits, int64_t mantissa_bits) {
  const UserLocation here(x.location());
  return ops::reduce_precision(x.array(), exponent_bits, mantissa_bits);
}

}  // namespace hilo::lax
