// SPDX-License-Identifier: Apache-2.0
// numpy/quantiles.cc -- quantiles, medians, averages.
#include <algorithm>
#include <numeric>

#include "hilo/array/refuse.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

/// Merges the reduced axes into one last axis.
Array squashed(const Array& x, const std::vector<int64_t>& axes) {
  Shape remaining(ops::without_dimensions(x.shape(), axes));
  std::vector<int64_t> last;
  for (size_t i = 0; i < axes.size(); ++i) last.push_back(static_cast<int64_t>(i) - std::ssize(axes));
  int64_t count = 1;
  for (const int64_t d : axes) count *= x.shape(d);
  const Array moved = moveaxis(x, axes, last);
  remaining.push_back(count);
  return ops::reshape(moved, remaining);
}

/// Reshapes weights, with one axis for each averaged axis in the named order, to the rank of x.
Array along_axes(const char* function, const Array& weights, const Array& x, const Axes& axes) {
  Shape thin(std::vector<int64_t>(x.shape().size(), 1));
  std::vector<int64_t> named;
  if (axes)
    for (const int64_t axis : *axes) named.push_back(normal_axis(x, axis));
  bool fits = weights.ndim() == std::ssize(named) && !named.empty();
  for (size_t i = 0; fits && i < named.size(); ++i) {
    thin[named[i]] = weights.shape()[i];
    fits = weights.shape()[i] == x.shape(named[i]);
  }
  if (!fits)
    or_throw(invalid_argument(at_user_line(function) +
                              ": weights must have the shape of the array or of its axes; got " +
                              weights.aval_shape().to_string() + " and " + x.aval_shape().to_string()));
  std::vector<int64_t> order(named.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int64_t i) { return named[i]; });
  return ops::reshape(ops::transpose(weights, order), thin);
}

/// Interpolates between the elements at floor(p) and ceil(p) of sorted lines; p has the same rank.
Array between(const Array& sorted, const Array& p, std::string_view method) {
  const Array low = floor(p), high = ceil(p);
  const Array share = p - low;
  const int64_t last = sorted.shape(-1) - 1;
  const auto at_position = [&](const Array& position) {
    return take_along_axis(sorted, ops::convert_element_type(clip(position, 0, last), ElementType::kS32), -1,
                           "promise_in_bounds");
  };
  if (method == "lower") return at_position(low);
  if (method == "higher") return at_position(high);
  if (method == "nearest") return where(share <= 0.5, at_position(low), at_position(high));
  if (method == "midpoint") return (at_position(low) + at_position(high)) * 0.5;
  if (method == "linear") return at_position(low) * (1.0 - share) + at_position(high) * share;
  throw Error(invalid_argument(at_user_line("quantile") + ": got method \"" + std::string(method) +
                               "\"; wanted linear, lower, higher, midpoint, nearest or inverted_cdf"));
}

/// Returns the first elements at which the cumulative weight reaches the fraction q of the total: [..., q].
Array inverted_cdf(const Array& lines, const Array& weights, const Array& q, bool skip_nan) {
  const Array order = argsort(lines, -1);
  const Array sorted = take_along_axis(lines, order, -1), w = take_along_axis(weights, order, -1);
  const Array bad = (w < 0) | isnan(w);
  const Array sums = cumsum(where(bad | isnan(sorted), 0.0, w), -1);
  const Array target = q * sums(ellipsis, hilo::range(-1, hilo::none));
  const Array before = expand_dims(sums, -1) < expand_dims(target, -2);
  const Array count = skip_nan ? sum(~isnan(sorted), -1, true) : Array(static_cast<int>(lines.shape(-1)));
  const Array place = clip(sum(before, -2), 0, maximum(count - 1, 0));
  const Array found = take_along_axis(sorted, place, -1);
  return where(any(bad, -1, true), nan, found);
}

QuantileOptions middle(const MedianOptions& options) {
  return {.axis = options.axis,
          .overwrite_input = options.overwrite_input,
          .method = "midpoint",
          .keepdims = options.keepdims};
}

