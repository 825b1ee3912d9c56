// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/special/error.h"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/elementwise.h"
#include "hilo/lax/normal.h"
#include "hilo/numpy/promotion.h"
#include "hilo/scipy/special/support.h"
#include "hilo/trace/trace.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::special {

namespace {

const double kRootPi = std::sqrt(std::numbers::pi);
constexpr int kTerms = 64;  // number of terms of Weideman's series

struct Weideman {
  double width;
  std::vector<double> coefficients;  ///< coefficients of powers 0, 1, ...
};
/// Weideman's N and L, and the Fourier coefficients of exp(-t^2) (L^2 + t^2), by the trapezoidal rule, which is exact
/// here.
const Weideman& weideman() {
  static const Weideman kSeries = [] {
    Weideman w{std::sqrt(kTerms / std::numbers::sqrt2), std::vector<double>(kTerms)};
    const int points = 4 * kTerms;
    for (int n = 0; n < kTerms; ++n) {
      long double sum = 0;  // higher precision, because the terms cancel
      for (int k = 1 - points / 2; k < points / 2; ++k) {
        const long double theta = 2 * std::numbers::pi_v<long double> * k / points, t = w.width * std::tan(theta / 2);
        sum += std::exp(-t * t) * (w.width * w.width + t * t) * std::cos((n + 1) * theta);
      }
      w.coefficients[n] = static_cast<double>(sum / points);
    }
    return w;
  }();
  return kSeries;
}

/// Computes w(z) for z in the upper half plane.
Array upper_wofz(const Array& z) {
  const Array iz = z * std::complex<double>(0, 1), below = weideman().width - iz;
  const Array sum = polynomial(weideman().coefficients, (weideman().width + iz) / below);
  return (2.0 * sum / below + 1.0 / kRootPi) / below;
}
Array complex_wofz(const Array& z) {
  const Array up = numpy::imag(z) >= 0;
  const Array w = upper_wofz(numpy::where(up, z, -z));
  return numpy::where(up, w, 2.0 * numpy::exp(-z * z) - w);
}
Array wofz_with_rule(const Array& z) {
  return with_slope(
      complex_wofz, [](const Array& x, const Array& y) { return -2.0 * x * y + std::complex<double>(0, 2 / kRootPi); },
      z);
}

/// Computes w(ix) for x >= 0, which is real.
Array positive_erfcx(const Array& x) {
  const Array below = weideman().width + x;
  const Array sum = polynomial(weideman().coefficients, (weideman().width - x) / below);
  return (2.0 * sum / below + 1.0 / kRootPi) / below;
}
Array real_erfcx(const Array& x) {
  const Array positive = positive_erfcx(numpy::abs(x));
  const Array negative = numpy::where(x < 0, x, 0.0);
  return numpy::where(x < 0, 2.0 * lax::exp_of_square(negative, -1) - positive, positive);
}
/// Computes f, with the derivative by a separate formula.
template <typename F>
Array slope_by_formula(const F& f, const Array& x) {
  return jvp(f, std::tuple(x), std::tuple(numpy::ones_like(x))).second;
}
/// For x > 0, uses the derivative of the series, because most of 2 x erfcx(x) - 2 / sqrt(pi) cancels.
Array erfcx_with_rule(const Array& x) {
  const auto slope = [](const Array& a, const Array& y) {
    const Array right = a >= 0, left = 2.0 * numpy::where(right, 0.0, a) * y - 2 / kRootPi;
    return numpy::where(right, slope_by_formula(positive_erfcx, numpy::where(right, a, 0.0)), left);
  };
  return with_slope(real_erfcx, slope, x);
}

/// Returns the complex array with these parts.
Array complex_of(const Array& re, const Array& im) { return lax::complex(re, im); }

/// Computes Dawson's function for x >= 1.
Array far_dawsn(const Array& x) { return kRootPi / 2 * numpy::imag(upper_wofz(complex_of(x, numpy::zeros_like(x)))); }
/// Uses the derivatives of both series, because most of the derivative 1 - 2 x y cancels.
Array real_dawsn(const Array& x) {
  Array term = numpy::where(numpy::abs(x) < 1, x, 0.5), sum = term;
  const Array small = term;
  for (int k = 1; k < 24; ++k) {  // x sum (-2 x^2)^k / (2k + 1)!!, DLMF 7.6.3
    term = term * (-2.0 * small * small / (2.0 * k + 1));
    sum = sum + term;
  }
  const Array large = numpy::where(numpy::abs(x) < 1, 1.0, x);
  return numpy::where(numpy::abs(x) < 1, sum, numpy::sign(large) * far_dawsn(numpy::abs(large)));
}
/// The Fresnel integrals for x in [0, 1.5): the power series, DLMF 7.6.4 and 7.6.6.
std::pair<Array, Array> small_fresnel(const Array& x) {
  const Array t = std::numbers::pi / 2 * x * x, t2 = t * t;
  std::vector<double> s, c;
  double factorial = 1;
  for (int n = 0; n < 16; ++n) {
    const double sign = n % 2 == 0 ? 1 : -1;
    if (n > 0) factorial *= 2 * n * (2 * n - 1);
    c.push_back(sign / (factorial * (4 * n + 1)));
    s.push_back(sign / (factorial * (2 * n + 1) * (4 * n + 3)));
  }
  return {x * t * polynomial(s, t2), x * polynomial(c, t2)};
}
/// The Fresnel integrals for x >= 1.5: C + iS = (1 + i) / 2 (1 - exp(i pi x^2 / 2) w((1 + i) sqrt(pi) x / 2)), DLMF
/// 7.5.8.
std::pair<Array, Array> large_fresnel(const Array& x) {
  const Array side = kRootPi / 2 * x, w = upper_wofz(complex_of(side, side));
  const Array half = numpy::mod(x, 4.0), turn = std::numbers::pi / 2 * half * half;  // 4 is a period of the phase
  const Array phase = complex_of(numpy::cos(turn), numpy::sin(turn));
  const Array both = std::complex<double>(0.5, 0.5) * (1.0 - phase * w);
  return {numpy::imag(both), numpy::real(both)};
}

std::pair<Array, Array> both_fresnel(const Array& x) {
  const Array size = numpy::abs(x), small = size < 1.5, finite = numpy::isfinite(x);
  const auto [s0, c0] = small_fresnel(numpy::where(small, size, 1.0));
  const auto [s1, c1] = large_fresnel(numpy::where(small | ~finite, 2.0, size));
  const auto value = [&](const Array& a, const Array& b) {
    const Array limit = numpy::where(numpy::isnan(x), x, 0.5);
    return numpy::sign(x) * numpy::where(small, a, numpy::where(finite, b, limit));
  };
  return {value(s0, s1), value(c0, c1)};
}

using lax::normal_density;
using lax::normal_distribution;
const double kRootTwoPi = std::sqrt(2 * std::numbers::pi);
Array normal_log_density(const Array& x) { return -0.5 * x * x - 0.5 * std::log(2 * std::numbers::pi); }

/// Below -1, computed as exp(-x^2 / 2) erfcx(-x / sqrt(2)) / 2, so that nothing underflows.
Array log_normal_distribution(const Array& x) {
  const Array low = x < -1, far = numpy::where(low, x, -1.0), near = numpy::where(low, 0.0, x);
  const Array tail = -0.5 * far * far + numpy::log(0.5 * positive_erfcx(-far * std::sqrt(0.5)));
  // from here on, uses the approximation of the logarithm near 1, as in JAX
  const double end = x.dtype() == ElementType::kF64 ? 8 : 5;
  const Array left = numpy::log(normal_distribution(numpy::minimum(near, 0.0)));
  const Array middle = numpy::where(near < 0, left, numpy::log1p(-normal_distribution(-numpy::clip(near, 0.0, end))));
  const Array high = -normal_distribution(-numpy::maximum(near, end));
  return numpy::where(low, numpy::where(x == -kInf, -kInf, tail), numpy::where(x > end, high, middle));
}
/// The derivative: density divided by distribution. Below -1 both omit their factor exp(-x^2 / 2); far below, uses a
/// series in 1 / x.
Array log_ndtr_slope(const Array& x, const Array&) {
  const Array low = x < -1, lowest = x < -0x1p14, near = numpy::where(low, 0.0, x);
  const Array scaled = erfcx_with_rule(numpy::where(low & ~lowest, -x, 1.0) * std::sqrt(0.5));
  const Array size = numpy::where(lowest, -x, 0x1p14), r = 1.0 / size;
  const Array tail = numpy::where(lowest, size + (r - 2.0 * r * r * r), std::sqrt(2 / std::numbers::pi) / scaled);
  return numpy::where(low, tail, normal_density(near) / normal_distribution(near));
}
Array log_ndtr_with_rule(const Array& x) { return with_slope(log_normal_distribution, log_ndtr_slope, x); }

/// Solves log_ndtr(x) = log(p) for p <= 1/2 by Newton's method, which converges from above.
Array lower_quantile(const Array& p) {
  const Array log_p = numpy::log(p);
  const Array far = numpy::sqrt(-2.0 * log_p),
              guess = -far + numpy::log(far * far * 2 * std::numbers::pi) / (2.0 * far);
  const Array near = -std::numbers::sqrt2 * lax::erf_inv(1.0 - 2.0 * numpy::maximum(p, 1e-4));
  Array x = numpy::where(p < 1e-3, guess, near);
  for (int i = 0; i < 4; ++i) {
    const Array y = log_normal_distribution(x);
    x = x - (y - log_p) * numpy::exp(y - normal_log_density(x));
  }
  return x;
}
Array quantile(const Array& p) {
  const Array low = p <= 0.5, tail = numpy::where(low, p, 1.0 - p);
  const Array inside = (tail > 0) & (tail < 0.5);
  const Array x = lower_quantile(numpy::where(inside, tail, 0.25));
  const Array signed_x = numpy::where(low, x, -x);
  const Array edges = numpy::where(p == 0, -kInf, numpy::where(p == 1, kInf, numpy::where(p == 0.5, 0.0, kInf - kInf)));
  return numpy::where(inside, signed_x, edges);
}

/// Returns 1 / density(y), which amplifies the rounding error of y by y^2. Corrects it by the difference of the
/// distribution at y and p, times the derivative.
Array quantile_slope(const Array& p, const Array& y) {
  const Array slope = lax::exp_of_square(y, -0.5) * kRootTwoPi, low = p <= 0.5;
  const Array off = normal_distribution(-numpy::abs(y)) - numpy::where(low, p, 1.0 - p);
  const Array correction = numpy::abs(y) * off * slope;
  const Array exact = slope + slope * stop_gradient(numpy::where(numpy::isfinite(correction), correction, 0.0));
  return numpy::where(numpy::isinf(y), 0.0, exact);
}

}  // namespace

