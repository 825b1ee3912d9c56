// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/special/logarithmic.h"

#include <limits>

#include "hilo/lax/elementwise.h"
#include "hilo/numpy/promotion.h"
#include "hilo/numpy/weighted_exponents.h"
#include "hilo/scipy/special/support.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::special {

namespace {

/// Weakly typed only if it is a number, as in JAX.
Array of_number(const Array& x) { return numpy::weak_number(x, x.weak_type()); }
using Two = std::tuple<Array, Array>;

template <typename Log>
Array times_log(const Array& x, const Array& y, const Log& log) {
  return numpy::where((x != 0) | numpy::isnan(y), x * log(y), numpy::zeros_like(x));
}
Array x_log_y(const Array& x, const Array& y) {
  return times_log(x, y, [](const Array& a) { return numpy::log(a); });
}
Array x_log1p_y(const Array& x, const Array& y) {
  return times_log(x, y, [](const Array& a) { return numpy::log1p(a); });
}
Array x_log_y_with_rule(const Array& x, const Array& y) {
  return custom_jvp(x_log_y).defjvp([](const Two& primals, const Two& tangents) {
    const auto& [a, b] = primals;
    return std::pair(x_log_y(a, b), std::get<0>(tangents) * numpy::log(b) + std::get<1>(tangents) * (a / b));
  })(x, y);
}
Array x_log_x(const Array& x) {
  return with_slope([](const Array& a) { return x_log_y(a, a); },
                    [](const Array& a, const Array&) { return numpy::log(a) + 1.0; }, x);
}
/// Computes log(p / q): near 1 from the difference, far from 1 from two logarithms, because the quotient may overflow.
Array log_ratio(const Array& p, const Array& q) {
  const Array near = (p < 2.0 * q) & (q < 2.0 * p), one = numpy::ones_like(p);
  const Array a = numpy::where(near, p, one), b = numpy::where(near, q, one);
  return numpy::where(near, numpy::log1p((a - b) / b), numpy::log(p) - numpy::log(q));
}
Array times_log_ratio(const Array& p, const Array& q) {
  return custom_jvp([](const Array& a, const Array& b) { return a * log_ratio(a, b); })
      .defjvps([](const Array& t, const Array&, const Array& a, const Array& b) { return t * (log_ratio(a, b) + 1.0); },
               [](const Array& t, const Array&, const Array& a, const Array& b) { return t * -(a / b); })(p, q);
}
/// Computes f(p, q) where both are positive; elsewhere the limits for p or q equal to 0.
template <typename F>
Array of_positive(const Array& p, const Array& q, const F& f, const Array& at_zero) {
  const Array both = (p > 0) & (q > 0), one = numpy::ones_like(p);
  const Array value = f(numpy::where(both, p, one), numpy::where(both, q, one));
  const Array outside = numpy::where(numpy::isnan(p) | numpy::isnan(q), kNan, kInf);
  return numpy::where(both, value, numpy::where((p == 0) & (q >= 0), at_zero, outside));
}
Array relative_entropy(const Array& p, const Array& q) {
  return of_positive(p, q, times_log_ratio, numpy::zeros_like(p));
}
/// Computes p log(p / q) - p + q. Near p = q the terms of first order cancel: uses q d^2 (1/2 - d/6 + d^2/12 - ...)
/// with d = p / q - 1.
Array positive_divergence(const Array& p, const Array& q) {
  const Array d = (p - q) / q, near = numpy::abs(d) < 0.5, small = numpy::where(near, d, 0.0);
  std::vector<double> series;
  for (int k = 0; k < 48; ++k) series.push_back((k % 2 == 0 ? 1.0 : -1.0) / ((k + 1.0) * (k + 2.0)));
  return numpy::where(near, q * small * small * polynomial(series, small), p * log_ratio(p, q) - p + q);
}
/// Computes 1 - p / q: near 1 from the difference, elsewhere such that its derivative is p / q^2 alone.
Array difference_over(const Array& p, const Array& q) {
  const Array near = (p < 2.0 * q) & (q < 2.0 * p), one = numpy::ones_like(p);
  const Array a = numpy::where(near, p, one), b = numpy::where(near, q, one);
  return numpy::where(near, (b - a) / b, 1.0 - numpy::where(near, one, p) / numpy::where(near, one, q));
}
Array divergence(const Array& p, const Array& q) {
  const auto with_rule = [](const Array& x, const Array& y) {
    return custom_jvp([](const Array& a, const Array& b) { return positive_divergence(a, b); })
        .defjvps([](const Array& t, const Array&, const Array& a, const Array& b) { return t * log_ratio(a, b); },
                 [](const Array& t, const Array&, const Array& a, const Array& b) {
                   return t * difference_over(a, b);
                 })(x, y);
  };
  return of_positive(p, q, with_rule, q);
}
/// expm1(lambda log_x) / lambda
Array power_of_log(const Array& log_x, const Array& lambda) {
  const Array zero = lambda == 0, safe = numpy::where(zero, 1.0, lambda);
  return numpy::where(zero, log_x, numpy::expm1(safe * log_x) / safe);
}
/// Computes (base^lambda - 1) / lambda for base = base_of(x), log = log_of(x). Far from 0 uses a power, whose
/// derivative is a power, too.
template <typename Base, typename Log>
Array power_of(const Array& x, const Array& lambda, const Base& base_of, const Log& log_of, double where_log_is_0) {
  const Array far = numpy::abs(lambda * stop_gradient(log_of(x))) > 1;
  const Array near = power_of_log(log_of(numpy::where(far, where_log_is_0, x)), lambda);
  const Array exponent = numpy::where(far, lambda, 1.0), base = base_of(numpy::where(far, x, 1.0));
  return numpy::where(far, (numpy::power(base, exponent) - 1.0) / exponent, near);
}
}  // namespace

