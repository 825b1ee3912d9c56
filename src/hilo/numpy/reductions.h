// SPDX-License-Identifier: Apache-2.0
// numpy/reductions.h -- sums, extremes, means, quantiles and cumulative sums; also variants that ignore NaN.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

struct SumOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  Dtype dtype = std::nullopt;
  bool keepdims = false;
  std::optional<Array> initial = std::nullopt;  ///< initial value of the reduction
  std::optional<Array> where = std::nullopt;    ///< elements that are included
  bool promote_integers = true;                 ///< whether integers narrower than the default integer are summed in it
};
struct MaxOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  bool keepdims = false;
  std::optional<Array> initial = std::nullopt;
  std::optional<Array> where = std::nullopt;  ///< elements that are included; requires `initial`
};
struct MeanOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  Dtype dtype = std::nullopt;
  bool keepdims = false;
  std::optional<Array> where = std::nullopt;
};
struct VarOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  Dtype dtype = std::nullopt;
  double ddof = 0;  ///< delta degrees of freedom: the divisor is the count minus this
  bool keepdims = false;
  std::optional<Array> where = std::nullopt;
  std::optional<Array> mean = std::nullopt;  ///< mean if already computed, with extent 1 along the reduced axes
  std::optional<double> correction = std::nullopt;
};
struct AllOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  bool keepdims = false;
  std::optional<Array> where = std::nullopt;
};

// Each declares sum(x), sum(x, 0), sum(x, {0, 1}), sum(x, {.axis = 1, .keepdims = true}), sum(x, 1, {.keepdims =
// true}).
#define HILO_REDUCTION(name, Options)                                      \
  Array name(const Operand& a, const Options& options = {});               \
  template <int = 0>                                                       \
  Array name(const Operand& a, const Axes& axis) {                         \
    return name(a, Options{.axis = axis});                                 \
  }                                                                        \
  template <std::same_as<bool> Bool>                                       \
  Array name(const Operand& a, const Axes& axis, Bool keepdims) {          \
    return name(a, Options{.axis = axis, .keepdims = keepdims});           \
  }                                                                        \
  inline Array name(const Operand& a, const Axes& axis, Options options) { \
    options.axis = axis;                                                   \
    return name(a, options);                                               \
  }
/// Returns the sum over `axis`, by default over all axes.
/// Types      integers narrower than the default integer, and booleans, are summed in the default integer
/// Example    const Array x = array({{1, 2}, {3, 4}});
///            sum(x)  // 10
///            sum(x, 0)  // [4 6]
///            sum(x, {.axis = 1, .keepdims = true})  // [[3] [7]]
HILO_REDUCTION(sum, SumOptions)
/// Returns the product over `axis`, by default over all axes.
/// Example    prod(array({1, 2, 3, 4}))  // 24
HILO_REDUCTION(prod, SumOptions)
/// Returns the mean over `axis`, by default over all axes; NaN for no elements.
/// Types      integers give floats; f16 and bf16 are summed in f32
/// Example    mean(array({{1, 2}, {3, 5}}))  // 2.75
///            mean(array({{1, 2}, {3, 5}}), 1)  // [1.5 4. ]
HILO_REDUCTION(mean, MeanOptions)
/// Returns the variance: the mean of squared deviations from the mean.
/// Example    var(array({1, 2, 3, 4}))  // 1.25
///            var(array({1, 2, 3, 4}), {.ddof = 1})  // 1.6666666
HILO_REDUCTION(var, VarOptions)
/// Returns the standard deviation: the square root of the variance.
/// Example    numpy::std(array({2, 4, 4, 4, 5, 5, 7, 9}))  // 2.0
HILO_REDUCTION(std, VarOptions)
/// Returns the maximum over `axis`, by default over all axes; NaN propagates.
/// Errors     INVALID_ARGUMENT for a reduction over no elements without `initial`
/// Example    max(array({{1, 5}, {3, 2}}), 0)  // [3 5]
HILO_REDUCTION(max, MaxOptions)
/// Returns the minimum over `axis`, by default over all axes; NaN propagates.
/// Example    min(array({{1, 5}, {3, 2}}), 0)  // [1 2]
HILO_REDUCTION(min, MaxOptions)
HILO_REDUCTION(amax, MaxOptions)  ///< same as max
HILO_REDUCTION(amin, MaxOptions)  ///< same as min
HILO_REDUCTION(ptp, MaxOptions)   ///< range of values: maximum minus minimum
struct MinmaxOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  bool keepdims = false;
  std::vector<Array> initial = {};            ///< initial value of both, or {of the minimum, of the maximum}
  std::optional<Array> where = std::nullopt;  ///< elements that are included; requires `initial`
};
/// Returns the minimum and the maximum over `axis`, by default over all axes; NaN propagates.
/// Errors     as max; INVALID_ARGUMENT for more than two values in `initial`
/// Example    const auto [low, high] = minmax(array({{1, 5}, {3, 2}}), {.axis = 0});
///            low   // [1 2]
///            high  // [3 5]
std::pair<Array, Array> minmax(const Operand& a, const MinmaxOptions& options = {});
/// Returns whether all elements are true (not 0).
/// Example    numpy::all(array({1, 2, 0}))  // False
HILO_REDUCTION(all, AllOptions)
/// Returns whether any element is true (not 0).
/// Example    numpy::any(array({1, 2, 0}))  // True
HILO_REDUCTION(any, AllOptions)
HILO_REDUCTION(count_nonzero, AllOptions)  ///< number of elements that are not 0
/// Reduces like the function without `nan` in its name, but ignores NaNs. For only NaNs: sum 0, product 1, mean NaN.
HILO_REDUCTION(nansum, SumOptions)
HILO_REDUCTION(nanprod, SumOptions)
HILO_REDUCTION(nanmean, MeanOptions)
HILO_REDUCTION(nanvar, VarOptions)
HILO_REDUCTION(nanstd, VarOptions)
HILO_REDUCTION(nanmax, MaxOptions)
HILO_REDUCTION(nanmin, MaxOptions)

