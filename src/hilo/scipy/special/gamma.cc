// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/special/gamma.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/incomplete_beta.h"
#include "hilo/lax/incomplete_gamma.h"
#include "hilo/scipy/special/support.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::special {

namespace {

Array sign_of_gamma(const Array& x) {
  const Array floor = numpy::floor(x), negative = x < 0;
  const Array pole = (negative & (x == floor)) | numpy::isnan(x);
  const Array odd = (negative & (numpy::mod(floor, 2) != 0)) | ((x == 0) & numpy::signbit(x));
  const Array one = numpy::ones_like(x);
  return numpy::where(pole, kNan, numpy::where(odd, -one, one));
}

/// Computes log(gamma(z)) for complex z, up to multiples of 2 pi i, by Lanczos's series with g = 7 and 9 terms.
Array complex_log_gamma(const Array& z) {
  constexpr std::array kSeries = {676.5203681218851,     -1259.1392167224028,  771.32342877765313,
                                  -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
                                  9.9843695780195716e-6, 1.5056327351493116e-7};
  const Array left = numpy::real(z) < 0.5, w = numpy::where(left, -z, z - 1.0);
  Array sum = 0.99999999999980993 + numpy::zeros_like(w);
  for (size_t k = 0; k < kSeries.size(); ++k) sum = sum + kSeries[k] / (w + static_cast<double>(k + 1));
  const Array t = w + 7.5;
  const Array right = 0.5 * std::log(2 * std::numbers::pi) + (w + 0.5) * numpy::log(t) - t + numpy::log(sum);
  const Array safe = numpy::where(left, z, 0.5);
  const Array reflected = std::log(std::numbers::pi) - numpy::log(numpy::sin(std::numbers::pi * safe)) - right;
  return numpy::where(left, reflected, right);
}

/// Computes f(z) for complex z; NaN at the poles.
template <typename F>
Array off_poles(const Array& z, const F& f) {
  const Array re = numpy::real(z);
  const Array bad = ((numpy::imag(z) == 0) & (re == numpy::floor(re)) & (re <= 0)) | numpy::isnan(z);
  const Array out = f(numpy::where(bad, numpy::ones_like(z), z));
  return numpy::where(bad, std::complex<double>(kNan, kNan), out);
}

/// Computes the principal branch of log(gamma(z)), by recurrence to real parts above 1/2.
Array principal_log_gamma(const Array& z) {
  const Array steps = numpy::maximum(0, numpy::ceil(0.5 - numpy::real(z)));
  using State = std::pair<Array, Array>;
  const auto more = [&](const State& s) { return numpy::any(s.first < steps); };
  const auto next = [&](const State& s) {
    const Array left = s.first < steps;
    const Array term = numpy::where(left, numpy::log(numpy::where(left, z + s.first, 1.0)), 0.0);
    return State(s.first + 1, s.second + term);
  };
  const Array zero = numpy::zeros({}, steps.dtype());
  return complex_log_gamma(z + steps) - lax::while_loop(more, next, State(zero, numpy::zeros_like(z))).second;
}

}  // namespace

