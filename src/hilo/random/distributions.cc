// SPDX-License-Identifier: Apache-2.0
#include "hilo/random/distributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hilo/lax/decompositions.h"
#include "hilo/lax/elementwise.h"
#include "hilo/lax/linalg.h"
#include "hilo/lax/shape.h"
#include "hilo/lax/special.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/random/support.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/grad.h"

namespace hilo::random {
namespace {

Array typed(const Array& x, ElementType type) { return ops::convert_element_type(x, type); }
/// Converts to a type and broadcasts to a shape.
Array spread(const Array& x, ElementType type, const numpy::Shape& shape) {
  return numpy::broadcast_to(typed(x, type), shape);
}
numpy::Shape joined(const numpy::Shape& a, std::span<const int64_t> b) {
  numpy::Shape all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

/// The type and shape of the result of a distribution with parameters.
struct Result {
  ElementType type;
  numpy::Shape shape;
};
Result result_of(const char* function, const DistributionOptions& options,
                 std::initializer_list<const Array*> parameters) {
  return {float_type(function, options.dtype), shape_or(function, options.shape, parameters)};
}

/// Returns a factor F with cov = F F^T.
Array factor_of(const Array& cov, std::string_view method) {
  if (method == "cholesky") return lax::linalg::cholesky(cov);
  if (method == "eigh") {
    const lax::linalg::EighResult parts = lax::linalg::eigh(cov);
    return parts.v * numpy::expand_dims(numpy::sqrt(parts.w), -2);
  }
  if (method != "svd")
    refuse("multivariate_normal", fmt::format("got method '{}', wanted cholesky, eigh or svd", method));
  const std::vector<Array> parts = lax::linalg::svd(cov);
  return parts[0] * numpy::expand_dims(numpy::sqrt(parts[1]), -2);
}

}  // namespace

Array cauchy(const Key& key, const numpy::Shape& shape, Dtype dtype, Line line) {
  const UserLocation here(line);
  const ElementType type = float_type("cauchy", dtype);
  const Array u = uniform(key, shape, type, numpy::finfo(type).eps, 1.0);
  return ops::tan(ops::mul(ops::full_like(u, std::numbers::pi), ops::sub(u, ops::full_like(u, 0.5))));
}

Array exponential(const Key& key, const numpy::Shape& shape, Dtype dtype, Line line) {
  const UserLocation here(line);
  const Array u = uniform(key, shape, float_type("exponential", dtype));
  return ops::neg(ops::log1p(ops::neg(u)));
}

Array laplace(const Key& key, const numpy::Shape& shape, Dtype dtype, Line line) {
  const UserLocation here(line);
  const ElementType type = float_type("laplace", dtype);
  const Array u = uniform(key, shape, type, -1 + numpy::finfo(type).epsneg, 1.0);
  return ops::mul(ops::sign(u), ops::log1p(ops::neg(ops::abs(u))));
}

Array logistic(const Key& key, const numpy::Shape& shape, Dtype dtype, Line line) {
  const UserLocation here(line);
  const ElementType type = float_type("logistic", dtype);
  const Array u = uniform(key, shape, type, numpy::finfo(type).tiny, 1.0);
  return ops::sub(ops::log(u), ops::log1p(ops::neg(u)));
}

Array maxwell(const Key& key, const numpy::Shape& shape, Dtype dtype, Line line) {
  const UserLocation here(line);
  const Array normals = normal(key, joined(shape, std::vector<int64_t>{3}), float_type("maxwell", dtype));
  return numpy::sqrt(numpy::sum(normals * normals, -1));
}

Array beta(const Key& key, const Operand& a, const Operand& b, const DistributionOptions& options) {
  const UserLocation here(a.location());
  const auto [type, shape] = result_of("beta", options, {&a.array(), &b.array()});
  const std::vector<Key> keys = split(key);
  const Array log_a = loggamma(keys[0], spread(a, type, shape), shape, type),
              log_b = loggamma(keys[1], spread(b, type, shape), shape, type);
  const Array most = ops::max(log_a, log_b);
  const Array x = ops::exp(ops::sub(log_a, most)), y = ops::exp(ops::sub(log_b, most));
  return ops::div(x, ops::add(x, y));
}

Array chisquare(const Key& key, const Operand& df, const DistributionOptions& options) {
  const UserLocation here(df.location());
  const auto [type, shape] = result_of("chisquare", options, {&df.array()});
  const Array half = ops::div(typed(df, type), ops::full_like(typed(df, type), 2));
  const Array log_g = loggamma(key, half, shape, type);
  return ops::mul(ops::exp(log_g), ops::full_like(log_g, 2));
}

Array dirichlet(const Key& key, const Operand& alpha, const DistributionOptions& options) {
  const UserLocation here(alpha.location());
  const Array a = typed(alpha, float_type("dirichlet", options.dtype));
  if (a.ndim() < 1) refuse("dirichlet", "alpha must have at least one axis; got " + a.aval_shape().to_string());
  const Array one = numpy::take(a, Array(0), -1, IndexMode::kPromiseInBounds);
  const numpy::Shape shape = shape_or("dirichlet", options.shape, {&one});
  const int64_t outcomes = a.shape(-1);
  const Array logs = loggamma(key, a, joined(shape, std::span(&outcomes, 1)), a.dtype());
  const Array most = stop_gradient(numpy::max(logs, {.axis = -1, .keepdims = true}));
  const Array e = numpy::exp(logs - most);
  return e / numpy::sum(e, {.axis = -1, .keepdims = true});
}

Array f(const Key& key, const Operand& dfnum, const Operand& dfden, const DistributionOptions& options) {
  const UserLocation here(dfnum.location());
  const auto [type, shape] = result_of("f", options, {&dfnum.array(), &dfden.array()});
  const std::vector<Key> keys = split(key);
  const Array den = spread(dfden, type, shape), num = spread(dfnum, type, shape);
  const Array chi_den = chisquare(keys[0], den, shape, type), chi_num = chisquare(keys[1], num, shape, type);
  return ops::div(ops::div(chi_num, num), ops::div(chi_den, den));
}

Array lognormal(const Key& key, const Operand& sigma, const DistributionOptions& options) {
  const UserLocation here(sigma.location());
  const ElementType type = numpy::type_or("lognormal", options.dtype, default_float());
  const numpy::Shape shape = shape_or("lognormal", options.shape, {&sigma.array()});
  return ops::exp(ops::mul(normal(key, shape, type), spread(sigma, type, shape)));
}
Array lognormal(const Key& key, Line line) { return lognormal(key, Operand(1.0f, line)); }

Array pareto(const Key& key, const Operand& b, const DistributionOptions& options) {
  const UserLocation here(b.location());
  const auto [type, shape] = result_of("pareto", options, {&b.array()});
  return ops::exp(ops::div(exponential(key, shape, type), spread(b, type, shape)));
}

Array rayleigh(const Key& key, const Operand& scale, const DistributionOptions& options) {
  const UserLocation here(scale.location());
  const auto [type, shape] = result_of("rayleigh", options, {&scale.array()});
  const Array log_u = ops::log(uniform(key, shape, type));
  return ops::mul(spread(scale, type, shape), ops::sqrt(ops::mul(log_u, ops::full_like(log_u, -2))));
}

Array t(const Key& key, const Operand& df, const DistributionOptions& options) {
  const UserLocation here(df.location());
  const auto [type, shape] = result_of("t", options, {&df.array()});
  const std::vector<Key> keys = split(key);
  const Array n = normal(keys[0], shape, type), whole = spread(df, type, shape);
  const Array half = ops::div(whole, ops::full_like(whole, 2));
  return ops::mul(n, ops::sqrt(ops::div(half, gamma(keys[1], half, shape, type))));
}

Array truncated_normal(const Key& key, const Operand& lower, const Operand& upper, const DistributionOptions& options) {
  const UserLocation here(lower.location());
  const auto [type, shape] = result_of("truncated_normal", options, {&lower.array(), &upper.array()});
  const Array low = spread(lower, type, shape), high = spread(upper, type, shape);
  const Array root = ops::full_like(low, std::numbers::sqrt2);
  const Array u = uniform(key, shape, type, ops::erf(ops::div(low, root)), ops::erf(ops::div(high, root)));
  const Array x = ops::mul(root, lax::xla_erf_inv(u));
  // Limits the samples to the open interval, because rounding could reach the bounds.
  const Array least = numpy::nextafter(stop_gradient(low), ops::full_like(low, numpy::inf)),
              most = numpy::nextafter(stop_gradient(high), ops::full_like(high, -numpy::inf));
  return numpy::clip(x, least, most);
}

Array wald(const Key& key, const Operand& mean, const DistributionOptions& options) {
  const UserLocation here(mean.location());
  const auto [type, shape] = result_of("wald", options, {&mean.array()});
  const std::vector<Key> keys = split(key);
  const Array m = spread(mean, type, shape), v = normal(keys[0], shape, type), z = uniform(keys[1], shape, type);
  const Array y = v * v, m2 = m * m;
  const Array x = m + m2 * y / 2 - m / 2 * numpy::sqrt(4 * m * y + m2 * (y * y));
  return ops::select(z <= m / (m + x), x, m2 / x);
}

Array triangular(const Key& key, const Operand& left, const Operand& mode, const Operand& right,
                 const DistributionOptions& options) {
  const UserLocation here(left.location());
  const auto [type, shape] = result_of("triangular", options, {&left.array(), &mode.array(), &right.array()});
  const Array low = spread(left, type, shape), top = spread(mode, type, shape), high = spread(right, type, shape);
  const Array u = uniform(key, shape, type), extent = high - low;
  const Array rising = low + numpy::sqrt(u * extent * (top - low)),
              falling = high - numpy::sqrt((1 - u) * extent * (high - top));
  return ops::select(u < (top - low) / extent, rising, falling);
}

Array double_sided_maxwell(const Key& key, const Operand& loc, const Operand& scale, const ShapeOptions& options) {
  const UserLocation here(loc.location());
  const ElementType type = float_type("double_sided_maxwell", options.dtype);
  const numpy::Shape common = shape_or("double_sided_maxwell", std::nullopt, {&loc.array(), &scale.array()});
  const numpy::Shape shape = joined(options.shape.empty() ? common : options.shape, common);
  const std::vector<Key> keys = split(key);
  const Array sizes = maxwell(keys[0], shape, type);
  return rademacher(keys[1], shape, type) * sizes * scale.array() + loc.array();
}

Array weibull_min(const Key& key, const Operand& scale, const Operand& concentration, const ShapeOptions& options) {
  const UserLocation here(scale.location());
  const Array u = uniform(key, options.shape, float_type("weibull_min", options.dtype));
  return numpy::power(-numpy::log1p(-u), 1.0 / concentration.array()) * scale.array();
}

Array generalized_normal(const Key& key, const Operand& p, const ShapeOptions& options) {
  const UserLocation here(p.location());
  const ElementType type = float_type("generalized_normal", options.dtype);
  const std::vector<Key> keys = split(key);
  const Array inverse = 1.0 / p.array();
  const Array g = gamma(keys[0], inverse, options.shape, type);
  return rademacher(keys[1], options.shape, type) * numpy::power(g, inverse);
}

Array ball(const Key& key, int64_t d, const BallOptions& options, Line line) {
  const UserLocation here(line);
  const ElementType type = float_type("ball", options.dtype);
  const std::vector<Key> keys = split(key);
  const Array g = generalized_normal(keys[0], options.p, joined(options.shape, std::span(&d, 1)), type);
  const Array e = exponential(keys[1], options.shape, type);
  const Array total = numpy::sum(numpy::power(numpy::abs(g), options.p), -1) + e;
  return g / numpy::expand_dims(numpy::power(total, 1 / options.p), -1);
}

Array multivariate_normal(const Key& key, const Operand& mean, const Operand& cov,
                          const MultivariateNormalOptions& options) {
  const UserLocation here(mean.location());
  if (mean.array().ndim() < 1 || cov.array().ndim() < 2)
    refuse("multivariate_normal",
           fmt::format("wanted mean[..., n] and cov[..., n, n]; got {} and {}", mean.array().aval_shape().to_string(),
                       cov.array().aval_shape().to_string()));
  const ElementType common = numpy::result_type(mean, cov);
  const ElementType inexact = is_floating(common) ? common : default_float();
  const Array m = typed(mean, inexact), c = typed(cov, inexact);
  const int64_t n = m.shape(-1);
  if (c.shape(-1) != n || c.shape(-2) != n)
    refuse("multivariate_normal", fmt::format("wanted cov[..., {}, {}]; got {}", n, n, c.aval_shape().to_string()));
  const Array one_mean = ops::full(hilo::Shape::array(inexact, m.shape().first(m.ndim() - 1)), 0);
  const Array one_cov = ops::full(hilo::Shape::array(inexact, c.shape().first(c.ndim() - 2)), 0);
  const numpy::Shape shape = shape_or("multivariate_normal", options.shape, {&one_mean, &one_cov});
  const ElementType type = options.dtype ? float_type("multivariate_normal", options.dtype) : inexact;
  const Array normals = normal(key, joined(shape, std::span(&n, 1)), type);
  return m + numpy::matvec(factor_of(c, options.method), normals);
}

Array orthogonal(const Key& key, int64_t n, const OrthogonalOptions& options, Line line) {
  const UserLocation here(line);
  const int64_t m = options.m.value_or(n);
  const ElementType type = numpy::type_or("orthogonal", options.dtype, default_float());
  const Array z = normal(key, joined(options.shape, std::vector<int64_t>{std::max(n, m), std::min(n, m)}), type);
  const lax::linalg::QrResult parts = lax::linalg::qr(z, /*full_matrices=*/false);
  const Array signs = numpy::sign(numpy::diagonal(parts.r, 0, -2, -1));
  const Array x = parts.q * numpy::expand_dims(signs, -2);
  return n < m ? numpy::matrix_transpose(x) : x;
}

}  // namespace hilo::random
