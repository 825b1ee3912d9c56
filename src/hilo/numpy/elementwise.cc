// SPDX-License-Identifier: Apache-2.0
// numpy/elementwise.cc -- elementwise functions of several ops; ufuncs.cc has those of one op.
#include "hilo/numpy/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hilo/lax/bessel.h"
#include "hilo/lax/elementwise.h"
#include "hilo/lax/in_wide.h"
#include "hilo/lax/special.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/custom_jvp.h"

namespace hilo::numpy {
namespace {

constexpr double kLog2 = 0.6931471805599453, kLog10 = 2.302585092994046;

Array constant_like(const Array& like, double value) { return ops::full_like(like, value); }

bool is_exact(const Array& x) { return x.dtype() == ElementType::kPred || is_integer(x.dtype()); }

Array of_flag(const Array& x, bool value) {
  return ops::full(x.aval_shape().with_element_type(ElementType::kPred), value);
}

/// The unsigned type as wide as a float type, and the layout of the float.
struct Bits {
  ElementType integer;
  int mantissa, exponent, bias;
};
Bits bits_of(const char* function, const Array& x) {
  using enum ElementType;
  switch (x.dtype()) {
    case kF64: return {kS64, 52, 11, 1023};
    case kF32: return {kS32, 23, 8, 127};
    case kF16: return {kS16, 10, 5, 15};
    case kBf16: return {kS16, 7, 8, 127};
    default: break;
  }
  throw Error(
      invalid_argument(at_user_line(function) + ": wanted f16, bf16, f32 or f64; got " + x.aval_shape().to_string()));
}

/// Returns 2^n as a float, for n within the exponent range.
Array power_of_two(const Array& n, const Bits& bits, ElementType type) {
  const Array shifted = ops::shift_left(ops::add(n, constant_like(n, bits.bias)), constant_like(n, bits.mantissa));
  return ops::bitcast_convert(shifted, type);
}

/// Promotes two integers or booleans to one type; booleans stay booleans.
std::pair<Array, Array> exact_pair(const char* function, const Operand& x, const Operand& y) {
  const auto [a, b] = promote(x.array(), y.array());
  if (!is_exact(a))
    or_throw(invalid_argument(at_user_line(function) + ": wanted integers; got " + x.array().aval_shape().to_string() +
                              " and " + y.array().aval_shape().to_string()));
  return {a, b};
}

Array shifted(const char* function, const Operand& x, const Operand& y, bool left) {
  const UserLocation here(x.location());
  auto [a, b] = exact_pair(function, x, y);
  if (a.dtype() == ElementType::kPred) {
    a = ops::convert_element_type(a, ElementType::kS32);
    b = ops::convert_element_type(b, ElementType::kS32);
  }
  if (left) return ops::shift_left(a, b);
  return is_unsigned_integer(a.dtype()) ? ops::shift_right_logical(a, b) : ops::shift_right_arithmetic(a, b);
}

template <typename Op>
Array bitwise(const char* function, const Operand& x, const Operand& y, const Op& op) {
  const UserLocation here(x.location());
  const auto [a, b] = exact_pair(function, x, y);
  return op(a, b);
}

/// Returns the floor of the quotient, and the remainder with the divisor's sign.
std::pair<Array, Array> float_divmod(const Array& x, const Array& y) {
  const Array rest = ops::rem(x, y), zero = constant_like(x, 0);
  const Array wrong = ops::bitwise_and(ops::ne(rest, zero), ops::ne(ops::sign(y), ops::sign(rest)));
  const Array quotient = ops::div(ops::select(ops::eq(y, zero), x, ops::sub(x, rest)), y);
  return {ops::round_to_even(ops::select(wrong, ops::sub(quotient, constant_like(x, 1)), quotient)),
          ops::select(wrong, ops::add(rest, y), rest)};
}

Array integer_floor_divide(const Array& x, const Array& y) {
  const Array quotient = ops::div(x, y);
  if (is_unsigned_integer(x.dtype())) return quotient;
  const Array down =
      ops::bitwise_and(ops::ne(ops::sign(x), ops::sign(y)), ops::ne(ops::rem(x, y), constant_like(x, 0)));
  return ops::select(down, ops::sub(quotient, constant_like(x, 1)), quotient);
}

/// Promotes both to one type; booleans become s32, also with x64.
std::pair<Array, Array> numbers(const Array& x, const Array& y) {
  const auto [a, b] = promote(x, y);
  if (a.dtype() != ElementType::kPred) return {a, b};
  return {ops::convert_element_type(a, ElementType::kS32), ops::convert_element_type(b, ElementType::kS32)};
}

}  // namespace

Array absolute(const Operand& x) { return abs(x); }
Array bitwise_count(const Operand& x) {
  const UserLocation here(x.location());
  const Array a = x.array().dtype() == ElementType::kPred ? ops::convert_element_type(x, ElementType::kU8) : x.array();
  if (!is_integer(a.dtype()))
    or_throw(invalid_argument(at_user_line("bitwise_count") + ": wanted integers; got " + a.aval_shape().to_string()));
  const Array positive = is_signed_integer(a.dtype()) ? ops::abs(a) : a;
  return ops::convert_element_type(ops::population_count(positive), ElementType::kU8);
}
Array bitwise_not(const Operand& x) {
  const UserLocation here(x.location());
  if (!is_exact(x))
    or_throw(
        invalid_argument(at_user_line("bitwise_not") + ": wanted integers; got " + x.array().aval_shape().to_string()));
  return ops::bitwise_not(x.array());
}
Array bitwise_invert(const Operand& x) { return bitwise_not(x); }
Array invert(const Operand& x) { return bitwise_not(x); }
Array real(const Operand& x) {
  const UserLocation here(x.location());
  return is_complex(x.array().dtype()) ? ops::real(x.array()) : x.array();
}
Array imag(const Operand& x) {
  const UserLocation here(x.location());
  return is_complex(x.array().dtype()) ? ops::imag(x.array()) : ops::full_like(x.array(), 0);
}
Array conj(const Operand& x) {
  const UserLocation here(x.location());
  if (!is_complex(x.array().dtype())) return x.array();
  return ops::complex(ops::real(x.array()), ops::neg(ops::imag(x.array())));
}
Array conjugate(const Operand& x) { return conj(x); }
Array angle(const Operand& z, bool deg) {
  const UserLocation here(z.location());
  const Array& x = z.array();
  // f64 with x64, as in JAX; also for real scalars.
  const bool widens = is_exact(x) || (x.ndim() == 0 && is_floating(x.dtype()));
  const Array a = widens ? ops::convert_element_type(x, default_float()) : x;
  const Array radians_of = atan2(imag(a), real(a));
  return deg ? rad2deg(radians_of) : radians_of;
}
Array deg2rad(const Operand& x) {
  const UserLocation here(x.location());
  const Array a = promote_inexact(x.array());
  return weak_number(ops::mul(a, constant_like(a, pi / 180)), a.weak_type());
}
Array radians(const Operand& x) { return deg2rad(x); }
Array rad2deg(const Operand& x) {
  const UserLocation here(x.location());
  const Array a = promote_inexact(x.array());
  return weak_number(ops::mul(a, constant_like(a, 180 / pi)), a.weak_type());
}
Array degrees(const Operand& x) { return rad2deg(x); }
Array erf(const Operand& x) {
  const UserLocation here(x.location());
  return ops::erf(promote_inexact(x.array()));
}
Array exp2(const Operand& x) {
  const UserLocation here(x.location());
  return lax::exp2(promote_inexact(x.array()));
}
namespace {
/// Returns log(x) / scale; computed in f32 for 16-bit floats, where second derivatives would overflow.
Array log_over(const Array& x, double scale) {
  const Array a = not_weak(promote_inexact(x));
  const bool narrow = element_size_bytes(a.dtype()) < 4;
  const Array value = log(narrow ? ops::convert_element_type(a, ElementType::kF32) : a) / scale;
  return ops::convert_element_type(value, a.dtype());
}
}  // namespace
Array log2(const Operand& x) {
  const UserLocation here(x.location());
  // the result of log10 is never weakly typed, as in JAX
  return with_weak_type(log_over(x, kLog2), promote_inexact(x.array()).weak_type());
}
Array log10(const Operand& x) {
  const UserLocation here(x.location());
  return log_over(x, kLog10);
}
Array fabs(const Operand& x) {
  const UserLocation here(x.location());
  return ops::abs(promote_inexact(x.array()));
}
Array i0(const Operand& x) {
  const UserLocation here(x.location());
  return lax::bessel_i0(promote_inexact(x.array()));
}
Array trunc(const Operand& x) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  return is_exact(a) ? a : ops::select(ops::lt(a, constant_like(a, 0)), ops::ceil(a), ops::floor(a));
}
Array fix(const Operand& x) { return trunc(x); }
Array rint(const Operand& x) {
  const UserLocation here(x.location());
  const Array a = is_exact(x) ? ops::convert_element_type(x, default_float()) : x.array();  // f64 with x64, as in JAX
  return is_complex(a.dtype()) ? ops::complex(ops::round_to_even(ops::real(a)), ops::round_to_even(ops::imag(a)))
                               : ops::round_to_even(a);
}
Array round(const Operand& a, int64_t decimals) {
  const UserLocation here(a.location());
  const Array& x = a.array();
  if (is_exact(x)) {
    if (decimals < 0)
      or_throw(unimplemented(at_user_line("round") + ": integers with decimals < 0 are not implemented, as in JAX"));
    return x;
  }
  if (decimals == 0) return rint(x);
  const ElementType part = real_type_of(x.dtype());
  if (part == ElementType::kF16 || part == ElementType::kBf16)
    return ops::convert_element_type(round(ops::convert_element_type(x, ElementType::kF32), decimals), x.dtype());
  const double factor = std::pow(10.0, static_cast<double>(decimals));
  return ops::div(rint(ops::mul(x, constant_like(x, factor))), constant_like(x, factor));
}
Array around(const Operand& a, int64_t decimals) { return round(a, decimals); }