struct MedianOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  bool overwrite_input = false;  ///< true is rejected: arrays are immutable
  bool keepdims = false;
};
/// Returns the median; for an even count, the mean of the two middle elements.
/// Example    median(array({1, 5, 2, 4}))  // 3.0
HILO_REDUCTION(median, MedianOptions)
HILO_REDUCTION(nanmedian, MedianOptions)  ///< median that ignores NaNs

struct ArgOptions {
  std::optional<int64_t> axis = std::nullopt;
  bool keepdims = false;
};
#define HILO_ARG_REDUCTION(name)                                                     \
  Array name(const Operand& a, const ArgOptions& options = {});                      \
  template <int = 0>                                                                 \
  Array name(const Operand& a, std::optional<int64_t> axis, bool keepdims = false) { \
    return name(a, ArgOptions{.axis = axis, .keepdims = keepdims});                  \
  }
/// Returns the index of the maximum along `axis`, by default of the flattened array. For equal elements, returns the
/// first index; a NaN counts as the maximum.
/// Types      s32, with x64 s64
/// Errors     INVALID_ARGUMENT for an axis of extent 0
/// Example    argmax(array({3, 7, 7, 1}))  // 1
///            argmax(array({{3, 7}, {9, 1}}), 1)  // [1 0]
HILO_ARG_REDUCTION(argmax)
/// Returns the index of the minimum along `axis`, by default of the flattened array. See argmax.
/// Example    argmin(array({3, 7, 1, 1}))  // 2
HILO_ARG_REDUCTION(argmin)
/// Returns the index of the maximum, ignoring NaNs; -1 if all elements are NaN.
HILO_ARG_REDUCTION(nanargmax)
/// Returns the index of the minimum, ignoring NaNs; -1 if all elements are NaN.
HILO_ARG_REDUCTION(nanargmin)
#undef HILO_ARG_REDUCTION

struct CumulativeOptions {
  std::optional<int64_t> axis = std::nullopt;
  Dtype dtype = std::nullopt;
};
#define HILO_CUMULATIVE(name)                                          \
  Array name(const Operand& a, const CumulativeOptions& options = {}); \
  template <int = 0>                                                   \
  Array name(const Operand& a, std::optional<int64_t> axis) {          \
    return name(a, CumulativeOptions{.axis = axis});                   \
  }
