// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/stats/discrete.h"

#include <fmt/format.h>

#include <cmath>

#include "hilo/lax/linalg.h"
#include "hilo/numpy/promotion.h"
#include "hilo/scipy/stats/support.h"

namespace hilo::scipy::stats {

namespace {
bool is_counted(const Array& x) { return is_integer(x.dtype()) || x.dtype() == ElementType::kPred; }
}  // namespace

Array bernoulli::logpmf(const Operand& k, const Operand& p, const Operand& loc) {
  const auto f = [](const Array& k, const Array& p, const Array& loc) {
    const Array x = k - loc, value = special::xlogy(x, p) + special::xlog1py(1.0 - x, -p);
    return numpy::where((x < 0) | (x > 1), -kInf, value);
  };
  return over("bernoulli.logpmf", f, k, p, loc);
}
Array bernoulli::pmf(const Operand& k, const Operand& p, const Operand& loc) {
  return exp_of(bernoulli::logpmf, k, p, loc);
}
Array bernoulli::cdf(const Operand& k, const Operand& p) {
  const auto f = [](const Array& k, const Array& p) {
    const Array bad = numpy::isnan(k) | ~((p >= 0) & (p <= 1));
    return numpy::where(bad, kNan, numpy::where(k < 0, 0.0, numpy::where(k < 1, 1.0 - p, 1.0)));
  };
  return over("bernoulli.cdf", f, k, p);
}
Array bernoulli::ppf(const Operand& q, const Operand& p) {
  const auto f = [](const Array& q, const Array& p) {
    const Array good = (p >= 0) & (p <= 1) & (q >= 0) & (q <= 1);
    return numpy::where(good, numpy::where(q <= 1.0 - p, numpy::zeros_like(q), 1.0), kNan);
  };
  return over("bernoulli.ppf", f, q, p);
}

Array binom::logpmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc) {
  const auto f = [](const Array& k, const Array& n, const Array& p, const Array& loc) {
    const Array inside = (k >= loc) & (k < loc + n + 1.0);
    const Array y = numpy::where(inside, k - loc, 0.0);  // elsewhere the gamma function has poles
    const Array linear = special::xlogy(y, p) + special::xlog1py(n - y, -p);
    const Array ways = special::gammaln(n + 1.0) - (special::gammaln(y + 1.0) + special::gammaln(n - y + 1.0));
    const Array value = numpy::where(((y == 0) & (n == 0)) | (linear == 0), 0.0, ways + linear);
    return numpy::where(inside, value, -kInf);
  };
  return over("binom.logpmf", f, k, n, p, loc);
}
Array binom::pmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc) {
  return exp_of(binom::logpmf, k, n, p, loc);
}

Array betabinom::logpmf(const Operand& k, const Operand& n, const Operand& a, const Operand& b, const Operand& loc) {
  const auto f = [](const Array& k, const Array& n, const Array& a, const Array& b, const Array& loc) {
    const Array y = numpy::floor(k) - loc;
    const Array ways = -(numpy::log1p(n) + special::betaln(n - y + 1.0, y + 1.0));
    const Array value = ways + special::betaln(y + a, n - y + b) - special::betaln(a, b);
    const Array outside = (y < -loc) | (y > n) | (y + a <= 0);
    const Array inside = numpy::where(outside, -kInf, numpy::where((y == 0) & (n == 0), 0.0, value));
    return numpy::where((n < 0) | (a <= 0) | (b <= 0), kNan, inside);
  };
  return over("betabinom.logpmf", f, k, n, a, b, loc);
}
Array betabinom::pmf(const Operand& k, const Operand& n, const Operand& a, const Operand& b, const Operand& loc) {
  return exp_of(betabinom::logpmf, k, n, a, b, loc);
}

Array nbinom::logpmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc) {
  const auto f = [](const Array& k, const Array& n, const Array& p, const Array& loc) {
    const Array y = numpy::where(k < loc, 0.0, k - loc);  // below loc the gamma function has poles
    const Array ways = special::gammaln(y + n) - special::gammaln(n) - special::gammaln(y + 1.0);
    return numpy::where(k < loc, -kInf, ways + special::xlogy(n, p) + special::xlogy(y, 1.0 - p));
  };
  return over("nbinom.logpmf", f, k, n, p, loc);
}
Array nbinom::pmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc) {
  return exp_of(nbinom::logpmf, k, n, p, loc);
}