Array erf(const Operand& x) {
  return of_real("erf", x, [](const Array& a) { return numpy::erf(a); });
}
Array erfc(const Operand& x) {
  return of_real("erfc", x, [](const Array& a) { return lax::erfc(a); });
}
Array erfinv(const Operand& x) {
  return of_real("erfinv", x, [](const Array& a) { return lax::erf_inv(a); });
}
Array erfcx(const Operand& x) {
  const UserLocation here(x.location());
  if (is_complex(x.array().dtype()))
    return wofz_with_rule(with_weak_type(x.array(), false) * std::complex<double>(0, 1));
  return with_weak_type(of_real("erfcx", x, erfcx_with_rule), false);
}
Array wofz(const Operand& z) {
  const UserLocation here(z.location());
  const Array& x = z.array();
  const ElementType type = numpy::promote_types_inexact(std::vector{x}).shape.element_type();
  const bool wide = type == ElementType::kF64 || type == ElementType::kC128;
  return wofz_with_rule(numpy::astype(x, wide ? ElementType::kC128 : ElementType::kC64));
}
Array dawsn(const Operand& x) { return with_weak_type(of_real("dawsn", x, real_dawsn), false); }
FresnelResult fresnel(const Operand& x) {
  const UserLocation here(x.location());
  using One = std::tuple<Array>;
  const Array promoted = real_operands("fresnel", {x})[0], a = widened({promoted})[0];
  const auto [s, c] = custom_jvp(both_fresnel).defjvp([](const One& primals, const One& tangents) {
    const Array at = std::get<0>(primals), turn = std::numbers::pi / 2 * at * at;
    return std::pair(both_fresnel(at),
                     std::pair(numpy::sin(turn) * std::get<0>(tangents), numpy::cos(turn) * std::get<0>(tangents)));
  })(a);
  return {numpy::astype(s, promoted.dtype()), numpy::astype(c, promoted.dtype())};
}
Array ndtr(const Operand& x) {
  const UserLocation here(x.location());
  return with_weak_type(normal_distribution(wide_float("ndtr", x)), false);  // never weakly typed, as in JAX
}
Array ndtri(const Operand& p) {
  const UserLocation here(p.location());
  return with_weak_type(with_slope(quantile, quantile_slope, wide_float("ndtri", p)), false);
}
Array erfcinv(const Operand& y) {
  return with_weak_type(of_real("erfcinv", y,
                                [](const Array& a) {
                                  const Array central = numpy::abs(a - 1.0) < 0.5;  // here 1 - a is exact
                                  const Array tail =
                                      with_slope(quantile, quantile_slope, numpy::where(central, 0.5, 0.5 * a));
                                  return numpy::where(central, lax::erf_inv(1.0 - numpy::where(central, a, 1.0)),
                                                      -tail / std::numbers::sqrt2);
                                }),
                        false);
}
Array log_ndtr(const Operand& x, const LogNdtrOptions& options) {
  const UserLocation here(x.location());
  if (options.series_order < 0 || options.series_order > 30)
    or_throw(invalid_argument(
        fmt::format("{}: series_order must be in 0..30; got {}", at_user_line("log_ndtr"), options.series_order)));
  return with_weak_type(log_ndtr_with_rule(wide_float("log_ndtr", x)), false);
}