Array xlogy(const Operand& x, const Operand& y) { return of_real("xlogy", x, y, x_log_y_with_rule); }
Array xlog1py(const Operand& x, const Operand& y) {
  return of_real("xlog1py", x, y, [](const Array& p, const Array& q) {
    return custom_jvp(x_log1p_y).defjvp([](const Two& primals, const Two& tangents) {
      const auto& [a, b] = primals;
      return std::pair(x_log1p_y(a, b),
                       std::get<0>(tangents) * numpy::log1p(b) + std::get<1>(tangents) * (a / (1.0 + b)));
    })(p, q);
  });
}
Array entr(const Operand& x) {
  return of_real("entr", x,
                 [](const Array& a) { return numpy::where(a < 0, -kInf, -x_log_x(numpy::where(a < 0, 1.0, a))); });
}
Array rel_entr(const Operand& p, const Operand& q) { return of_number(of_real("rel_entr", p, q, relative_entropy)); }
Array kl_div(const Operand& p, const Operand& q) { return of_number(of_real("kl_div", p, q, divergence)); }
Array logit(const Operand& x) {
  return of_number(of_real("logit", x, [](const Array& a) {
    // Near 1/2 uses 2 x - 1, which is exact there.
    const auto value = [](const Array& v) {
      const Array middle = (v > 0.25) & (v < 0.75), safe = numpy::where(middle, v, 0.5);
      return numpy::where(middle, 2.0 * numpy::arctanh(2.0 * safe - 1.0), numpy::log(v / (1.0 - v)));
    };
    const auto slope = [](const Array& v, const Array&) {
      const Array middle = (v > 0.25) & (v < 0.75), w = 2.0 * numpy::where(middle, v, 0.5) - 1.0;
      const Array outer = numpy::where(middle, 2.0, v);
      return numpy::where(middle, 4.0 / (1.0 - w * w), 1.0 / outer + 1.0 / (1.0 - outer));
    };
    return with_slope(value, slope, a);
  }));
}
Array expit(const Operand& x) {
  return of_real("expit", x, [](const Array& a) { return ops::logistic(a); });
}
Array boxcox(const Operand& x, const Operand& lmbda) {
  return of_real("boxcox", x, lmbda, [](const Array& a, const Array& lambda) {
    return power_of(a, lambda, [](const Array& v) { return v; }, [](const Array& v) { return numpy::log(v); }, 1);
  });
}
Array boxcox1p(const Operand& x, const Operand& lmbda) {
  return of_real("boxcox1p", x, lmbda, [](const Array& a, const Array& lambda) {
    return power_of(
        a, lambda, [](const Array& v) { return 1.0 + v; }, [](const Array& v) { return numpy::log1p(v); }, 0);
  });
}

