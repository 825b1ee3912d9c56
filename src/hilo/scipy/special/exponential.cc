// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/special/exponential.h"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/elementwise.h"
#include "hilo/scipy/special/support.h"

namespace hilo::scipy::special {

namespace {

/// Computes e^x E_n(x) for |x| above 1 and away from the negative axis, by the continued fraction of DLMF 8.19.17
/// (6.9.1 for n = 1), backwards from step `count`.
Array integral_fraction(const Array& n, const Array& x, int64_t count) {
  const auto step = [&](const Array& i, const Array& f) {
    const Array k = numpy::astype(count - i, n.dtype());  // count, ..., 1
    return x + n + 2.0 * (k - 1.0) - k * (n + k - 1.0) / f;
  };
  return 1.0 / lax::fori_loop(0, count, step, x + n + 2.0 * static_cast<double>(count));
}

/// Computes E_n(x) for x in (0, 1], n = 1, 2, ...: DLMF 8.19.8.
Array integral_series(const Array& n, const Array& x) {
  const Array before = n - 1.0, sign = numpy::where(numpy::mod(before, 2.0) == 0, 1.0, -1.0);
  const Array log_x = numpy::log(x);
  const Array psi = numpy::where(n == 1, -std::numbers::egamma, lax::digamma(n));
  const Array head = sign * numpy::exp(before * log_x - lax::lgamma(n)) * (psi - log_x);
  Array sum = numpy::zeros_like(x), term = numpy::ones_like(x);
  for (int k = 0; k < 24; ++k) {
    const Array distance = k - before;
    sum = sum + numpy::where(distance == 0, 0.0, term / numpy::where(distance == 0, 1.0, distance));
    term = term * -x / (k + 1.0);
  }
  return head - sum;
}

Array exponential_integral(const Array& n, const Array& x) {
  const Array whole = numpy::maximum(n, 1.0), small = (x > 0) & (x <= 1), large = x > 1;
  const Array series = integral_series(whole, numpy::where(small, x, 0.5));
  const Array at = numpy::where(large & numpy::isfinite(x), x, 2.0);
  const Array fraction = numpy::exp(-at) * integral_fraction(whole, at, 120);
  Array out = numpy::where(small, series, numpy::where(numpy::isinf(x), 0.0, fraction));
  out = numpy::where(n == 0, numpy::exp(-x) / x, out);
  out = numpy::where(x == 0, numpy::where(n < 2, kInf, 1.0 / numpy::where(n < 2, 1.0, n - 1.0)), out);
  return numpy::where((n < 0) | (x < 0) | numpy::isnan(x) | numpy::isnan(n), kNan, out);
}
Array exponential_integral_with_rule(const Array& n, const Array& x) {
  return custom_jvp(exponential_integral)
      .defjvps(nullptr, [](const Array& t, const Array&, const Array& m, const Array& a) {
        const Array zero = m == 0, before = numpy::exp(-a) * ((1.0 + a) / a / a);  // E_-1
        return -t * numpy::where(zero, before, exponential_integral_with_rule(numpy::where(zero, 1.0, m) - 1.0, a));
      })(n, x);
}
/// Computes e^x / x without overflow of e^x; the derivative at 1 is 0.
Array exp_over(const Array& x) {
  const auto value = [](const Array& v) {
    const Array root = numpy::exp(0.5 * v);
    return root / v * root;
  };
  return with_slope(value, [](const Array& v, const Array& y) { return y * ((v - 1.0) / v); }, x);
}

/// Computes Ei for x in (0, 40): DLMF 6.6.2.
Array positive_series(const Array& x) {
  using State = std::pair<Array, Array>;  // x^k / k!, the sum of x^k / (k k!)
  const auto step = [&](const Array& i, const State& s) {
    const Array k = numpy::astype(i + 1, x.dtype()), power = s.first * x / k;
    return State(power, s.second + power / k);
  };
  const Array sum = lax::fori_loop(0, 140, step, State(numpy::ones_like(x), numpy::zeros_like(x))).second;
  return std::numbers::egamma + numpy::log(x) + sum;
}
/// Computes Ei for x >= 40: DLMF 6.12.2.
Array far_integral(const Array& x) {
  Array sum = numpy::ones_like(x), term = sum;
  for (int k = 1; k < 36; ++k) {
    term = term * static_cast<double>(k) / x;
    sum = sum + term;
  }
  const Array root = numpy::exp(0.5 * x);  // exp(x) overflows before exp(x) / x
  return root / x * root * sum;
}
Array principal_value(const Array& x) {
  const Array small = (x > 0) & (x < 40), large = x >= 40, one = numpy::ones_like(x);
  const Array near = positive_series(numpy::where(small, x, 1.0));
  const Array far = numpy::where(x == kInf, kInf, far_integral(numpy::where(large & numpy::isfinite(x), x, 50.0)));
  const Array left = -exponential_integral(one, numpy::where(x < 0, -x, 1.0));
  const Array out = numpy::where(small, near, numpy::where(large, far, left));
  return numpy::where(x == 0, -kInf, numpy::where(numpy::isnan(x), x, out));
}

/// Computes Si and Ci for x in (0, 4]: DLMF 6.6.5 and 6.6.6.
std::pair<Array, Array> near_sici(const Array& x) {
  const Array t = x * x;
  std::vector<double> s, c = {0};
  double factorial = 1;
  for (int n = 0; n < 18; ++n) {
    if (n > 0) factorial *= 2 * n;
    const double sign = n % 2 == 0 ? 1 : -1;
    if (n > 0) c.push_back(sign / (factorial * 2 * n));
    factorial *= 2 * n + 1;
    s.push_back(sign / (factorial * (2 * n + 1)));
  }
  return {x * polynomial(s, t), std::numbers::egamma + numpy::log(x) + polynomial(c, t)};
}
/// Computes Si and Ci for x >= 4 from E1(ix): Si = pi/2 + Im, Ci = -Re.
std::pair<Array, Array> far_sici(const Array& x) {
  const Array ix = lax::complex(numpy::zeros_like(x), x);
  const Array phase = lax::complex(numpy::cos(x), -numpy::sin(x));
  const Array e1 = phase * integral_fraction(numpy::ones_like(x), ix, 80);
  return {std::numbers::pi / 2 + numpy::imag(e1), -numpy::real(e1)};
}
std::pair<Array, Array> both_sici(const Array& x) {
  const Array size = numpy::abs(x), near = size <= 4, infinite = size == kInf;
  const auto [s0, c0] = near_sici(numpy::where(near & (size > 0), size, 1.0));
  const auto [s1, c1] = far_sici(numpy::where(near | infinite | numpy::isnan(x), 5.0, size));
  Array s = numpy::where(near, s0, numpy::where(infinite, std::numbers::pi / 2, s1));
  Array c = numpy::where(near, c0, numpy::where(infinite, 0.0, c1));
  s = numpy::where(size == 0, 0.0, s);
  c = numpy::where(size == 0, -kInf, numpy::where(x == -kInf, kNan, c));
  const Array bad = numpy::isnan(x);
  return {numpy::where(bad, x, numpy::sign(x) * s), numpy::where(bad, x, c)};
}

/// Computes Li2(y) for y in [-1, 1/2], by Bernoulli numbers in u = -log(1 - y), |u| <= log(2).
Array near_dilogarithm(const Array& y) {
  const Array u = -numpy::log1p(-y), t = u * u;
  // B_2k / (2k + 1)!
  return u - 0.25 * t +
         u * t *
             polynomial({1.0 / 36, -1.0 / 3600, 1.0 / 211680, -1.0 / 10886400, 1.0 / 526901760,
                         -691.0 / 16999766784000.0, 1.0 / 1120863744000.0},
                        t);
}
Array dilogarithm(const Array& x) {
  const Array y = 1.0 - x, low = x < 0.5, high = x > 2;
  const Array inner = numpy::where(low, x, numpy::where(high, 1.0 / numpy::where(high, y, 2.0), y));
  const Array value = near_dilogarithm(numpy::clip(inner, -1.0, 0.5));
  const double sixth = std::numbers::pi * std::numbers::pi / 6;
  const Array safe_low = numpy::where(low & (x > 0), x, 0.25), safe_high = numpy::where(high, x, 3.0);
  const Array from_low = sixth - numpy::log(safe_low) * numpy::log1p(-safe_low) - value;
  const Array from_high = -sixth - 0.5 * numpy::square(numpy::log(safe_high - 1.0)) - value;
  const Array out = numpy::where(low, from_low, numpy::where(high, from_high, value));
  return numpy::where(x == 0, sixth, numpy::where((x < 0) | numpy::isnan(x), kNan, out));
}

}  // namespace

Array expi(const Operand& x) {
  return with_weak_type(of_real("expi", x,
                                [](const Array& a) {
                                  const auto slope = [](const Array& v, const Array&) { return exp_over(v); };
                                  return with_slope(principal_value, slope, a);
                                }),
                        false);
}
Array expn(const Operand& n, const Operand& x) {
  return with_weak_type(of_real("expn", n, x, exponential_integral_with_rule), false);
}
Array exp1(const Operand& x) {
  return with_weak_type(of_real("exp1", x,
                                [](const Array& a) {
                                  const auto value = [](const Array& v) {
                                    return exponential_integral(numpy::ones_like(v), v);
                                  };
                                  const auto slope = [](const Array& v, const Array&) {
                                    return numpy::where(v < 0, kNan, exp_over(-numpy::where(v < 0, 1.0, v)));
                                  };
                                  return with_slope(value, slope, a);
                                }),
                        false);
}
SiciResult sici(const Operand& x) {
  const UserLocation here(x.location());
  using One = std::tuple<Array>;
  const Array promoted = real_operands("sici", {x})[0], a = widened({promoted})[0];
  const auto [s, c] = custom_jvp(both_sici).defjvp([](const One& primals, const One& tangents) {
    const Array at = std::get<0>(primals), t = std::get<0>(tangents);
    return std::pair(both_sici(at), std::pair(numpy::sinc(at / std::numbers::pi) * t, numpy::cos(at) / at * t));
  })(a);
  return {numpy::astype(s, promoted.dtype()), numpy::astype(c, promoted.dtype())};
}
Array spence(const Operand& x) {
  const UserLocation here(x.location());
  // log(a) / (1 - a) = -2 atanh(w) / w / (a + 1) with w = (a - 1) / (a + 1). Near 1 uses the series, whose derivatives
  // don't cancel.
  const auto slope = [](const Array& a, const Array&) {
    const Array near = (a > 0.4) & (a < 2.5), safe = numpy::where(near, a, 1.0), w = (safe - 1.0) / (safe + 1.0);
    std::vector<double> series;
    for (int k = 0; k < 24; ++k) series.push_back(-2.0 / (2.0 * k + 1));
    const Array far = numpy::where(near, 3.0, a);
    return numpy::where(near, polynomial(series, w * w) / (safe + 1.0), numpy::log(far) / (1.0 - far));
  };
  return with_weak_type(with_slope(dilogarithm, slope, with_weak_type(wide_float("spence", x), false)), false);
}

}  // namespace hilo::scipy::special