Array isfinite(const Operand& x) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  if (is_exact(a)) return of_flag(a, true);
  if (is_complex(a.dtype())) return ops::bitwise_and(ops::is_finite(ops::real(a)), ops::is_finite(ops::imag(a)));
  return ops::is_finite(a);
}
Array isinf(const Operand& x) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  if (is_exact(a)) return of_flag(a, false);
  if (is_complex(a.dtype())) return ops::bitwise_or(isinf(ops::real(a)), isinf(ops::imag(a)));
  return with_weak_type(ops::eq(ops::abs(a), constant_like(a, inf)), false);
}
Array isnan(const Operand& x) {
  const UserLocation here(x.location());
  return ops::ne(x.array(), x.array());
}
Array isneginf(const Operand& x) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  if (is_complex(a.dtype()))
    or_throw(invalid_argument(at_user_line("isneginf") + ": is not well-defined for complex values"));
  return is_exact(a) ? of_flag(a, false) : not_weak(ops::eq(a, constant_like(a, -inf)));
}
Array isposinf(const Operand& x) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  if (is_complex(a.dtype()))
    or_throw(invalid_argument(at_user_line("isposinf") + ": is not well-defined for complex values"));
  return is_exact(a) ? of_flag(a, false) : not_weak(ops::eq(a, constant_like(a, inf)));
}
Array iscomplex(const Operand& x) {
  const UserLocation here(x.location());
  const Array i = imag(x);
  return weak_number(ops::ne(i, constant_like(i, 0)), i.weak_type());
}
Array isreal(const Operand& x) {
  const UserLocation here(x.location());
  const Array i = imag(x);
  return weak_number(ops::eq(i, constant_like(i, 0)), i.weak_type());
}
Array positive(const Operand& x) { return x.array(); }
Array reciprocal(const Operand& x) {
  const UserLocation here(x.location());
  const Array a = promote_inexact(x.array());
  return ops::div(constant_like(a, 1), a);
}
Array signbit(const Operand& x) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  if (a.dtype() == ElementType::kPred || is_unsigned_integer(a.dtype())) return of_flag(a, false);
  if (is_integer(a.dtype())) return with_weak_type(ops::lt(a, constant_like(a, 0)), false);
  const Array integer = ops::bitcast_convert(a, bits_of("signbit", a).integer);
  return ops::lt(integer, constant_like(integer, 0));
}
namespace {
/// Returns sin(y) / y. Near 0 it uses the power series, whose derivatives don't cancel.
Array sine_over(const Array& y, const Array& sine) {
  const Array near = ops::lt(ops::abs(y), ops::full_like(ops::abs(y), 1.5));
  const Array square_of = square(ops::select(near, y, constant_like(y, 0)));
  constexpr int kTerms = 13;
  double coefficients[kTerms] = {1};
  for (int k = 1; k < kTerms; ++k) coefficients[k] = -coefficients[k - 1] / (2.0 * k * (2 * k + 1));
  Array sum = constant_like(y, coefficients[kTerms - 1]);
  for (int k = kTerms - 1; k-- > 0;) sum = sum * square_of + coefficients[k];
  return ops::select(near, sum, sine / ops::select(near, constant_like(y, 1), y));
}
}  // namespace
Array sinc(const Operand& x) {
  const UserLocation here(x.location());
  const Array typed = promote_inexact(x.array()), strong = not_weak(typed);
  const bool narrow = element_size_bytes(strong.dtype()) < 4;
  const Array a = narrow ? ops::convert_element_type(strong, ElementType::kF32) : strong;
  if (is_complex(a.dtype())) return weak_number(sine_over(a * pi, sin(a * pi)), typed.weak_type());
  // sin(pi x) of the distance to the nearest integer, which is exact, with the sign of that integer's parity.
  const Array whole = ops::round_to_even(a), half = whole * 0.5;
  const Array sign = 1.0 - 4.0 * ops::abs(ops::sub(half, ops::round_to_even(half)));
  const Array value = sine_over(a * pi, sign * sin(ops::sub(a, whole) * pi));
  return weak_number(ops::convert_element_type(value, strong.dtype()), typed.weak_type());
}
Array spacing(const Operand& x) {
  const UserLocation here(x.location());
  const Array a = promote_inexact(x.array());
  const Array away = copysign(constant_like(a, inf), a);
  const Array gap = ops::sub(lax::nextafter(a, away), a);
  return not_weak(ops::select(isfinite(a), gap, constant_like(a, nan)));
}

