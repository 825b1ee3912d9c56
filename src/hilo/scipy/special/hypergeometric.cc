// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/special/hypergeometric.h"

#include <limits>
#include <numbers>
#include <span>
#include <tuple>

#include "hilo/lax/control_flow.h"
#include "hilo/scipy/special/gamma.h"
#include "hilo/scipy/special/support.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::special {

namespace {

double epsilon_of(const Array& x) {
  return x.dtype() == ElementType::kF64 ? std::numeric_limits<double>::epsilon()
                                        : std::numeric_limits<float>::epsilon();
}

/// A number, and its derivative by one parameter.
struct Sloped {
  Array value, slope;
};
struct SeriesState {
  Array k;
  Sloped sum, term;
};

/// Sums t_0 = 1, t_1 = t_0 r(0), t_2 = t_1 r(1), ... until neither the terms nor their derivatives change the sum.
template <typename Ratio>
Sloped series(const Array& like, int64_t most, const Ratio& ratio) {
  const Array one = numpy::ones_like(like), zero = numpy::zeros_like(like);
  const auto counts = [&](const Array& term, const Array& sum, const Array& k) {
    return numpy::abs(term) * (k + 1.0) > epsilon_of(like) * numpy::abs(sum);
  };
  const auto goes_on = [&](const SeriesState& s) {
    const Array some = counts(s.term.value, s.sum.value, s.k) | counts(s.term.slope, s.sum.slope, s.k);
    return numpy::any(some) & (s.k < static_cast<double>(most));
  };
  const auto next = [&](const SeriesState& s) {
    const Sloped r = ratio(s.k);
    const Sloped sum = {s.sum.value + s.term.value, s.sum.slope + s.term.slope};
    return SeriesState{s.k + 1.0, sum, {s.term.value * r.value, s.term.slope * r.value + s.term.value * r.slope}};
  };
  return lax::while_loop(goes_on, next, SeriesState{numpy::zeros({}, like.dtype()), {zero, zero}, {one, zero}}).sum;
}

enum class Parameter : uint8_t { kNone, kA, kB, kC };

/// Computes 2F1 by its series. Callers pass x = 0 where they use another formula.
Sloped gauss_series(const Array& a, const Array& b, const Array& c, const Array& x, int64_t most,
                    Parameter parameter = Parameter::kNone) {
  return series(x, most, [&](const Array& k) {
    const Array rest = x / ((c + k) * (k + 1.0)), value = (a + k) * (b + k) * rest;
    switch (parameter) {
      case Parameter::kNone: return Sloped{value, numpy::zeros_like(value)};
      case Parameter::kA: return Sloped{value, (b + k) * rest};
      case Parameter::kB: return Sloped{value, (a + k) * rest};
      case Parameter::kC: return Sloped{value, -value / (c + k)};
    }
    __builtin_unreachable();
  });
}

/// Computes 1F1 by its series.
Sloped kummer_series(const Array& a, const Array& b, const Array& x, Parameter parameter = Parameter::kNone) {
  return series(x, 1000, [&](const Array& k) {
    const Array rest = x / ((b + k) * (k + 1.0)), value = (a + k) * rest;
    switch (parameter) {
      case Parameter::kNone:
      case Parameter::kC: return Sloped{value, numpy::zeros_like(value)};
      case Parameter::kA: return Sloped{value, rest};
      case Parameter::kB: return Sloped{value, -value / (b + k)};
    }
    __builtin_unreachable();
  });
}

Array is_integer_number(const Array& x) { return numpy::abs(x - numpy::round(x)) < 50 * epsilon_of(x); }
/// Returns whether x is 0, -1, -2, ... Such an upper parameter ends the sum; a lower one makes it infinite.
Array ends(const Array& x) { return (x <= 0) & (x == numpy::round(x)); }
/// Returns whether the sum ends before the lower parameter `c` divides by 0.
Array ends_before(const Array& a, const Array& c) { return ends(a) & (~ends(c) | (a > c)); }

/// Returns the product of gamma(x) for x in `above`, divided by that for `below`; 0 if one of the latter is a pole.
Array gamma_quotient(const std::vector<Array>& above, const std::vector<Array>& below) {
  Array log = numpy::zeros_like(above[0]), sign = numpy::ones_like(log);
  const auto take = [&](const Array& x, double factor) {
    const Array s = gammasgn(x);
    log = log + factor * lax::lgamma(x);
    sign = sign * numpy::where(numpy::isnan(s), 1.0, s);
  };
  for (const Array& x : above) take(x, 1);
  for (const Array& x : below) take(x, -1);
  return sign * numpy::exp(log);
}

Array nan_where(const Array& use, const Array& x) {
  return numpy::where(use, std::numeric_limits<double>::quiet_NaN(), x);
}

// ---- 1F1 ------------------------------------------------------------------------------------------------------------

/// For large x: gamma(b) / gamma(a) e^x x^(a - b), times the sum of (b - a)_k (1 - a)_k / k! x^-k.
Array kummer_far(const Array& a, const Array& b, const Array& x) {
  const Array zero = numpy::zeros_like(x);
  const Array sum =
      series(x, 30, [&](const Array& k) { return Sloped{(b - a + k) * (1.0 - a + k) / ((k + 1.0) * x), zero}; }).value;
  const Array sign = gammasgn(a) * gammasgn(b);
  return sign * numpy::exp(lax::lgamma(b) - lax::lgamma(a) + x + (a - b) * numpy::log(x)) * sum;
}

Array kummer_value(const Array& a0, const Array& b, const Array& x0) {
  const Array over = ends_before(a0, b);
  const Array mirrored = (x0 < 0) & ~over;  // e^x 1F1(b - a; b; -x) has no cancellation
  const Array a = numpy::where(mirrored, b - a0, a0), x = numpy::where(mirrored, -x0, x0);
  const Array infinite = ends(b) & ~over, far = (x >= 100) & ~ends(a);
  const auto where = [](const Array& use, const Array& v, double otherwise) { return numpy::where(use, v, otherwise); };
  const Array near_x = where(~far & ~infinite, x, 0), near_b = where(~infinite, b, 1);
  const Array near = kummer_series(a, near_b, near_x).value;
  const Array distant = kummer_far(where(far, a, 1), where(far & ~infinite, b, 1), where(far, x, 100));
  const Array value = numpy::where(far, distant, near);
  const Array out = numpy::where(mirrored, numpy::exp(x0) * value, value);
  const Array known = numpy::where(a0 == 0, 1.0, numpy::where(infinite, kInf, out));
  return nan_where(numpy::isnan(a0) | numpy::isnan(b) | numpy::isnan(x0), known);
}

Array kummer(const Array& a, const Array& b, const Array& x) {
  return custom_jvp(kummer_value)
      .defjvps([](const Array& t, const Array&, const Array& a, const Array& b,
                  const Array& x) { return t * kummer_series(a, b, x, Parameter::kA).slope; },
               [](const Array& t, const Array&, const Array& a, const Array& b, const Array& x) {
                 return t * kummer_series(a, b, x, Parameter::kB).slope;
               },
               [](const Array& t, const Array&, const Array& a, const Array& b, const Array& x) {
                 return t * a / b * kummer(a + 1.0, b + 1.0, x);
               })(a, b, x);
}

// ---- 2F1 ------------------------------------------------------------------------------------------------------------

/// The function at 0 <= x < 1 with d = c - a - b >= 0, times a factor.
struct Gauss {
  Array a, b, c, x, factor;
  Array d() const { return c - a - b; }
};

Gauss where(const Array& use, const Gauss& x, const Gauss& y) {
  return {numpy::where(use, x.a, y.a), numpy::where(use, x.b, y.b), x.c, numpy::where(use, x.x, y.x),
          numpy::where(use, x.factor, y.factor)};
}

/// Transforms negative x to x / (x - 1).
Gauss without_negative(const Gauss& g) {
  const Array use = (g.x < 0) & ~ends(g.a) & ~ends(g.b), x = numpy::where(use, g.x, 0.0);
  return where(use, {g.a, g.c - g.b, g.c, x / (x - 1.0), g.factor * numpy::power(1.0 - x, -g.a)}, g);
}
/// Transforms negative d, near x = 1, by the factor (1 - x)^d.
Gauss without_growth(const Gauss& g) {
  const Array use = (g.x > 0.9) & (g.x < 1) & (g.d() < 0) & ~ends(g.a) & ~ends(g.b), x = numpy::where(use, g.x, 0.0);
  return where(use, {g.c - g.a, g.c - g.b, g.c, g.x, g.factor * numpy::power(1.0 - x, g.d())}, g);
}

/// Computes the function by two series in s = 1 - x, if d is not an integer.
Array around_one(const Gauss& g) {
  const Array d = g.d(), s = 1.0 - g.x, ca = g.c - g.a, cb = g.c - g.b;
  const Array first = gamma_quotient({g.c, d}, {ca, cb}) * gauss_series(g.a, g.b, 1.0 - d, s, 500).value;
  const Array second = gamma_quotient({g.c, -d}, {g.a, g.b}) * gauss_series(ca, cb, 1.0 + d, s, 500).value;
  return first + numpy::power(s, d) * second;
}

/// Returns the sum of n < m terms (a)_n (b)_n / (n! (1 - m)_n) s^n.
Array finite_part(const Gauss& g, const Array& m, const Array& s) {
  using State = std::tuple<Array, Array, Array>;  // n, sum, term
  const auto goes_on = [&](const State& now) { return numpy::any(std::get<0>(now) < m); };
  const auto next = [&](const State& now) {
    const auto& [n, sum, term] = now;
    const Array divisor = (n + 1.0) * (1.0 - m + n);
    const Array ratio = (g.a + n) * (g.b + n) * s / numpy::where(divisor == 0, 1.0, divisor);
    return State(n + 1.0, numpy::where(n < m, sum + term, sum), term * ratio);
  };
  const Array zero = numpy::zeros({}, s.dtype());
  return std::get<1>(lax::while_loop(goes_on, next, State(zero, numpy::zeros_like(s), numpy::ones_like(s))));
}

/// Returns the sum of (a + m)_n (b + m)_n m! / (n! (n + m)!) s^n times log(s) - psi(n + 1) - psi(n + m + 1) + psi(a + n
/// + m) + psi(b + n + m).
Array logarithmic_part(const Gauss& g, const Array& m, const Array& s) {
  using State = std::tuple<Array, Array, Array, Array>;  // n, sum, factor, last term
  const Array log = numpy::log(s);
  const auto goes_on = [&](const State& now) {
    const Array some = numpy::abs(std::get<3>(now)) > epsilon_of(s) * numpy::abs(std::get<1>(now));
    return numpy::any(some) & (std::get<0>(now) < 500.0);
  };
  const auto next = [&](const State& now) {
    const auto& [n, sum, factor, last] = now;
    const Array bracket = log - lax::digamma(n + numpy::ones_like(s)) - lax::digamma(n + m + 1.0) +
                          lax::digamma(g.a + n + m) + lax::digamma(g.b + n + m);
    const Array term = factor * bracket;
    const Array ratio = (g.a + m + n) * (g.b + m + n) / ((n + 1.0) * (n + m + 1.0)) * s;
    return State(n + 1.0, sum + term, factor * ratio, term);
  };
  const Array zero = numpy::zeros_like(s), one = numpy::ones_like(s);
  return std::get<1>(lax::while_loop(goes_on, next, State(numpy::zeros({}, s.dtype()), zero, one, one)));
}

/// Computes the function by a polynomial and a series with logarithms in s = 1 - x, if d is an integer m >= 0.
Array around_one_with_logarithm(const Gauss& g) {
  const Array m = numpy::round(g.d()), s = 1.0 - g.x;
  const Array am = g.a + m, bm = g.b + m;
  const Array top = numpy::where(m == 0, 1.0, m);
  const Array polynomial = gamma_quotient({g.c, top}, {am, bm}) * finite_part(g, m, s);
  const Array even = numpy::where(numpy::mod(m, 2.0) == 0, 1.0, -1.0);
  const Array series =
      even * numpy::power(s, m) * gamma_quotient({g.c}, {g.a, g.b, m + 1.0}) * logarithmic_part(g, m, s);
  return numpy::where(m == 0, 0.0, polynomial) - series;
}

Array gauss_value(const Array& a, const Array& b, const Array& c, const Array& x) {
  const Array over = ends_before(a, c) | ends_before(b, c);
  const Array at_one = (x == 1) & ~over, infinite = ((ends(c) | (x > 1)) & ~over) | (at_one & (c - a - b <= 0));
  const Array plain = ~at_one & ~infinite;
  const Array safe_c = numpy::where(ends(c) & ~over, 1.0, c), safe_x = numpy::where(plain, x, 0.0);
  const Gauss g = without_growth(without_negative({a, b, safe_c, safe_x, numpy::ones_like(x)}));
  const Array near_one = (g.x > 0.9) & (g.x < 1) & ~ends(g.a) & ~ends(g.b);
  const Array whole = near_one & is_integer_number(g.d()), broken = near_one & ~is_integer_number(g.d());
  const Array half = numpy::full_like(x, 0.5), one = numpy::ones_like(x);
  const Gauss in_whole = {half, half, one, half, one}, in_broken = {half, half, one + half, half, one};
  const auto with_c = [](const Array& use, const Gauss& of, const Gauss& otherwise) {
    Gauss out = where(use, of, otherwise);
    out.c = numpy::where(use, of.c, otherwise.c);
    return out;
  };
  const Array direct = gauss_series(g.a, g.b, g.c, numpy::where(near_one, 0.0, g.x), 1000).value;
  const Array by_two = around_one(with_c(broken, g, in_broken));
  const Array by_logarithm = around_one_with_logarithm(with_c(whole, g, in_whole));
  const Array value = g.factor * numpy::where(whole, by_logarithm, numpy::where(broken, by_two, direct));
  const auto at = [&](const Array& v, double otherwise) { return numpy::where(at_one & ~infinite, v, otherwise); };
  const Array d = at(c - a - b, 1), gauss = gamma_quotient({at(c, 3), d}, {at(c - a, 2), at(c - b, 2)});
  const Array out = numpy::where(infinite, kInf, numpy::where(at_one, gauss, value));
  const Array known = numpy::where((x == 0) | (((a == 0) | (b == 0)) & (c != 0)), 1.0, out);
  return nan_where(numpy::isnan(a) | numpy::isnan(b) | numpy::isnan(c) | numpy::isnan(x), known);
}

/// Returns the derivative by a parameter at x = 1, from the quotient of gamma functions.
Array slope_at_one(const Array& a, const Array& b, const Array& c, Parameter parameter) {
  const Array d = c - a - b, value = gamma_quotient({c, d}, {c - a, c - b});
  const Array psi = lax::digamma(d);
  if (parameter == Parameter::kA) return value * (lax::digamma(c - a) - psi);
  if (parameter == Parameter::kB) return value * (lax::digamma(c - b) - psi);
  return value * (lax::digamma(c) + psi - lax::digamma(c - a) - lax::digamma(c - b));
}

/// Returns whether the sum at x = 1 is infinite, although each term is finite.
Array diverges(const Array& a, const Array& b, const Array& c, const Array& x) {
  return (x == 1) & (c - a - b <= 0) & ~(ends(c) | ends_before(a, c) | ends_before(b, c));
}

/// Returns the derivative by a parameter from the series; for x < 0 from the series in x / (x - 1), by the product
/// rule. NaN above 1, `infinite` where the sum is infinite.
Array gauss_slope(const Array& a, const Array& b, const Array& c, const Array& x, Parameter parameter,
                  double infinite) {
  constexpr int64_t kMaxTerms = 10000;
  const Array negative = x < 0, inside = x < 1, z = numpy::where(inside, x, 0.0);
  const Array y = numpy::where(negative, z / (z - 1.0), z), other = numpy::where(negative, c - b, b);
  const Array rest = numpy::where(negative, 1.0 - z, 1.0), factor = numpy::power(rest, -a);
  const auto slope = [&](Parameter p) { return gauss_series(a, other, c, y, kMaxTerms, p); };
  Array out = factor;
  if (parameter == Parameter::kA) {
    const Sloped f = slope(Parameter::kA);
    out = out * (f.slope - numpy::log(rest) * f.value);
  } else {
    const Array in_b = slope(Parameter::kB).slope;
    if (parameter == Parameter::kB) out = out * numpy::where(negative, -in_b, in_b);
    else out = out * (slope(Parameter::kC).slope + numpy::where(negative, in_b, 0.0));
  }
  const Array at_one = numpy::where(diverges(a, b, c, x), infinite, slope_at_one(a, b, c, parameter));
  return nan_where(x > 1, numpy::where(x == 1, at_one, out));
}

/// Computes the function with the requested derivatives. If the sum is infinite, so are they. The derivative by x is of
/// a higher order than those by a, b and c, which count as 0.
Array gauss(const Array& a, const Array& b, const Array& c, const Array& x) {
  using Four = std::tuple<Array, Array, Array, Array>;
  const auto rule = [](const Four& primals, const Four& tangents) {
    const auto& [a, b, c, x] = primals;
    const Array& in_x = std::get<3>(tangents);
    const bool x_varies = !is_symbolic_zero(in_x);
    const Array value = gauss(a, b, c, x);
    Array slope = numpy::zeros_like(value);
    const auto add = [&](const Array& t, Parameter parameter) {
      if (is_symbolic_zero(t)) return;
      const double infinite = x_varies ? 0 : parameter == Parameter::kC ? -kInf : kInf;
      slope = slope + t * gauss_slope(std::get<0>(primals), std::get<1>(primals), std::get<2>(primals),
                                      std::get<3>(primals), parameter, infinite);
    };
    add(std::get<0>(tangents), Parameter::kA);
    add(std::get<1>(tangents), Parameter::kB);
    add(std::get<2>(tangents), Parameter::kC);
    if (x_varies) slope = slope + in_x * a * b / c * gauss(a + 1.0, b + 1.0, c + 1.0, x);
    return std::pair(value, slope);
  };
  return custom_jvp(gauss_value).defjvp(rule, {.symbolic_zeros = true})(a, b, c, x);
}

}  // namespace

Array hyp1f1(const Operand& a, const Operand& b, const Operand& x) {
  const UserLocation here(a.location());
  const auto f = [](const std::vector<Array>& v) { return kummer(v[0], v[1], v[2]); };
  return with_weak_type(widely(real_operands("hyp1f1", {a, b, x}), f), false);
}

Array hyp2f1(const Operand& a, const Operand& b, const Operand& c, const Operand& x) {
  const UserLocation here(a.location());
  const auto f = [](const std::vector<Array>& v) { return gauss(v[0], v[1], v[2], v[3]); };
  return with_weak_type(widely(real_operands("hyp2f1", {a, b, c, x}), f), false);
}

}  // namespace hilo::scipy::special