Array quantiles(const char* function, const Operand& a, const Array& q, const QuantileOptions& options, bool skip_nan) {
  if (options.overwrite_input) refuse(function, "overwrite_input must be false: arrays are immutable");
  Array x = promote_inexact(a.array());
  const bool weighted = options.weights.has_value(), by_weight = std::string_view(options.method) == "inverted_cdf";
  if (weighted && !by_weight)
    or_throw(unimplemented(at_user_line(function) + ": method " + options.method +
                           " doesn't support weights, as in JAX; inverted_cdf does"));
  if (weighted) x = ops::convert_element_type(x, result_type(x, promote_inexact(*options.weights)));
  if (is_complex(x.dtype()))
    or_throw(invalid_argument(at_user_line(function) + ": does not support complex input; got " +
                              x.aval_shape().to_string()));
  const std::vector<int64_t> axes = normal_axes(x, options.axis);
  Array lines = squashed(x, axes);
  const int64_t extent = lines.shape(-1);
  if (extent == 0)
    or_throw(invalid_argument(at_user_line(function) + ": wanted elements along the axis; got " +
                              x.aval_shape().to_string()));
  const ElementType computed = element_size_bytes(x.dtype()) < 4 ? ElementType::kF32 : x.dtype();
  Array last = ops::scalar(static_cast<double>(extent - 1), computed);
  const Array is_nan = isnan(lines);
  if (skip_nan) {
    last = ops::convert_element_type(sum(ops::bitwise_not(is_nan), -1, true) - 1, computed);
  } else {
    lines = where(any(is_nan, -1, true), nan, lines);
  }
  const Array flat = ops::convert_element_type(ravel(q), computed);
  Shape positions(lines.shape());
  positions.back() = flat.size();
  const auto found = [&] {
    if (!by_weight) return between(sort(lines), broadcast_to(flat * last, positions), options.method);
    Array weights = ones_like(x);
    if (weighted) {
      const bool fits = std::ranges::equal(options.weights->shape(), x.shape());
      const Array typed = ops::convert_element_type(*options.weights, x.dtype());
      weights = spread_to(fits ? typed : along_axes(function, typed, x, options.axis), x.shape());
    }
    return inverted_cdf(lines, squashed(weights, axes), flat, skip_nan);
  };
  const Array picked = moveaxis(found(), -1, 0);
  Shape shape(q.shape());
  Shape remaining(ops::without_dimensions(x.shape(), axes));
  if (options.keepdims) {
    remaining = Shape(x.shape());
    for (const int64_t d : axes) remaining[d] = 1;
  }
  shape.insert(shape.end(), remaining.begin(), remaining.end());
  return ops::convert_element_type(ops::reshape(picked, shape), x.dtype());
}

Array hundredth(const Operand& q) {
  const Array p = promote_inexact(q.array());
  return p / 100.0;
}

}  // namespace

Array quantile(const Operand& a, const Operand& q, const QuantileOptions& options) {
  const UserLocation here(a.location());
  return quantiles("quantile", a, promote_inexact(q.array()), options, false);
}
Array nanquantile(const Operand& a, const Operand& q, const QuantileOptions& options) {
  const UserLocation here(a.location());
  return quantiles("nanquantile", a, promote_inexact(q.array()), options, true);
}
Array percentile(const Operand& a, const Operand& q, const QuantileOptions& options) {
  const UserLocation here(a.location());
  return quantiles("percentile", a, hundredth(q), options, false);
}
Array nanpercentile(const Operand& a, const Operand& q, const QuantileOptions& options) {
  const UserLocation here(a.location());
  return quantiles("nanpercentile", a, hundredth(q), options, true);
}
Array median(const Operand& a, const MedianOptions& options) {
  const UserLocation here(a.location());
  return quantile(a, 0.5, middle(options));
}
Array nanmedian(const Operand& a, const MedianOptions& options) {
  const UserLocation here(a.location());
  return nanquantile(a, 0.5, middle(options));
}

AverageAndWeights average_with_weights(const Operand& a, const AverageOptions& options) {
  const UserLocation here(a.location());
  if (!options.weights) {
    const Array out = mean(a, {.axis = options.axis, .keepdims = options.keepdims});
    const double count = static_cast<double>(size(a, options.axis));
    return {out, ops::full_like(out, count)};
  }
  auto [x, w] = std::pair(a.array(), *options.weights);
  const ElementType type = promote_types_inexact(std::vector{x, w}).shape.element_type();
  x = ops::convert_element_type(x, type);
  w = ops::convert_element_type(w, type);
  if (!std::ranges::equal(x.shape(), w.shape())) {
    w = spread_to(along_axes("average", w, x, options.axis), x.shape());
  }
  const Array total = sum(w, {.axis = options.axis, .keepdims = options.keepdims});
  return {sum(x * w, {.axis = options.axis, .keepdims = options.keepdims}) / total, total};
}
Array average(const Operand& a, const AverageOptions& options) { return average_with_weights(a, options).average; }

Array detail::fractions(std::initializer_list<double> q) {
  return Array::from_vector(std::vector<double>(q), {std::ssize(q)}).astype(default_float());
}

}  // namespace hilo::numpy