namespace {

/// Returns the nodes and weights of Gauss-Legendre quadrature on [0, 1], by Newton's method on the polynomial.
std::pair<std::vector<double>, std::vector<double>> legendre_rule(int n) {
  std::pair<std::vector<double>, std::vector<double>> rule;
  for (int i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int step = 0; step < 50; ++step) {
      double p = 1, before = 0;
      for (int k = 1; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
        before = p;
        p = next;
      }
      slope = n * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    rule.first.push_back((x + 1) / 2);
    rule.second.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

/// Owen's function for |a| <= 1.
Array owens_near(const Array& h, const Array& a) {
  static const auto kRule = legendre_rule(24);
  Array sum = numpy::zeros_like(h);
  for (size_t i = 0; i < kRule.first.size(); ++i) {
    const Array r = 1.0 + numpy::square(a * kRule.first[i]);
    sum = sum + kRule.second[i] * numpy::exp(-0.5 * h * h * r) / r;
  }
  return a * sum / (2 * std::numbers::pi);
}
/// Owen's function for |a| > 1, from T(h, a) + T(ah, 1/a) = (N(h) + N(ah)) / 2 - N(h) N(ah). N is the normal
/// distribution; h, a >= 0.
/// Source    Owen, "Tables for computing bivariate normal probabilities" (1956)
Array owens(const Array& h0, const Array& a0) {
  const Array h = numpy::abs(h0), a = numpy::abs(a0), near = a <= 1, safe = numpy::where(near, 1.0, a);
  const Array upper_h = normal_distribution(-h), upper_ah = normal_distribution(-safe * h);
  const Array far = 0.5 * (upper_h + upper_ah) - upper_h * upper_ah - owens_near(safe * h, 1.0 / safe);
  return numpy::sign(a0) * numpy::where(near, owens_near(h, numpy::where(near, a, 0.0)), far);
}

}  // namespace

Array owens_t(const Operand& h, const Operand& a) {
  return with_weak_type(of_real("owens_t", h, a,
                                [](const Array& x, const Array& y) {
                                  return custom_jvp(owens).defjvps(
                                      [](const Array& t, const Array&, const Array& h, const Array& a) {
                                        return -t * numpy::exp(-0.5 * h * h) * numpy::erf(a * h * std::sqrt(0.5)) /
                                               (2 * std::sqrt(2 * std::numbers::pi));
                                      },
                                      [](const Array& t, const Array&, const Array& h, const Array& a) {
                                        const Array r = 1.0 + a * a;
                                        return t * numpy::exp(-0.5 * h * h * r) / (2 * std::numbers::pi * r);
                                      })(x, y);
                                }),
                        false);
}

}  // namespace hilo::scipy::special
