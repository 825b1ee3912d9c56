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

constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
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
    return std::pair(x_log_y(a, b), std::get<0>(tangents) * numpy::log(b) + std::get<1>(tangents) * a / b);
  })(x, y);
}
Array x_log_x(const Array& x) {
  return with_slope([](const Array& a) { return x_log_y(a, a); },
                    [](const Array& a, const Array&) { return numpy::log(a) + 1.0; }, x);
}
Array relative_entropy(const Array& p, const Array& q) {
  const Array both = (p > 0) & (q > 0), one = numpy::ones_like(p);
  const Array a = numpy::where(both, p, one), b = numpy::where(both, q, one);
  const Array outside =
      numpy::where((p == 0) & (q >= 0), 0.0, numpy::where(numpy::isnan(p) | numpy::isnan(q), kNan, kInf));
  return numpy::where(both, x_log_x(a) - x_log_y_with_rule(a, b), outside);
}
/// expm1(lambda log_x) / lambda
Array power_of_log(const Array& log_x, const Array& lambda) {
  const Array zero = lambda == 0, safe = numpy::where(zero, 1.0, lambda);
  return numpy::where(zero, log_x, numpy::expm1(safe * log_x) / safe);
}

}  // namespace

Array xlogy(const Operand& x, const Operand& y) { return of_real("xlogy", x, y, x_log_y_with_rule); }
Array xlog1py(const Operand& x, const Operand& y) {
  return of_real("xlog1py", x, y, [](const Array& p, const Array& q) {
    return custom_jvp(x_log1p_y).defjvp([](const Two& primals, const Two& tangents) {
      const auto& [a, b] = primals;
      return std::pair(x_log1p_y(a, b),
                       std::get<0>(tangents) * numpy::log1p(b) + std::get<1>(tangents) * a / (1.0 + b));
    })(p, q);
  });
}
Array entr(const Operand& x) {
  return of_real("entr", x,
                 [](const Array& a) { return numpy::where(a < 0, -kInf, -x_log_x(numpy::where(a < 0, 1.0, a))); });
}
Array rel_entr(const Operand& p, const Operand& q) { return of_real("rel_entr", p, q, relative_entropy); }
Array kl_div(const Operand& p, const Operand& q) {
  return of_real("kl_div", p, q, [](const Array& a, const Array& b) { return relative_entropy(a, b) - a + b; });
}
Array logit(const Operand& x) {
  return of_real("logit", x, [](const Array& a) {
    return with_slope([](const Array& v) { return numpy::log(v / (1.0 - v)); },
                      [](const Array& v, const Array&) { return 1.0 / (v * (1.0 - v)); }, a);
  });
}
Array expit(const Operand& x) {
  return of_real("expit", x, [](const Array& a) { return ops::logistic(a); });
}
Array boxcox(const Operand& x, const Operand& lmbda) {
  return of_real("boxcox", x, lmbda,
                 [](const Array& a, const Array& lambda) { return power_of_log(numpy::log(a), lambda); });
}
Array boxcox1p(const Operand& x, const Operand& lmbda) {
  return of_real("boxcox1p", x, lmbda,
                 [](const Array& a, const Array& lambda) { return power_of_log(numpy::log1p(a), lambda); });
}

SignedLog logsumexp_with_sign(const Operand& a, const LogsumexpOptions& o) {
  const UserLocation here(a.location());
  Array x = numpy::promote_inexact(a.array());
  std::optional<Array> b = o.b;
  if (b) std::tie(x, b) = numpy::promote_inexact(x, *b);
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