std::pair<Array, Array> modf(const Operand& x) {
  const UserLocation here(x.location());
  const Array a = promote_inexact(x.array());
  const Array whole = trunc(a);
  return {ops::sub(a, whole), whole};
}

std::pair<Array, Array> frexp(const Operand& x) {
  const UserLocation here(x.location());
  const Array a = promote_inexact(x.array());
  const Bits bits = bits_of("frexp", a);
  const double scale = std::ldexp(1.0, bits.mantissa), tiny = std::ldexp(1.0, 1 - bits.bias);
  const Array subnormal = ops::lt(ops::abs(a), constant_like(a, tiny));
  const Array normal = ops::select(subnormal, ops::mul(a, constant_like(a, scale)), a);
  const Array integer = ops::bitcast_convert(normal, bits.integer);
  const Array mask = constant_like(integer, std::ldexp(1.0, bits.exponent) - 1),
              width = constant_like(integer, bits.mantissa);
  const Array field = ops::bitwise_and(ops::shift_right_logical(integer, width), mask);
  const Array added = ops::select(subnormal, constant_like(integer, -bits.mantissa), constant_like(integer, 0));
  const Array exponent = ops::add(added, ops::sub(field, constant_like(integer, bits.bias - 1)));
  // Both factors are powers of two, so that the product is exact and has a derivative. A single factor may be too small
  // for a float.
  const Array power = ops::shift_left(ops::sub(constant_like(integer, 2 * bits.bias + 1), field), width);
  const Array mantissa = ops::mul(ops::mul(normal, ops::bitcast_convert(power, a.dtype())), constant_like(a, 0.25));
  const Array special = ops::bitwise_or(ops::bitwise_not(isfinite(a)), ops::eq(a, constant_like(a, 0)));
  return {ops::select(special, a, mantissa),
          ops::convert_element_type(ops::select(special, constant_like(integer, 0), exponent), ElementType::kS32)};
}