Array gammaln(const Operand& x) {
  return of_real("gammaln", x, [](const Array& a) { return lax::lgamma(a); });
}
Array gammasgn(const Operand& x) { return with_weak_type(of_real("gammasgn", x, sign_of_gamma), false); }
Array gamma(const Operand& x) {
  const UserLocation here(x.location());
  if (is_complex(x.array().dtype()))
    return off_poles(with_weak_type(x, false), [](const Array& z) { return numpy::exp(complex_log_gamma(z)); });
  return with_weak_type(
      of_real("gamma", x, [](const Array& a) { return sign_of_gamma(a) * numpy::exp(lax::lgamma(a)); }), false);
}
Array loggamma(const Operand& x) {
  const UserLocation here(x.location());
  if (is_complex(x.array().dtype())) return off_poles(x, principal_log_gamma);
  return of_real("loggamma", x, [](const Array& a) { return numpy::where(a > 0, lax::lgamma(a), kNan); });
}
Array digamma(const Operand& x) {
  return of_real("digamma", x, [](const Array& a) { return lax::digamma(a); });
}
Array polygamma(const Operand& n, const Operand& x) {
  const UserLocation here(n.location());
  if (!is_integer(n.array().dtype()))
    or_throw(invalid_argument(at_user_line("polygamma") + ": n must be of an integer type; got " +
                              n.array().aval_shape().to_string()));
  return of_real("polygamma", n, x, [](const Array& k, const Array& a) { return lax::polygamma(k, a); });
}
Array multigammaln(const Operand& a, int64_t d) {
  const bool pred = a.array().dtype() == ElementType::kPred;  // joined with the integer d
  return with_weak_type(of_real("multigammaln", pred ? numpy::astype(a, default_integer()) : a.array(),
                                [&](const Array& x) {
                                  const double n = static_cast<double>(d);
                                  const Array halves = numpy::arange(d, x.dtype()) / 2.0;
                                  return numpy::sum(lax::lgamma(numpy::expand_dims(x, -1) - halves), -1) +
                                         0.25 * n * (n - 1) * std::log(std::numbers::pi);
                                }),
                        false);
}
namespace {
/// Computes zeta by the Euler-Maclaurin formula, which is differentiated.
/// Source    DLMF 25.11.28 (with 2.10.1)
Array zeta_sum(const Array& s, const Array& q) {
  const int terms = s.dtype() == ElementType::kF64 ? 16 : 8;
  const std::vector<double> b = bernoulli(2 * terms).to_vector<double>();
  Array sum = numpy::zeros_like(s);
  for (int k = 0; k < terms; ++k) sum = sum + numpy::power(q + static_cast<double>(k), -s);
  const Array end = q + static_cast<double>(terms), last = numpy::power(end, -s);
  Array factor = s / end;  // s (s + 1) ... (s + 2j - 2) / end^(2j - 1)
  double factorial = 1;
  Array rest = 0.5 + numpy::zeros_like(s);
  for (int j = 1; j <= terms; ++j) {
    factorial *= 2.0 * j * (2.0 * j - 1);
    rest = rest + b[2 * j] / factorial * factor;
    factor = factor * ((s + (2.0 * j - 1)) / end) * ((s + 2.0 * j) / end);
  }
  return sum + end * last / (s - 1.0) + last * rest;
}
Array zeta_with_rule(const Array& s, const Array& q) {
  using Two = std::tuple<Array, Array>;
  return custom_jvp([](const Array& a, const Array& b) { return lax::zeta(a, b); })
      .defjvp([](const Two& primals, const Two& tangents) {
        return std::pair(lax::zeta(std::get<0>(primals), std::get<1>(primals)),
                         jvp(zeta_sum, primals, tangents).second);
      })(s, q);
}
}  // namespace

Array zeta(const Operand& x, const Operand& q) { return of_real("zeta", x, q, zeta_with_rule); }
Array factorial(const Operand& n, const FactorialOptions& options) {
  if (options.exact) {
    const UserLocation here(n.location());
    or_throw(unimplemented(at_user_line("factorial") + ": exact = true: floats hold the result"));
  }
  return of_real("factorial", n,
                 [](const Array& k) { return numpy::where(k < 0, 0.0, numpy::exp(lax::lgamma(k + 1.0))); });
}

namespace {
Array combinations(const Array& n, const Array& k) {
  const Array some = (k <= n) & (n >= 0) & (k >= 0);
  const Array a = numpy::where(some, n, 0.0), b = numpy::where(some, k, 0.0);
  const Array log = lax::lgamma(a + 1.0) - lax::lgamma(b + 1.0) - lax::lgamma(a + 1.0 - b);
  return numpy::where(some, numpy::exp(log), 0.0);
}
}  // namespace

