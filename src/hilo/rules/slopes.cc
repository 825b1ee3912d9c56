// SPDX-License-Identifier: Apache-2.0
#include "hilo/rules/slopes.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/lax/normal.h"
#include "hilo/lax/special.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/grad.h"

namespace hilo::rules {
namespace {

using namespace hilo::ops;  // slopes are formulas of these wrappers

constexpr double kInf = std::numeric_limits<double>::infinity();

Array constant(const Array& like, double value) { return full_like(like, value); }
Array square(const Array& x) { return mul(x, x); }
Array scaled(const Array& x, double factor) { return mul(x, constant(x, factor)); }
Array fma(const Array& x, const Array& y, const Array& z) { return bind_one(hlo::kExtFma, {x, y, z}); }
bool is_wide(const Array& x) { return x.dtype() == ElementType::kF64 || x.dtype() == ElementType::kC128; }
/// Clamps x to [-limit, limit].
Array within(const Array& x, double limit) { return clamp(scalar(-limit, x.dtype()), x, scalar(limit, x.dtype())); }
Array times_i(const Array& z) { return complex(neg(imag(z)), real(z)); }

/// Returns near(x) up to `from`, far(x) beyond. Neither is evaluated for arguments of the other.
template <typename Near, typename Far>
Array by_size(const Array& x, double from, const Near& near, const Far& far) {
  const Array is_far = gt(abs(x), full_like(abs(x), from));
  return select(is_far, far(select(is_far, x, constant(x, from))), near(select(is_far, constant(x, 0), x)));
}
/// From this value on, 1 + x^2 rounds to x^2.
double one_is_lost(const Array& x) { return is_wide(x) ? 0x1p27 : 0x1p13; }

// f is reciprocal or rsqrt, which map products to products. Two factors keep the digits that 1 - z^2 loses near 1; the
// single product has a correct slope near 0. Two roots of factors are on the correct side of a branch cut, one root of
// the product isn't.
template <typename F>
Array of_one_minus_square(const Array& x, const F& f) {
  if (!is_complex(x.dtype())) return f(fma(neg(x), x, constant(x, 1)));
  const Array one = constant(x, 1);
  return by_size(
      x, 0.5, [&](const Array& z) { return f(sub(one, square(z))); },
      [&](const Array& z) { return mul(f(sub(one, z)), f(add(one, z))); });
}
template <typename F>
Array of_one_plus_square(const Array& z, const F& f) {
  return of_one_minus_square(times_i(z), f);
}

/// Returns 1 / cosh(z)^2; far from 0, where cosh would overflow, it is 0.
Array complex_sech_squared(const Array& z) {
  static const auto f = custom_jvp([](const Array& x) {
                          const Array inside = complex(within(real(x), is_wide(x) ? 700 : 88), imag(x));
                          return square(reciprocal(cosh(inside)));
                        }).defjvps([](const Array& t, const Array& out, const Array& x) {
    return mul(t, mul(out, scaled(tanh(x), -2)));
  });
  return f(z);
}

/// Returns the slope of e^-x I_n(x) for x >= 0 and n = 0 or 1, which is much smaller than both of its terms. Up to
/// `from` it uses the trapezoidal rule for e^(x (c - 1)) c^n (c - 1) / pi over the angles [0, pi] with cosine c, whose
/// error is that of I_2k(x) for k intervals; beyond, DLMF 10.40.1.
Array scaled_bessel_slope(int order, const Array& x) {
  const double from = is_wide(x) ? 24 : 16;
  const int intervals = is_wide(x) ? 28 : 16, terms = is_wide(x) ? 26 : 16;
  const auto near = [&](const Array& at) {
    Array sum = constant(at, 0);
    for (int k = 1; k <= intervals; ++k) {
      const double half = std::sin(std::numbers::pi * k / (2.0 * intervals)), depth = 2 * half * half;
      const double weight = -depth * (order == 0 ? 1 : 1 - depth) * (k == intervals ? 0.5 : 1) / intervals;
      sum = add(sum, scaled(exp(scaled(at, -depth)), weight));
    }
    return sum;
  };
  const auto far = [&](const Array& at) {
    const Array inverse = reciprocal(at);
    std::vector<double> series;  // derivatives of a_k / x^k / sqrt(x)
    for (double a = 1, k = 0; k < terms; ++k) {
      series.push_back(-(k + 0.5) * a);
      a *= -(4.0 * order - (2 * k + 1) * (2 * k + 1)) / (8 * (k + 1));
    }
    Array sum = constant(at, series.back());
    for (size_t k = series.size() - 1; k-- > 0;) sum = add(mul(sum, inverse), constant(at, series[k]));
    return scaled(mul(mul(sum, inverse), rsqrt(at)), 1 / std::sqrt(2 * std::numbers::pi));
  };
  return by_size(x, from, near, far);
}

/// Coordinates relative to the larger one, which is treated as constant, since the slopes don't depend on the scale.
struct Scaled {
  Array x, y, size;
};
Scaled over_the_greater(const Array& x, const Array& y) {
  const Array size = stop_gradient(max(abs(x), abs(y))), scale = convert_element_type(size, x.dtype());
  return {div(x, scale), div(y, scale), size};
}

}  // namespace

Array reciprocal(const Array& x) { return div(constant(x, 1), x); }

Array acos_slope(const Array& x, const Array& out) { return neg(asin_slope(x, out)); }
Array acosh_slope(const Array& x, const Array& out) {
  const Array one = constant(x, 1), below = sub(x, one);
  if (!is_complex(x.dtype()))
    return by_size(x, one_is_lost(x), [&](const Array& a) { return rsqrt(mul(sub(a, one), add(a, one))); }, reciprocal);
  // Near 0 the slope is that of asin, rotated by 90 degrees to the side of the root of x - 1.
  const Array root = rsqrt(below), lower = gt(imag(root), full_like(imag(root), 0)),
              turned = times_i(asin_slope(x, out));
  const Array near = lt(abs(x), full_like(abs(x), 0.5));
  return select(near, select(lower, turned, neg(turned)), mul(root, rsqrt(add(x, one))));
}
Array asin_slope(const Array& x, const Array&) { return of_one_minus_square(x, rsqrt); }
Array asinh_slope(const Array& x, const Array&) {
  if (is_complex(x.dtype())) return of_one_plus_square(x, rsqrt);
  return by_size(
      x, one_is_lost(x), [](const Array& a) { return rsqrt(add(constant(a, 1), square(a))); },
      [](const Array& a) { return reciprocal(abs(a)); });
}
Array atan_slope(const Array& x, const Array&) {
  if (is_complex(x.dtype())) return of_one_plus_square(x, reciprocal);
  return by_size(
      x, one_is_lost(x), [](const Array& a) { return reciprocal(add(constant(a, 1), square(a))); },
      [](const Array& a) { return square(reciprocal(a)); });
}
Array atanh_slope(const Array& x, const Array&) { return of_one_minus_square(x, reciprocal); }

Array logistic_slope(const Array& x, const Array&) {
  return is_complex(x.dtype()) ? scaled(complex_sech_squared(scaled(x, 0.5)), 0.25) : lax::logistic_slope(x);
}
Array logistic_slope_slope(const Array& x, const Array& out) { return neg(mul(out, tanh(scaled(x, 0.5)))); }
Array tan_slope(const Array& x, const Array& out) {
  return is_complex(x.dtype()) ? complex_sech_squared(times_i(x)) : add(constant(x, 1), square(out));
}
/// 1 - |y| = e^(-2 |x|) (1 + |y|), so the square needs no division. Its own slope would cancel near 0 and has a
/// separate rule.
Array tanh_slope(const Array& x, const Array&) {
  if (is_complex(x.dtype())) return complex_sech_squared(x);
  static const auto f = custom_jvp([](const Array& a) {
                          const Array more = add(abs(tanh(a)), constant(a, 1));
                          return mul(mul(exp(scaled(abs(a), -2)), more), more);
                        }).defjvps([](const Array& t, const Array& out, const Array& a) {
    return mul(t, mul(out, scaled(tanh(a), -2)));
  });
  return f(x);
}

Array bessel_i0e_slope(const Array& x, const Array&) { return mul(sign(x), scaled_bessel_slope(0, abs(x))); }
Array bessel_i1e_slope(const Array& x, const Array&) { return scaled_bessel_slope(1, abs(x)); }
/// The slope of a cube root as x / y^2, in which the root's error counts once.
Array cbrt_slope(const Array& x, const Array& out) {
  const Array size = abs(x), zero = eq(size, constant(x, 0));
  return div(scaled(select(zero, constant(x, 1), abs(out)), 1.0 / 3), size);
}
/// For large x uses DLMF 5.15.8, because zeta underflows to 0 there.
Array digamma_slope(const Array& x, const Array&) {
  const double from = 4096;
  const Array far = gt(x, constant(x, from)), one = constant(x, 1);
  const Array r = reciprocal(select(far, x, constant(x, from))), r2 = square(r);
  const Array tail = mul(r2, add(constant(x, 0.5), mul(r, add(constant(x, 1.0 / 6), scaled(r2, -1.0 / 30)))));
  return select(far, add(r, tail), lax::polygamma(one, select(far, one, x)));
}
Array erf_slope(const Array& x, const Array&) {
  return scaled(lax::exp_of_square(x, 1), 2 / std::sqrt(std::numbers::pi));
}
Array erfc_slope(const Array& x, const Array& out) { return neg(erf_slope(x, out)); }
/// sqrt(pi) / 2 exp(y^2) multiplies the rounding error of y by 2 y^2. That error is the difference of erf(y) and x,
/// times the slope.
Array erf_inv_slope(const Array& x, const Array& out) {
  const Array slope = scaled(lax::exp_of_square(out, -1), std::sqrt(std::numbers::pi) / 2);
  const Array size = abs(x), y = abs(out), central = lt(size, constant(x, 0.5));
  const Array off = select(central, sub(erf(y), size), sub(sub(constant(x, 1), size), lax::erfc(y)));
  const Array correction = mul(scaled(y, -2), mul(off, slope));
  return add(slope, mul(slope, stop_gradient(select(is_finite(correction), correction, constant(x, 0)))));
}

// d atan2(y, x) = (x dy - y dx) / (x^2 + y^2)
Array atan2_first_slope(const Array& y, const Array& x, const Array&) {
  const Scaled at = over_the_greater(x, y);
  const Array slope = div(div(at.x, add(square(at.x), square(at.y))), convert_element_type(at.size, x.dtype()));
  return select(eq(at.size, constant(at.size, kInf)), constant(x, 0), slope);
}
Array atan2_second_slope(const Array& y, const Array& x, const Array& out) { return neg(atan2_first_slope(x, y, out)); }

/// Returns y x^(y-1), and 0 for y = 0, where the power is 1 for every x. If y - 1 isn't representable, x^y / x avoids
/// its rounding error.
Array pow_base_slope(const Array& x, const Array& y, const Array&) {
  const Array zero = constant(y, 0), one = constant(y, 1), fixed = eq(y, zero), less = sub(y, one);
  if (is_complex(x.dtype())) return select(fixed, zero, mul(y, pow(x, select(fixed, one, less))));
  const Array by_exponent = bitwise_or(bitwise_or(eq(add(less, one), y), eq(x, zero)), eq(abs(y), constant(y, kInf)));
  const Array lower = pow(x, select(bitwise_or(fixed, bitwise_not(by_exponent)), one, less));
  // Computes the power again, because a slope of `out` may be infinite, and a product with 0 would then be NaN.
  const Array whole = pow(select(by_exponent, one, x), select(by_exponent, one, y));
  const Array ratio = div(mul(y, whole), select(by_exponent, one, x));
  return select(fixed, zero, select(by_exponent, mul(y, lower), ratio));
}
/// Computes the power again. The compiler merges both, except for half floats, where it may overflow before the slope
/// does.
Array pow_exponent_slope(const Array& x, const Array& y, const Array&) {
  const Array safe = select(eq(x, constant(x, 0)), constant(x, 1), x);
  return mul(log(safe), pow(x, y));
}
/// Returns -trunc(x / y), computed from the remainder, because the quotient itself may round up to an integer.
Array rem_divisor_slope(const Array& x, const Array& y, const Array& out) {
  return neg(round_to_even(div(sub(x, out), y)));
}

Array direction(const Array& z) {
  const bool wide = is_wide(z);
  const Array x = real(z), y = imag(z), limit = constant(x, kInf);
  const Array size = max(abs(x), abs(y)), infinite = eq(size, limit);
  const auto turned = [&](const Array& part) {
    const Array one = select(eq(abs(part), limit), sign(part), constant(part, 0));
    return select(infinite, one, part);
  };
  // Denormal parts have too few digits for a division; larger ones might overflow.
  const Array scale =
      select(lt(size, constant(x, wide ? 0x1p-900 : 0x1p-80)), constant(x, wide ? 0x1p200 : 0x1p40), constant(x, 1));
  const Array w = complex(mul(turned(x), scale), mul(turned(y), scale));
  return sign(w);
}

}  // namespace hilo::rules