Array geom::logpmf(const Operand& k, const Operand& p, const Operand& loc) {
  const auto f = [](const Array& k, const Array& p, const Array& loc) {
    const Array x = k - loc;
    return numpy::where(x <= 0, -kInf, special::xlog1py(x - 1.0, -p) + numpy::log(p));
  };
  return over("geom.logpmf", f, k, p, loc);
}
Array geom::pmf(const Operand& k, const Operand& p, const Operand& loc) { return exp_of(geom::logpmf, k, p, loc); }

Array poisson::logpmf(const Operand& k, const Operand& mu, const Operand& loc) {
  const auto f = [](const Array& k, const Array& mu, const Array& loc) {
    const Array x = k - loc, value = special::xlogy(x, mu) - special::gammaln(x + 1.0) - mu;
    return numpy::where((x < 0) | (numpy::round(k) != k), -kInf, value);
  };
  return over("poisson.logpmf", f, k, mu, loc);
}
Array poisson::pmf(const Operand& k, const Operand& mu, const Operand& loc) {
  return exp_of(poisson::logpmf, k, mu, loc);
}
Array poisson::cdf(const Operand& k, const Operand& mu, const Operand& loc) {
  const auto f = [](const Array& k, const Array& mu, const Array& loc) {
    const Array x = k - loc;
    return numpy::where(x < 0, 0.0, special::gammaincc(numpy::floor(1.0 + numpy::maximum(x, 0.0)), mu));
  };
  return over("poisson.cdf", f, k, mu, loc);
}
Array poisson::entropy(const Operand& mu, const Operand& loc) {
  const UserLocation here(mu.location());
  const auto [m, at] = numpy::promote_inexact(mu.array(), loc.array());
  const Array some = numpy::where(m < 100, m, 1.0);
  const Array k = numpy::arange(250, m.dtype());
  const Array sum = numpy::sum(special::entr(poisson::pmf(k, numpy::expand_dims(some, -1))), -1);
  const Array large = numpy::where(m < 100, 100.0, m);
  const Array series = 0.5 * numpy::log(2 * std::numbers::pi * std::numbers::e * large) - 1.0 / (12.0 * large);
  return numpy::where(m == 0, 0.0, numpy::where(m < 100, sum, series));
}

Array multinomial::logpmf(const Operand& x, const Operand& n, const Operand& p) {
  const UserLocation here(x.location());
  if (!is_counted(x.array()) || !is_counted(n.array()))
    or_throw(invalid_argument(fmt::format("{}: x and n must be of integer type; got {} and {}",
                                          at_user_line("multinomial.logpmf"), x.array().aval_shape().to_string(),
                                          n.array().aval_shape().to_string())));
  const Array q = numpy::promote_inexact(p.array()), k = numpy::astype(x, q.dtype()), all = numpy::astype(n, q.dtype());
  const Array value = special::gammaln(all + 1.0) + numpy::sum(special::xlogy(k, q) - special::gammaln(k + 1.0), -1);
  const Array wrong = numpy::any(numpy::isnan(q), -1);
  return numpy::where(numpy::sum(k) == all, value, numpy::where(wrong, kNan, -kInf));
}
Array multinomial::pmf(const Operand& x, const Operand& n, const Operand& p) {
  return exp_of(multinomial::logpmf, x, n, p);
}