Array comb(const Operand& N, const Operand& k, const CombOptions& options) {
  return of_real("comb", N, k, [&](const Array& n, const Array& m) {
    if (!options.repetition) return combinations(n, m);
    return numpy::where((m == 0) & (n >= 0), 1.0, combinations(n + m - 1.0, m));
  });
}

namespace {
Array pochhammer(const Array& z, const Array& m) {
  const auto gamma_of = [](const Array& a) { return sign_of_gamma(a) * numpy::exp(lax::lgamma(a)); };
  // From 20 on, uses the beta function, whose factors don't overflow.
  const Array far = (z > 20) & (m > 0), near = numpy::where(far, 1.0, z), out = numpy::where(far, z, 20.0);
  const Array positive = numpy::where(far, m, 1.0);
  const Array by_beta = numpy::exp(lax::lgamma(positive) - lax::log_beta(out, positive));
  return numpy::where(m == 0.0, 1.0, numpy::where(far, by_beta, gamma_of(near + m) / gamma_of(near)));
}
}  // namespace

Array poch(const Operand& z, const Operand& m) {
  return with_weak_type(of_real("poch", z, m,
                                [](const Array& a, const Array& b) {
                                  return custom_jvp(pochhammer)
                                      .defjvps(
                                          [](const Array& t, const Array& y, const Array& z, const Array& m) {
                                            return (lax::digamma(z + m) - lax::digamma(z)) * y * t;
                                          },
                                          [](const Array& t, const Array& y, const Array& z, const Array& m) {
                                            return lax::digamma(z + m) * y * t;
                                          })(a, b);
                                }),
                        false);
}

Array betaln(const Operand& a, const Operand& b) { return of_real("betaln", a, b, lax::log_beta); }
Array beta(const Operand& a, const Operand& b) {
  return with_weak_type(of_real("beta", a, b,
                                [](const Array& x, const Array& y) {
                                  return sign_of_gamma(x) * sign_of_gamma(y) * sign_of_gamma(x + y) *
                                         numpy::exp(lax::log_beta(x, y));
                                }),
                        false);
}

Array betainc(const Operand& a, const Operand& b, const Operand& x) {
  const UserLocation here(a.location());
  const std::vector<Array> v = real_operands("betainc", {a, b, x});
  return lax::betainc(v[0], v[1], v[2]);
}

Array gammainc(const Operand& a, const Operand& x) {
  return of_real("gammainc", a, x, [](const Array& p, const Array& t) { return lax::igamma(p, t); });
}
Array gammaincc(const Operand& a, const Operand& x) {
  return of_real("gammaincc", a, x, [](const Array& p, const Array& t) { return lax::igammac(p, t); });
}

Array bernoulli(int64_t n, numpy::Line line) {
  const UserLocation here(line);
  if (n < 0)
    or_throw(invalid_argument(fmt::format("{}: n must not be negative; got {}", at_user_line("bernoulli"), n)));
  std::vector<double> numbers(static_cast<size_t>(std::max<int64_t>(n, 2)) + 1, 0.0);
  numbers[0] = 1;
  numbers[1] = -0.5;
  numbers[2] = 1.0 / 6;
  double factor = 1 / (std::numbers::pi * std::numbers::pi);  // 2 m! / (2 pi)^m, with the sign of B_m
  for (size_t m = 4; m < numbers.size(); m += 2) {            // B_m from zeta(m), DLMF 25.6.2
    const double k = static_cast<double>(m);
    factor *= -(k - 1) * k / (4 * std::numbers::pi * std::numbers::pi);
    double zeta = 1;
    for (int i = 2; i < 200; ++i) zeta += std::pow(i, -k);
    numbers[m] = factor * zeta;
  }
  numbers.resize(static_cast<size_t>(n) + 1);
  return numpy::astype(numpy::array(numbers), default_float());
}

}  // namespace hilo::scipy::special
