// SPDX-License-Identifier: Apache-2.0
// numpy/reductions.h -- sums, extremes, means, quantiles, running reductions; also without NaN.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::numpy {

struct SumOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  Dtype dtype = std::nullopt;
  bool keepdims = false;
  std::optional<Array> initial = std::nullopt;  ///< what the sum begins with
  std::optional<Array> where = std::nullopt;    ///< which elements take part
  bool promote_integers = true;                 ///< integers narrower than the default are added in that
};
struct MaxOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  bool keepdims = false;
  std::optional<Array> initial = std::nullopt;
  std::optional<Array> where = std::nullopt;  ///< needs `initial`
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
  double ddof = 0;  ///< the sum of squares is divided by the count less this
  bool keepdims = false;
  std::optional<Array> where = std::nullopt;
  std::optional<Array> mean = std::nullopt;  ///< if it is known already, with extent 1 along the axes
  std::optional<double> correction = std::nullopt;
};
struct AllOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  bool keepdims = false;
  std::optional<Array> where = std::nullopt;
};

// sum(x), sum(x, 0), sum(x, {0, 1}), sum(x, {.axis = 1, .keepdims = true}), sum(x, 1, {.keepdims = true}).
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
HILO_REDUCTION(sum, SumOptions)    ///< the sum
HILO_REDUCTION(prod, SumOptions)   ///< the product
HILO_REDUCTION(mean, MeanOptions)  ///< the sum over the count
HILO_REDUCTION(var, VarOptions)    ///< the mean of squared deviations from the mean
HILO_REDUCTION(std, VarOptions)    ///< the root of var
/// Errors    INVALID_ARGUMENT where a result would be the extreme of nothing
HILO_REDUCTION(max, MaxOptions)            ///< the greatest
HILO_REDUCTION(min, MaxOptions)            ///< the least
HILO_REDUCTION(amax, MaxOptions)           ///< max
HILO_REDUCTION(amin, MaxOptions)           ///< min
HILO_REDUCTION(ptp, MaxOptions)            ///< max - min
HILO_REDUCTION(all, AllOptions)            ///< whether none is 0
HILO_REDUCTION(any, AllOptions)            ///< whether one isn't 0
HILO_REDUCTION(count_nonzero, AllOptions)  ///< how many aren't 0
// NaN takes no part. Of NaN alone: 0, 1, NaN.
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
  bool overwrite_input = false;  ///< true is refused: an array never changes
  bool keepdims = false;
};
HILO_REDUCTION(median, MedianOptions)     ///< what half of the elements are below; of an even count the middle of two
HILO_REDUCTION(nanmedian, MedianOptions)  ///< the same without NaN

// The index of the greatest or least element along `axis`, without one of the flattened array: s32 (s64 with x64); the
// first of equals, and NaN counts as greatest and least. The functions with nan leave NaN out, and give -1 of NaN alone.
// Errors    INVALID_ARGUMENT for an axis of extent 0
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
HILO_ARG_REDUCTION(argmax)
HILO_ARG_REDUCTION(argmin)
HILO_ARG_REDUCTION(nanargmax)
HILO_ARG_REDUCTION(nanargmin)
#undef HILO_ARG_REDUCTION

// Running sums and products along `axis`, by default of the flattened array; booleans count in s32 (s64 with x64).
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
HILO_CUMULATIVE(cumsum)
HILO_CUMULATIVE(cumprod)
HILO_CUMULATIVE(nancumsum)
HILO_CUMULATIVE(nancumprod)
#undef HILO_CUMULATIVE
struct InitialOptions {
  std::optional<int64_t> axis = std::nullopt;
  Dtype dtype = std::nullopt;
  bool include_initial = false;  ///< begin with 0, or 1 for products
};
/// As cumsum and cumprod; arrays of several dimensions need an axis. cumulative_sum adds integers as sum does; cumulative_prod
/// keeps their type.
Array cumulative_sum(const Operand& x, const InitialOptions& options = {});
Array cumulative_prod(const Operand& x, const InitialOptions& options = {});

struct AverageOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  std::optional<Array> weights = std::nullopt;  ///< of the shape of `a`, or of its axis
  bool keepdims = false;
};
Array average(const Operand& a, const AverageOptions& options = {});  ///< each element counts as its weight says
template <int = 0>
Array average(const Operand& a, const Axes& axis, const std::optional<Array>& weights = std::nullopt) {
  return average(a, AverageOptions{.axis = axis, .weights = weights});
}
struct AverageAndWeights {
  Array average, sum_of_weights;
};
/// average(..., returned=True).
AverageAndWeights average_with_weights(const Operand& a, const AverageOptions& options = {});

namespace detail {
Array shares(std::initializer_list<double> q);
}  // namespace detail
struct QuantileOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  bool overwrite_input = false;   ///< true is refused: an array never changes
  const char* method = "linear";  ///< between two elements: linear, lower, higher, midpoint, nearest; inverted_cdf
  bool keepdims = false;
  std::optional<Array> weights = std::nullopt;  ///< of inverted_cdf: of the shape of `a`, or of its axes
};
#define HILO_QUANTILE(name)                                                                                   \
  Array name(const Operand& a, const Operand& q, const QuantileOptions& options = {});                        \
  template <int = 0>                                                                                          \
  Array name(const Operand& a, const Operand& q, const Axes& axis) {                                          \
    return name(a, q, QuantileOptions{.axis = axis});                                                         \
  }                                                                                                           \
  inline Array name(const Operand& a, std::initializer_list<double> q, const QuantileOptions& options = {}) { \
    return name(a, detail::shares(q), options);                                                               \
  }
/// Where a share q of the elements is below. The result has the axes of q in front. NaN gives NaN.
HILO_QUANTILE(quantile)
HILO_QUANTILE(percentile)  ///< of 100
HILO_QUANTILE(nanquantile)
HILO_QUANTILE(nanpercentile)
#undef HILO_QUANTILE
#undef HILO_REDUCTION

}  // namespace hilo::numpy

namespace hilo {

// The members of Array with an axis: x.sum(0) is numpy::sum(x, 0).
#define HILO_REDUCING_MEMBER(name, Options)                                     \
  template <int>                                                                \
  Array Array::name(const Axes& axis, std::source_location location) const {    \
    return numpy::name(Operand(*this, location), numpy::Options{.axis = axis}); \
  }
HILO_REDUCING_MEMBER(sum, SumOptions)
HILO_REDUCING_MEMBER(mean, MeanOptions)
HILO_REDUCING_MEMBER(max, MaxOptions)
HILO_REDUCING_MEMBER(min, MaxOptions)
HILO_REDUCING_MEMBER(ptp, MaxOptions)
HILO_REDUCING_MEMBER(prod, SumOptions)
HILO_REDUCING_MEMBER(std, VarOptions)
HILO_REDUCING_MEMBER(var, VarOptions)
HILO_REDUCING_MEMBER(all, AllOptions)
HILO_REDUCING_MEMBER(any, AllOptions)
#undef HILO_REDUCING_MEMBER

}  // namespace hilo