SignedLog logsumexp_with_sign(const Operand& a, const LogsumexpOptions& o) {
  const UserLocation here(a.location());
  std::optional<Array> b = o.b;
  Array x;
  if (b) std::tie(x, b) = numpy::promote_inexact(a.array(), *b);
  else x = numpy::promote_inexact(a.array());
  x = with_weak_type(x, false);
  if (o.where) x = numpy::where(*o.where, x, -kInf);
  const std::optional<Array> minus = Array(-kInf);
  const Array counted = b ? numpy::where(*b != 0, x, -kInf) : x;
  Array top = numpy::max(numpy::real(counted), {.axis = o.axis, .keepdims = true, .initial = minus, .where = o.where});
  top = stop_gradient(numpy::where(numpy::isfinite(top), top, 0.0));
  Array terms = numpy::exp(b ? numpy::weighted_exponents(x, top, *b) : x - top);
  if (b) terms = terms * *b;
  const Array sum = numpy::sum(terms, {.axis = o.axis, .keepdims = true, .where = o.where});
  Array sign = numpy::sign(sum), log;
  if (is_complex(sum.dtype())) {
    sign = numpy::where(sum == 0, 0.0, sum / numpy::abs(sum));
    log = numpy::log(numpy::abs(sum)) + top;
  } else {
    log = numpy::log(numpy::abs(sum)) + top;
  }
  if (o.keepdims) return {log, sign};
  const numpy::Axes axes = o.axis ? o.axis : numpy::Axes(ops::all_dimensions(sum.ndim()));
  return {numpy::squeeze(log, axes), numpy::squeeze(sign, axes)};
}

Array logsumexp(const Operand& a, const LogsumexpOptions& options) {
  const UserLocation here(a.location());
  if (options.return_sign)
    or_throw(invalid_argument(at_user_line("logsumexp") +
                              ": with a sign there are two results. Hint: logsumexp_with_sign(a, ...)"));
  const SignedLog both = logsumexp_with_sign(a, options);
  if (is_complex(both.sign.dtype())) return both.out + std::complex<double>(0, 1) * numpy::angle(both.sign);
  return options.b ? numpy::where(both.sign < 0, std::numeric_limits<double>::quiet_NaN(), both.out) : both.out;
}

Array log_softmax(const Operand& x, const SoftmaxOptions& o) {
  const UserLocation here(x.location());
  const Array a = numpy::promote_inexact(x.array());
  const Array shifted = a - stop_gradient(numpy::max(a, {.axis = o.axis, .keepdims = true}));
  return shifted - numpy::log(numpy::sum(numpy::exp(shifted), {.axis = o.axis, .keepdims = true}));
}
Array softmax(const Operand& x, const SoftmaxOptions& o) {
  const UserLocation here(x.location());
  const Array a = numpy::promote_inexact(x.array());
  const Array terms = numpy::exp(a - stop_gradient(numpy::max(a, {.axis = o.axis, .keepdims = true})));
  return terms / numpy::sum(terms, {.axis = o.axis, .keepdims = true});
}

}  // namespace hilo::scipy::special
