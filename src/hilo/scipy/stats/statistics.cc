// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/stats/statistics.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "hilo/array/refuse.h"
#include "hilo/lax/linalg.h"
#include "hilo/lax/window.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/promotion.h"
#include "hilo/scipy/stats/support.h"

namespace hilo::scipy::stats {

namespace {

/// Rejects a nan_policy other than `known`.
void check_policy(const char* what, std::string_view policy, std::string_view known) {
  if (policy == known) return;
  if (policy != "propagate" && policy != "omit" && policy != "raise")
    or_throw(invalid_argument(
        fmt::format("{}: nan_policy '{}' is unknown; wanted propagate, omit or raise", at_user_line(what), policy)));
  or_throw(unimplemented(fmt::format("{}: nan_policy '{}' isn't implemented, as in JAX", at_user_line(what), policy)));
}

/// The runs of equal elements in a sorted row: positions where they begin and end.
struct Runs {
  Array first, last;  ///< for each element in sorted order, the ends of its run
};
Runs runs_of(const Array& sorted) {
  const int64_t n = sorted.shape(-1);
  const Array place = numpy::broadcast_to(numpy::arange(n), sorted.shape());
  const Array before = numpy::roll(sorted, 1, -1), after = numpy::roll(sorted, -1, -1);
  const Array begins = (sorted != before) | (place == 0), ends = (sorted != after) | (place == n - 1);
  const Array first = lax::cummax(numpy::where(begins, place, 0), sorted.ndim() - 1);
  const Array last = lax::cummin(numpy::where(ends, place, n - 1), sorted.ndim() - 1, true);
  return {first, last};
}

}  // namespace

ModeResult mode(const Operand& a, const ModeOptions& o) {
  const UserLocation here(a.location());
  check_policy("mode", o.nan_policy, "propagate");
  Array x = numpy::atleast_1d(a);
  Dimensions shape(x.shape());
  const int64_t rank = x.ndim();
  if (!o.axis) {
    shape = o.keepdims ? Dimensions(std::vector<int64_t>(rank, 1)) : Dimensions();
    x = numpy::ravel(x);
  } else {
    x = numpy::moveaxis(x, *o.axis, -1);
    const int64_t axis = *o.axis < 0 ? *o.axis + rank : *o.axis;
    if (o.keepdims) shape[axis] = 1;
    else shape.erase(shape.begin() + axis);
  }
  if (x.shape(-1) == 0 && x.size() == 0) {
    const Array none = numpy::full(shape, kNan, default_float());
    return {none, numpy::zeros(shape, default_float())};
  }
  const Array sorted = numpy::sort(x, -1);
  const Runs runs = runs_of(sorted);
  const Array counts = runs.last - runs.first + 1, best = numpy::argmax(counts, -1, true);
  const bool weak = x.weak_type() && !is_complex(x.dtype());  // weakly typed as in JAX
  return {with_weak_type(numpy::reshape(numpy::take_along_axis(sorted, best, -1), shape), weak),
          numpy::reshape(numpy::take_along_axis(counts, best, -1), shape)};
}

Array rankdata(const Operand& a, const RankOptions& o) {
  constexpr const char* kName = "rankdata";
  const UserLocation here(a.location());
  check_policy(kName, o.nan_policy, "propagate");
  const std::string_view method = o.method;
  const auto is_one_of = [&](auto... names) { return ((method == names) || ...); };
  if (!is_one_of("average", "min", "max", "dense", "ordinal"))
    or_throw(invalid_argument(fmt::format("{}: method '{}' is unknown; wanted average, min, max, dense or ordinal",
                                          at_user_line(kName), method)));
  const Array x = o.axis ? numpy::moveaxis(a, *o.axis, -1) : numpy::ravel(a);
  const auto back = [&](const Array& ranks) { return o.axis ? numpy::moveaxis(ranks, -1, *o.axis) : ranks; };
  if (x.size() == 0) return back(numpy::zeros(x.shape(), default_float()));
  const Array order = numpy::argsort(x, -1), sorted = numpy::take_along_axis(x, order, -1);
  const Array inverse = numpy::argsort(order, -1);
  const Runs runs = runs_of(sorted);
  Array ranks = numpy::broadcast_to(numpy::arange(x.shape(-1)), x.shape());
  if (method == "min") ranks = runs.first;
  if (method == "max") ranks = runs.last;
  if (method == "dense") ranks = numpy::cumsum(ranks == runs.first, -1) - 1;
  Array places = numpy::astype(ranks, default_float());
  if (method == "average") places = 0.5 * numpy::astype(runs.first + runs.last, default_float());
  Array out = numpy::take_along_axis(places + 1.0, inverse, -1);
  if (is_floating(x.dtype()))
    out = numpy::where(numpy::any(numpy::isnan(x), {.axis = -1, .keepdims = true}), kNan, out);
  return back(out);
}

Array sem(const Operand& a, const SemOptions& o) {
  const UserLocation here(a.location());
  const Array x = numpy::promote_inexact(a.array());
  const numpy::Axes axis = o.axis ? numpy::Axes(*o.axis) : numpy::Axes();
  if (std::string_view(o.nan_policy) == "omit") {
    const Array count = numpy::sum(~numpy::isnan(x), {.axis = axis, .keepdims = o.keepdims});
    return numpy::nanstd(x, {.axis = axis, .ddof = o.ddof, .keepdims = o.keepdims}) /
           numpy::sqrt(numpy::astype(count, x.dtype()));
  }
  check_policy("sem", o.nan_policy, "propagate");
  const double count = static_cast<double>(o.axis ? x.shape(*o.axis) : x.size());
  return numpy::std(x, {.axis = axis, .ddof = o.ddof, .keepdims = o.keepdims}) / std::sqrt(count);
}

// ---- gaussian_kde ---------------------------------------------------------------------------------------------------
namespace {

[[noreturn]] void refuse_kde(const std::string& why) { refuse("gaussian_kde", why); }

Array bandwidth_factor(const gaussian_kde::Options& o, const Array& neff, int64_t d) {
  const double dimensions = static_cast<double>(d);
  const std::string& method = o.bw_method.method();
  if (method.empty()) return o.bw_method.factor();
  if (method == "scott") return numpy::power(neff, -1.0 / (dimensions + 4));
  if (method == "silverman") return numpy::power(neff * ((dimensions + 2) / 4.0), -1.0 / (dimensions + 4));
  refuse_kde("bw_method '" + method + "' is unknown; wanted scott, silverman or a number");
}

/// Solves L x = b for the columns of b.
Array solved(const Array& lower, const Array& b) {
  return lax::linalg::triangular_solve(lower, b, {.left_side = true, .lower = true});
}

}  // namespace

gaussian_kde::gaussian_kde(const Operand& sample, const Options& o) {
  const UserLocation here(sample.location());
  dataset = numpy::promote_inexact(numpy::atleast_2d(sample));
  if (is_complex(dataset.dtype())) refuse_kde("it does not support complex data");
  if (dataset.ndim() != 2 || dataset.size() < 2)
    refuse_kde("wanted a dataset [d, n] of several elements; got " + dataset.aval_shape().to_string());
  if (o.weights) {
    weights = numpy::atleast_1d(*o.weights);
    if (weights.ndim() != 1 || weights.shape(0) != n())
      refuse_kde("wanted weights[n] for " + dataset.aval_shape().to_string() + "; got " +
                 weights.aval_shape().to_string());
    weights = numpy::astype(weights / numpy::sum(weights), dataset.dtype());
  } else {
    weights = numpy::full({n()}, 1.0 / static_cast<double>(n()), dataset.dtype());
  }
  neff = 1.0 / numpy::sum(numpy::square(weights));
  const Array factor = bandwidth_factor(o, neff, d());
  const Array centered = dataset - numpy::sum(dataset * weights, {.axis = 1, .keepdims = true});
  const Array own = numpy::matmul(centered * weights, numpy::transpose(centered)) / (1.0 - 1.0 / neff);
  covariance = own * numpy::square(factor);
  inv_cov = linalg::inv(own) / numpy::square(factor);
}

/// Returns the logarithm of weight times kernel, for m points and the n points of the sample: [m, n].
Array gaussian_kde::log_kernels(const Array& points) const {
  Array x = numpy::atleast_2d(points);
  if (x.shape(0) != d()) {
    if (x.shape(0) != 1 || x.shape(1) != d())
      refuse_kde("points have dimension " + std::to_string(x.shape(0)) + ", the dataset has " + std::to_string(d()));
    x = numpy::reshape(x, {d(), 1});
  }
  const Array whitening = lax::linalg::cholesky(inv_cov);
  const Array own = numpy::matmul(numpy::transpose(dataset), whitening);
  const Array theirs = numpy::matmul(numpy::transpose(x), whitening);
  const Array log_norm = numpy::sum(numpy::log(numpy::diagonal(whitening))) -
                         0.5 * static_cast<double>(d()) * std::log(2 * std::numbers::pi);
  const Array apart = numpy::expand_dims(theirs, 1) - numpy::expand_dims(own, 0);
  return log_norm - 0.5 * numpy::sum(numpy::square(apart), -1) + numpy::log(weights);
}
Array gaussian_kde::evaluate(const Operand& points) const {
  const UserLocation here(points.location());
  return numpy::sum(numpy::exp(log_kernels(points)), -1);
}
Array gaussian_kde::logpdf(const Operand& x) const {
  const UserLocation here(x.location());
  return special::logsumexp(log_kernels(x), -1);
}

/// Returns the weighted sum over the sample of the normal density with this Cholesky factor, at each of means[d, m].
Array gaussian_kde::convolved(const Array& factor, const Array& means) const {
  const Array log_norm = -numpy::sum(numpy::log(numpy::diagonal(factor))) -
                         0.5 * static_cast<double>(d()) * std::log(2 * std::numbers::pi);
  const Array own = solved(factor, dataset), theirs = solved(factor, means);
  const Array apart = numpy::expand_dims(own, 2) - numpy::expand_dims(theirs, 1);  // [d, n, m]
  const Array kernels = numpy::exp(log_norm - 0.5 * numpy::sum(numpy::square(apart), 0));
  return numpy::matmul(weights, kernels);
}
Array gaussian_kde::integrate_gaussian(const Operand& mean, const Operand& cov) const {
  const UserLocation here(mean.location());
  const Array m = numpy::atleast_1d(numpy::squeeze(mean)), c = numpy::atleast_2d(cov);
  if (m.ndim() != 1 || m.shape(0) != d() || c.ndim() != 2 || c.shape(0) != d() || c.shape(1) != d())
    refuse_kde("wanted mean[d] and cov[d, d] for d = " + std::to_string(d()) + "; got " + m.aval_shape().to_string() +
               " and " + c.aval_shape().to_string());
  const Array factor = lax::linalg::cholesky(covariance + c);
  return convolved(factor, numpy::expand_dims(m, 1))[0];
}
Array gaussian_kde::integrate_box_1d(const Operand& low, const Operand& high) const {
  const UserLocation here(low.location());
  if (d() != 1) refuse_kde("integrate_box_1d handles one dimension; the dataset has " + std::to_string(d()));
  if (low.array().ndim() != 0 || high.array().ndim() != 0) refuse_kde("the limits of integration must be scalars");
  const Array sigma = numpy::sqrt(covariance[0][0]), points = dataset[0];
  const auto below = [&](const Array& limit) { return special::ndtr((limit - points) / sigma); };
  return numpy::sum(weights * (below(high) - below(low)));
}
Array gaussian_kde::integrate_kde(const gaussian_kde& other) const {
  if (other.d() != d())
    refuse_kde("the densities have dimensions " + std::to_string(d()) + " and " + std::to_string(other.d()));
  const Array factor = lax::linalg::cholesky(covariance + other.covariance);
  return numpy::sum(convolved(factor, other.dataset) * other.weights);
}

Array gaussian_kde::resample(const random::Key& key, const numpy::Shape& shape) const {
  const auto [index_key, noise_key] = random::split<2>(key);
  const Array which = random::choice(index_key, numpy::arange(n()), shape, {.p = weights});
  const Array noise = random::multivariate_normal(noise_key, numpy::zeros({d()}, dataset.dtype()), covariance,
                                                  {.shape = shape, .dtype = dataset.dtype()});
  return numpy::transpose(numpy::take(dataset.T(), which, 0) + noise);
}

}  // namespace hilo::scipy::stats
