// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/incomplete_gamma.h"

#include <cmath>
#include <limits>
#include <tuple>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/elementwise.h"
#include "hilo/lax/in_wide.h"
#include "hilo/lax/reductions.h"
#include "hilo/lax/special.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/grad.h"

namespace hilo::lax {
namespace {

using namespace hilo::ops;  // algebra over these wrappers

/// The requested value of a series or a fraction: P or Q, dP/da, or -(dP/da)/(dP/dx).
enum class Quantity : uint8_t { kValue, kDerivative, kSampleDerivative };

double epsilon(ElementType type) {
  return type == ElementType::kF64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}
double log_of_greatest(ElementType type) {
  return std::log(type == ElementType::kF64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max());
}

Array constant_of(const Array& like, double value) { return ops::full_like(like, value); }
Array some(const Array& flags) { return reduce_or(flags, all_dimensions(flags.ndim())); }
Array keep(const Array& on, const Array& fresh, const Array& old) { return select(on, fresh, old); }
Array above_limit(const Array& x, double limit) { return gt(x, constant_of(x, limit)); }

/// x^a e^-x / Gamma(a)
Array weight_log(const Array& a, const Array& x) { return sub(sub(mul(a, log(x)), x), lax::lgamma(a)); }

/// Computes P(a, x) / weight = sum of x^n / (a (a+1) ... (a+n)), and its derivative, where `enabled`.
Array series(const Array& weight, const Array& x, const Array& a, const Array& enabled, Quantity quantity) {
  using State =
      std::tuple<Array, Array, Array, Array, Array, Array>;  // enabled, a + n, term, sum, and d/da of term and sum
  const double eps = epsilon(x.dtype());
  const Array one = constant_of(a, 1), zero = constant_of(a, 0);
  const auto step = [&](const State& s) {
    const auto& [on, r0, c0, sum0, dc0, dsum0] = s;
    const Array r = add(r0, one), ratio = div(x, r);
    const Array dc = sub(mul(dc0, ratio), div(mul(c0, x), mul(r, r)));
    const Array dsum = add(dsum0, dc), c = mul(c0, ratio), sum = add(sum0, c);
    const Array rest = quantity == Quantity::kValue ? div(c, sum) : abs(div(dc, dsum));
    return State(ops::bitwise_and(on, above_limit(rest, eps)), keep(on, r, r0), keep(on, c, c0), keep(on, sum, sum0),
                 keep(on, dc, dc0), keep(on, dsum, dsum0));
  };
  const State end =
      while_loop([](const State& s) { return some(std::get<0>(s)); }, step, State(enabled, a, one, one, zero, zero));
  const Array &sum = std::get<3>(end), &dsum = std::get<5>(end);
  if (quantity == Quantity::kValue) return div(mul(sum, weight), a);
  const Array slope = add(dsum, mul(sum, sub(log(x), lax::digamma(add(a, one)))));
  return quantity == Quantity::kDerivative ? div(mul(weight, slope), a) : div(mul(neg(slope), x), a);
}

/// A convergent p/q of the fraction, the previous one, and d/da of all four.
struct Convergents {
  Array p1, q1, p2, q2, dp1, dq1, dp2, dq2;
};
struct FractionState {
  Array enabled, value, slope, y, z, count;
  Convergents c;
};

/// Returns the next two convergents, scaled down if they grow too large.
Convergents next(const Convergents& c, const Array& y, const Array& z, const Array& n, Array& p, Array& q, Array& dp,
                 Array& dq, double eps) {
  const Array yn = mul(y, n);
  p = sub(mul(c.p1, z), mul(c.p2, yn));
  q = sub(mul(c.q1, z), mul(c.q2, yn));
  dp = add(sub(sub(mul(c.dp1, z), c.p1), mul(c.dp2, yn)), mul(c.p2, n));
  dq = add(sub(sub(mul(c.dq1, z), c.q1), mul(c.dq2, yn)), mul(c.q2, n));
  const Array great = above_limit(abs(p), 1 / eps);
  const auto scaled = [&](const Array& v) { return select(great, mul(v, constant_of(v, eps)), v); };
  return {scaled(p), scaled(q), scaled(c.p1), scaled(c.q1), scaled(dp), scaled(dq), scaled(c.dp1), scaled(c.dq1)};
}

FractionState step_of(const FractionState& s, Quantity quantity, double eps) {
  const Array one = constant_of(s.y, 1);
  const Array n = add(s.count, one), y = add(s.y, one), z = add(s.z, constant_of(s.z, 2));
  Array p = one, q = one, dp = one, dq = one;
  const Convergents c = next(s.c, y, z, n, p, q, dp, dq, eps);
  const Array some_q = ne(q, constant_of(q, 0)), ratio = div(p, q);
  const Array value = select(some_q, ratio, s.value);
  const Array slope = select(some_q, div(sub(dp, mul(value, dq)), q), s.slope);
  const Array change = quantity == Quantity::kValue ? abs(div(sub(s.value, ratio), ratio)) : abs(sub(slope, s.slope));
  const Array rest = select(some_q, change, one);
  const Array go_on = ops::bitwise_and(lt(n, constant_of(n, 2000)), above_limit(rest, eps));
  const Array& on = s.enabled;
  const auto retained = [&](const Array& fresh, const Array& old) { return keep(on, fresh, old); };
  return {ops::bitwise_and(on, go_on),
          retained(value, s.value),
          retained(slope, s.slope),
          retained(y, s.y),
          retained(z, s.z),
          retained(n, s.count),
          {retained(c.p1, s.c.p1), retained(c.q1, s.c.q1), retained(c.p2, s.c.p2), retained(c.q2, s.c.q2),
           retained(c.dp1, s.c.dp1), retained(c.dq1, s.c.dq1), retained(c.dp2, s.c.dp2), retained(c.dq2, s.c.dq2)}};
}

/// Computes Q(a, x) by its continued fraction, and its derivatives, where `enabled`.
Array fraction(const Array& weight, const Array& x, const Array& a, const Array& enabled, Quantity quantity) {
  const double eps = epsilon(x.dtype());
  const Array zero = constant_of(a, 0), one = constant_of(a, 1);
  const Array y = sub(one, a), z = add(add(x, y), one);
  const Convergents c = {add(x, one), mul(z, x), one, x, zero, neg(x), zero, zero};
  const Array value = div(c.p1, c.q1), slope = div(sub(c.dp1, mul(value, c.dq1)), c.q1);
  const FractionState end = while_loop([](const FractionState& s) { return some(s.enabled); },
                                       [&](const FractionState& s) { return step_of(s, quantity, eps); },
                                       FractionState{enabled, value, slope, y, z, zero, c});
  if (quantity == Quantity::kValue) return mul(end.value, weight);
  const Array whole = add(end.slope, mul(end.value, sub(log(x), lax::digamma(a))));
  return quantity == Quantity::kDerivative ? mul(weight, whole) : mul(neg(whole), x);
}

/// The regions in which the functions have values by definition, and the weight.
struct Regions {
  Array nan, zero, infinite, outside, no_a, underflow, weight;
};
Regions regions_of(const Array& a, const Array& x) {
  const Array log_weight = weight_log(a, x);
  return {ops::bitwise_or(ne(a, a), ne(x, x)),
          eq(x, constant_of(x, 0)),
          eq(x, constant_of(x, std::numeric_limits<double>::infinity())),
          ops::bitwise_or(ops::bitwise_or(lt(x, constant_of(x, 0)), lt(a, constant_of(a, 0))),
                          ops::bitwise_and(eq(a, constant_of(a, 0)), eq(x, constant_of(x, 0)))),
          eq(a, constant_of(a, 0)),
          lt(log_weight, constant_of(a, -log_of_greatest(a.dtype()))),
          exp(log_weight)};
}
Array nan_of(const Array& x) { return constant_of(x, std::numeric_limits<double>::quiet_NaN()); }

/// Whether the fraction is more accurate than the series.
Array by_fraction(const Array& a, const Array& x) { return ops::bitwise_and(above_limit(x, 1), gt(x, a)); }

Array lower_gamma(const Array& a, const Array& x) {
  const Regions r = regions_of(a, x);
  const Array enabled = bitwise_not(ops::bitwise_or(ops::bitwise_or(ops::bitwise_or(r.zero, r.no_a), r.outside),
                                                    ops::bitwise_or(r.underflow, r.nan)));
  const Array far = by_fraction(a, x), one = constant_of(x, 1);
  const Array value = select(far, sub(one, fraction(r.weight, x, a, ops::bitwise_and(enabled, far), Quantity::kValue)),
                             series(r.weight, x, a, ops::bitwise_and(enabled, bitwise_not(far)), Quantity::kValue));
  const Array ends = select(r.zero, constant_of(x, 0), select(ops::bitwise_or(r.infinite, r.no_a), one, value));
  return select(ops::bitwise_or(r.outside, r.nan), nan_of(x), ends);
}

Array upper_gamma(const Array& a, const Array& x) {
  const Regions r = regions_of(a, x);
  const Array enabled = bitwise_not(ops::bitwise_or(ops::bitwise_or(ops::bitwise_or(r.zero, r.no_a), r.outside),
                                                    ops::bitwise_or(r.underflow, r.nan)));
  const Array near = ops::bitwise_or(lt(x, constant_of(x, 1)), lt(x, a)), one = constant_of(x, 1);
  const Array value = select(near, sub(one, series(r.weight, x, a, ops::bitwise_and(enabled, near), Quantity::kValue)),
                             fraction(r.weight, x, a, ops::bitwise_and(enabled, bitwise_not(near)), Quantity::kValue));
  const Array ends = select(r.zero, one, select(ops::bitwise_or(r.infinite, r.no_a), constant_of(x, 0), value));
  return select(ops::bitwise_or(r.outside, r.nan), nan_of(x), ends);
}

Array derivative(const Array& a, const Array& x, Quantity quantity) {
  const Regions r = regions_of(a, x);
  const Array never = quantity == Quantity::kDerivative ? ops::bitwise_or(r.underflow, r.infinite) : r.infinite;
  const Array outside = ops::bitwise_or(r.outside, r.no_a);
  const Array enabled = bitwise_not(ops::bitwise_or(ops::bitwise_or(r.zero, outside), ops::bitwise_or(never, r.nan)));
  const Array far = by_fraction(a, x);
  const Array fraction_value = fraction(r.weight, x, a, ops::bitwise_and(enabled, far), quantity);
  // The fraction yields Q = 1 - P. The formula of a sample's derivative contains both signs already.
  const Array value =
      select(far, neg(fraction_value), series(r.weight, x, a, ops::bitwise_and(enabled, bitwise_not(far)), quantity));
  const Array ends = select(ops::bitwise_or(r.zero, never), constant_of(x, 0), value);
  return select(ops::bitwise_or(outside, r.nan), nan_of(x), ends);
}

/// Returns dP/dx, the density of the gamma distribution.
Array density(const Array& a, const Array& x) {
  return exp(sub(sub(mul(sub(a, constant_of(a, 1)), log(x)), x), lax::lgamma(a)));
}

template <typename F>
Array of_two(const char* name, const Operand& a, const Operand& x, const F& f) {
  const UserLocation here(a.location());
  return in_wide(name, {a, x}, [&](std::span<const Array> v) { return f(v[0], v[1]); });
}

Array igamma_of(const Array& a, const Array& x) {
  static const auto* const f = new auto(
      custom_jvp([](Array p, Array y) { return lower_gamma(p, y); })
          .defjvps([](Array t, Array, Array p, Array y) { return mul(t, derivative(p, y, Quantity::kDerivative)); },
                   [](Array t, Array, Array p, Array y) { return mul(t, density(p, y)); }));
  return (*f)(a, x);
}
Array igammac_of(const Array& a, const Array& x) {
  static const auto* const f =
      new auto(custom_jvp([](Array p, Array y) { return upper_gamma(p, y); })
                   .defjvps([](Array t, Array, Array p,
                               Array y) { return neg(mul(t, derivative(p, y, Quantity::kDerivative))); },
                            [](Array t, Array, Array p, Array y) { return neg(mul(t, density(p, y))); }));
  return (*f)(a, x);
}

/// Computes dP/da or the derivative of a sample. Their own derivatives are those of the steps of series and fraction.
template <Quantity kQuantity>
Array derivative_of(const Array& a, const Array& x) {
  using Two = std::tuple<Array, Array>;
  constexpr auto kValue = [](const Array& p, const Array& y) { return derivative(p, y, kQuantity); };
  static const auto* const f = new auto(custom_jvp(kValue).defjvp([kValue](const Two& at, const Two& tangents) {
    const auto& [p, y] = at;
    const Array one = constant_of(p, 1), zero = constant_of(p, 0);
    const Array in_a = jvp(kValue, at, Two(one, zero)).second, in_x = jvp(kValue, at, Two(zero, one)).second;
    return std::pair(kValue(p, y), add(mul(in_a, std::get<0>(tangents)), mul(in_x, std::get<1>(tangents))));
  }));
  return (*f)(a, x);
}

}  // namespace

Array igamma(const Operand& a, const Operand& x) { return of_two("igamma", a, x, igamma_of); }
Array igammac(const Operand& a, const Operand& x) { return of_two("igammac", a, x, igammac_of); }

Array igamma_grad_a(const Operand& a, const Operand& x) {
  return of_two("igamma_grad_a", a, x, derivative_of<Quantity::kDerivative>);
}
Array random_gamma_grad(const Operand& a, const Operand& x) {
  const Array out = of_two("random_gamma_grad", a, x, derivative_of<Quantity::kSampleDerivative>);
  return with_weak_type(out, out.weak_type() && out.ndim() == 0);  // as in JAX
}

}  // namespace hilo::lax