Array dirichlet::logpdf(const Operand& x, const Operand& alpha) {
  const UserLocation here(x.location());
  const ElementType type = numpy::promote_types_inexact(std::vector{x.array(), alpha.array()}).shape.element_type();
  Array p = numpy::astype(x, type), a = numpy::astype(alpha, type);
  if (a.ndim() != 1 || p.ndim() < 1 || (p.shape(0) != a.shape(0) && p.shape(0) != a.shape(0) - 1))
    or_throw(invalid_argument(fmt::format("{}: wanted x[k, ...] or x[k - 1, ...] and alpha[k]; got {} and {}",
                                          at_user_line("dirichlet.logpdf"), p.aval_shape().to_string(),
                                          a.aval_shape().to_string())));
  if (p.shape(0) != a.shape(0)) p = numpy::concatenate({p, 1.0 - numpy::sum(p, {.axis = 0, .keepdims = true})}, 0);
  const Array norm = numpy::sum(special::gammaln(a)) - special::gammaln(numpy::sum(a));
  Dimensions column(std::vector<int64_t>(p.shape().size(), 1));
  column[0] = a.shape(0);
  const Array value = numpy::sum(special::xlogy(numpy::reshape(a, column) - 1.0, p), 0) - norm;
  const Array simplex = numpy::all(p > 0, 0) & (numpy::abs(numpy::sum(p, 0) - 1.0) < 1e-6);
  const Array wrong = numpy::any(numpy::isnan(p), 0) | numpy::any(numpy::isnan(a));
  return numpy::where(simplex | wrong, value + numpy::where(wrong, kNan, numpy::zeros_like(value)), -kInf);
}
Array dirichlet::pdf(const Operand& x, const Operand& alpha) { return exp_of(dirichlet::logpdf, x, alpha); }

namespace {

/// Returns the sum of squares of L^-1 y, for L[..., n, n] and y[..., n].
Array squares_within(const Array& factor, const Array& y) {
  const int64_t n = y.shape(-1);
  std::vector<int64_t> batch(factor.shape().begin(), factor.shape().end() - 2);
  const std::vector<int64_t> own(y.shape().begin(), y.shape().end() - 1);
  batch = numpy::broadcast_shapes(batch, own);
  Dimensions matrices(batch), columns(batch);
  matrices.insert(matrices.end(), {n, n});
  columns.insert(columns.end(), {n, 1});
  Dimensions rows(batch);
  rows.push_back(n);
  const Array right = numpy::reshape(numpy::broadcast_to(y, rows), columns);
  const Array solved =
      lax::linalg::triangular_solve(numpy::broadcast_to(factor, matrices), right, {.left_side = true, .lower = true});
  return numpy::sum(numpy::square(solved), {.axis = {-2, -1}});
}

}  // namespace

Array multivariate_normal::logpdf(const Operand& x, const Operand& mean, const Operand& cov) {
  const UserLocation here(x.location());
  const Aval meeting = numpy::promote_types_inexact(std::vector{x.array(), mean.array(), cov.array()});
  const auto typed = [&](const Array& a) { return numpy::astype(a, meeting.shape.element_type()); };
  const Array p = typed(x), m = typed(mean), c = typed(cov);
  const double log_turn = std::log(2 * std::numbers::pi);
  if (m.ndim() == 0) {
    const Array value = -0.5 * numpy::square(p - m) / c - 0.5 * (log_turn + numpy::log(c));
    return with_weak_type(value, meeting.weak_type);
  }
  const int64_t n = m.shape(-1);
  const double size = static_cast<double>(n);
  const Array y = p - m;
  if (c.ndim() == 0) return -0.5 * numpy::sum(numpy::square(y), -1) / c - size / 2 * (log_turn + numpy::log(c));
  if (c.ndim() < 2 || c.shape(-1) != n || c.shape(-2) != n)
    or_throw(invalid_argument(fmt::format("{}: wanted x[..., n], mean[..., n], cov[..., n, n]; got {}, {} and {}",
                                          at_user_line("multivariate_normal.logpdf"), p.aval_shape().to_string(),
                                          m.aval_shape().to_string(), c.aval_shape().to_string())));
  const Array factor = lax::linalg::cholesky(c);
  const Array log_det = numpy::sum(numpy::log(numpy::diagonal(factor, 0, -2, -1)), -1);
  return -0.5 * squares_within(factor, y) - size / 2 * log_turn - log_det;
}
Array multivariate_normal::pdf(const Operand& x, const Operand& mean, const Operand& cov) {
  return exp_of(multivariate_normal::logpdf, x, mean, cov);
}

}  // namespace hilo::scipy::stats