/// Returns cumulative sums along `axis`, by default of the flattened array.
/// Types      booleans are summed in s32 (s64 with x64); other types are unchanged
/// Example    cumsum(array({1, 2, 3}))  // [1 3 6]
///            cumsum(array({{1, 2}, {3, 4}}), 0)  // [[1 2] [4 6]]
HILO_CUMULATIVE(cumsum)
/// Returns cumulative products along `axis`, by default of the flattened array.
/// Example    cumprod(array({1, 2, 3, 4}))  // [ 1 2 6 24]
HILO_CUMULATIVE(cumprod)
/// Returns cumulative sums; NaNs count as 0.
HILO_CUMULATIVE(nancumsum)
/// Returns cumulative products; NaNs count as 1.
HILO_CUMULATIVE(nancumprod)
#undef HILO_CUMULATIVE
struct InitialOptions {
  std::optional<int64_t> axis = std::nullopt;
  Dtype dtype = std::nullopt;
  bool include_initial = false;  ///< whether the result begins with the initial value: 0 for sums, 1 for products
};
/// Returns cumulative sums along `axis`, which is required for more than one dimension. Integers are summed as in sum.
/// Example    cumulative_sum(array({1, 2, 3}), {.include_initial = true})  // [0 1 3 6]
Array cumulative_sum(const Operand& x, const InitialOptions& options = {});
/// Returns cumulative products along `axis`, which is required for more than one dimension. Integers keep their type.
Array cumulative_prod(const Operand& x, const InitialOptions& options = {});

struct AverageOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  std::optional<Array> weights = std::nullopt;  ///< weights of the shape of `a`, or of its axis
  bool keepdims = false;
};
/// Returns the weighted mean over `axis`, by default over all axes.
/// Example    average(array({1, 2, 3}), {.weights = array({1, 1, 2})})  // 2.25
Array average(const Operand& a, const AverageOptions& options = {});
template <int = 0>
Array average(const Operand& a, const Axes& axis, const std::optional<Array>& weights = std::nullopt) {
  return average(a, AverageOptions{.axis = axis, .weights = weights});
}
struct AverageAndWeights {
  Array average, sum_of_weights;
};
/// Returns average(a) and the sum of the weights. JAX's returned=True.
AverageAndWeights average_with_weights(const Operand& a, const AverageOptions& options = {});

namespace detail {
Array fractions(std::initializer_list<double> q);
}  // namespace detail
struct QuantileOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  bool overwrite_input = false;  ///< true is rejected: arrays are immutable
  /// interpolation between two elements: linear, lower, higher, midpoint, nearest; or inverted_cdf
  const char* method = "linear";
  bool keepdims = false;
  /// weights for method inverted_cdf: of the shape of `a`, or of its axes
  std::optional<Array> weights = std::nullopt;
};
#define HILO_QUANTILE(name)                                                                                   \
  Array name(const Operand& a, const Operand& q, const QuantileOptions& options = {});                        \
  template <int = 0>                                                                                          \
  Array name(const Operand& a, const Operand& q, const Axes& axis) {                                          \
    return name(a, q, QuantileOptions{.axis = axis});                                                         \
  }                                                                                                           \
  inline Array name(const Operand& a, std::initializer_list<double> q, const QuantileOptions& options = {}) { \
    return name(a, detail::fractions(q), options);                                                            \
  }
/// Returns the q-th quantiles over `axis`, for q in [0, 1]. The axes of q come first in the result. NaN propagates.
/// Example    quantile(array({1, 2, 3, 4, 5}), 0.25)  // 2.0
HILO_QUANTILE(quantile)
HILO_QUANTILE(percentile)  ///< Returns quantiles for q in [0, 100].
HILO_QUANTILE(nanquantile)
HILO_QUANTILE(nanpercentile)
#undef HILO_QUANTILE
#undef HILO_REDUCTION

}  // namespace hilo::numpy

namespace hilo {

// Defines the members of Array with an axis: x.sum(0) is numpy::sum(x, 0).
#define HILO_REDUCING_MEMBER(name, Options)                                     \
  template <int>                                                                \
  Array Array::name(const Axes& axis, std::source_location location) const {    \
    return numpy::name(Operand(*this, location), numpy::Options{.axis = axis}); \
  }
#include "hilo/array/reducing_members.inc"

}  // namespace hilo