Array nan_to_num(const Operand& x, const NanToNumOptions& options) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  if (is_exact(a)) return a;
  if (is_complex(a.dtype())) return ops::complex(nan_to_num(ops::real(a), options), nan_to_num(ops::imag(a), options));
  const FloatInfo info = finfo(a.dtype());
  const auto put = [&](const Array& condition, const std::optional<Array>& value, double otherwise, const Array& into) {
    const Array replaced = ops::convert_element_type(value ? *value : Array(otherwise), a.dtype());
    return ops::select(condition, spread_to(replaced, a.shape()), into);
  };
  Array out = put(isnan(a), options.nan, 0, a);
  out = put(isposinf(a), options.posinf, info.max, out);
  return with_weak_type(put(isneginf(a), options.neginf, info.min, out), false);  // never weakly typed, as in JAX
}

Array atan2(const Operand& x, const Operand& y) { return arctan2(x, y); }
Array calls::bitwise_and(const Operand& x, const Operand& y) { return bitwise("bitwise_and", x, y, ops::bitwise_and); }
Array calls::bitwise_or(const Operand& x, const Operand& y) { return bitwise("bitwise_or", x, y, ops::bitwise_or); }
Array calls::bitwise_xor(const Operand& x, const Operand& y) { return bitwise("bitwise_xor", x, y, ops::bitwise_xor); }
Array left_shift(const Operand& x, const Operand& y) { return shifted("left_shift", x, y, true); }
Array bitwise_left_shift(const Operand& x, const Operand& y) { return shifted("bitwise_left_shift", x, y, true); }
Array right_shift(const Operand& x, const Operand& y) { return shifted("right_shift", x, y, false); }
Array bitwise_right_shift(const Operand& x, const Operand& y) { return shifted("bitwise_right_shift", x, y, false); }
Array copysign(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [a, b] = promote_inexact(x.array(), y.array());
  const Array size = ops::abs(a);
  return ops::select(signbit(b), ops::neg(size), size);
}
Array equal(const Operand& x, const Operand& y) { return x == y; }
Array not_equal(const Operand& x, const Operand& y) { return x != y; }
Array greater(const Operand& x, const Operand& y) { return x > y; }
Array greater_equal(const Operand& x, const Operand& y) { return x >= y; }
Array less(const Operand& x, const Operand& y) { return x < y; }
Array less_equal(const Operand& x, const Operand& y) { return x <= y; }
Array float_power(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [a, b] = promote_inexact(x.array(), y.array());
  return ops::pow(a, b);
}
Array floor_divide(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [a, b] = numbers(x, y);
  return is_integer(a.dtype()) ? integer_floor_divide(a, b) : float_divmod(a, b).first;
}
std::pair<Array, Array> divmod(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [a, b] = numbers(x, y);
  if (is_integer(a.dtype())) return {integer_floor_divide(a, b), remainder(a, b)};
  return float_divmod(a, b);
}
Array fmax(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [a, b] = promote(x.array(), y.array());
  return ops::select(ops::bitwise_or(greater(a, b), isnan(b)), a, b);
}
Array fmin(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [a, b] = promote(x.array(), y.array());
  return ops::select(ops::bitwise_or(less(a, b), isnan(b)), a, b);
}
Array fmod(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [a, b] = numbers(x, y);
  if (!is_integer(a.dtype())) return ops::rem(a, b);
  return ops::rem(a, ops::select(ops::eq(b, constant_like(b, 0)), constant_like(b, 1), b));
}
Array heaviside(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [a, b] = promote_inexact(x.array(), y.array());
  const Array zero = constant_like(a, 0);
  const Array step = ops::select(ops::lt(a, zero), zero, ops::select(ops::gt(a, zero), constant_like(a, 1), b));
  // weakly typed as in JAX
  return with_weak_type(ops::select(isnan(a), a, step), a.weak_type() && x.array().ndim() == 0);
}
Array hypot(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [p, q] = promote_inexact(x.array(), y.array());
  if (is_complex(p.dtype()))
    or_throw(invalid_argument(at_user_line("hypot") + ": does not support complex inputs; got " +
                              p.aval_shape().to_string()));
  // Computes |p + iq|, whose derivatives neither overflow nor cancel.
  return lax::in_wide("hypot", {p, q}, [](std::span<const Array> v) { return ops::abs(ops::complex(v[0], v[1])); });
}
Array ldexp(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  if (!is_exact(y))
    or_throw(invalid_argument(at_user_line("ldexp") + ": the exponent must be an integer; got " +
                              y.array().aval_shape().to_string()));
  const Array a = promote_inexact(x.array());
  const Bits bits = bits_of("ldexp", a);
  const std::vector<int64_t> shape = broadcast_shapes(a.shape(), y.array().shape());
  const int span = 2 * (bits.bias + bits.mantissa + 2);
  const Array exponent = ops::convert_element_type(spread_to(y, shape), ElementType::kS32);
  Array left = ops::clamp(constant_like(exponent, -span), exponent, constant_like(exponent, span));
  Array out = spread_to(a, shape);
  for (int i = 0; i < 3; ++i) {  // three factors span the whole exponent range
    const Array step = ops::clamp(constant_like(left, 1 - bits.bias), left, constant_like(left, bits.bias));
    out = ops::mul(out, power_of_two(ops::convert_element_type(step, bits.integer), bits, a.dtype()));
    left = ops::sub(left, step);
  }
  return out;
}
Array calls::logical_xor(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  return ops::bitwise_not(logical_not(x)) ^ ops::bitwise_not(logical_not(y));
}
Array mod(const Operand& x, const Operand& y) { return remainder(x, y); }
Array nextafter(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [a, b] = promote_inexact(x.array(), y.array());
  return lax::nextafter(a, b);
}
Array pow(const Operand& x, const Operand& y) { return power(x, y); }
Array true_divide(const Operand& x, const Operand& y) { return divide(x, y); }

Array clip(const Operand& arr, const Operand& min, const Operand& max) {
  return clip(arr, ClipOptions{.min = min.array(), .max = max.array()});
}
Array clip(const Operand& arr, const ClipOptions& options) {
  const UserLocation here(arr.location());
  Array out = arr.array();
  if (is_complex(out.dtype()))
    or_throw(
        invalid_argument(at_user_line("clip") + ": complex values have no order; got " + out.aval_shape().to_string()));
  if (options.min) out = maximum(*options.min, out);
  if (options.max) out = minimum(*options.max, out);
  return out;
}

Array isclose(const Operand& a, const Operand& b, const CloseOptions& options) {
  const UserLocation here(a.location());
  const auto [x, y] = promote(a.array(), b.array());
  if (is_exact(x)) {
    const auto [p, q] = promote_inexact(x, y);
    return isclose(p, q, options);
  }
  const ElementType part = real_type_of(x.dtype());
  const auto of_type = [&](double v) { return ops::scalar(v, part); };
  const Array limit =
      spread_to(of_type(options.atol), x.shape()) + spread_to(of_type(options.rtol), x.shape()) * abs(y);
  const Array near = ops::bitwise_and(ops::le(abs(ops::sub(x, y)), limit), ops::bitwise_and(isfinite(x), isfinite(y)));
  Array out = ops::bitwise_or(near, ops::eq(x, y));
  if (options.equal_nan) out = ops::bitwise_or(out, ops::bitwise_and(isnan(x), isnan(y)));
  return out;
}
Array allclose(const Operand& a, const Operand& b, const CloseOptions& options) {
  const UserLocation here(a.location());
  return numpy::all(isclose(a, b, options));
}
Array array_equal(const Operand& a1, const Operand& a2, bool equal_nan) {
  const UserLocation here(a1.location());
  if (!std::ranges::equal(a1.array().shape(), a2.array().shape())) return ops::scalar(0, ElementType::kPred);
  const Array same = a1.array() == a2.array();
  return numpy::all(equal_nan ? same | (isnan(a1) & isnan(a2)) : same);
}
Array array_equiv(const Operand& a1, const Operand& a2) {
  const UserLocation here(a1.location());
  const Shape x(a1.array().shape()), y(a2.array().shape());
  for (size_t i = 1; i <= std::min(x.size(), y.size()); ++i) {
    const int64_t p = x[x.size() - i], q = y[y.size() - i];
    if (p != q && p != 1 && q != 1) return ops::scalar(0, ElementType::kPred);
  }
  return numpy::all(a1.array() == a2.array());
}

}  // namespace hilo::numpy
