// SPDX-License-Identifier: Apache-2.0
// scipy/stats/continuous.h -- continuous distributions, a namespace for each, with the functions and arguments of
// jax.scipy.stats. Operands broadcast, and integers become floats. Outside of its support a density is 0; invalid
// parameters give NaN.
#pragma once

#include "hilo/array/array.h"

namespace hilo::scipy::stats {

// Each distribution has pdf(x, loc, scale) and other functions; some have one or two shape parameters before loc. pdf
// is the density, cdf the distribution function, sf = 1 - cdf; ppf and isf are the inverses of cdf and sf. The
// functions with log return logarithms. loc and scale may be passed by name: pdf(x, {.scale = 2}).

/// The location and the scale of a distribution.
struct LocScale {
  Array loc = 0, scale = 1;
};
#define HILO_LOC_SCALE(name)                                                                      \
  Array name(const Operand& x, const Operand& loc, const Operand& scale);                         \
  inline Array name(const Operand& x, const LocScale& o = {}) { return name(x, o.loc, o.scale); } \
  template <int = 0>                                                                              \
  Array name(const Operand& x, const Operand& loc) {                                              \
    return name(x, loc, 1);                                                                       \
  }
#define HILO_ONE_SHAPE(name, a)                                                                                        \
  Array name(const Operand& x, const Operand& a, const Operand& loc, const Operand& scale);                            \
  inline Array name(const Operand& x, const Operand& a, const LocScale& o = {}) { return name(x, a, o.loc, o.scale); } \
  template <int = 0>                                                                                                   \
  Array name(const Operand& x, const Operand& a, const Operand& loc) {                                                 \
    return name(x, a, loc, 1);                                                                                         \
  }
#define HILO_TWO_SHAPES(name, a, b)                                                                           \
  Array name(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale); \
  inline Array name(const Operand& x, const Operand& a, const Operand& b, const LocScale& o = {}) {           \
    return name(x, a, b, o.loc, o.scale);                                                                     \
  }                                                                                                           \
  template <int = 0>                                                                                          \
  Array name(const Operand& x, const Operand& a, const Operand& b, const Operand& loc) {                      \
    return name(x, a, b, loc, 1);                                                                             \
  }

/// The normal distribution, with density exp(-x^2 / 2) / sqrt(2 pi).
namespace norm {
HILO_LOC_SCALE(logpdf)  ///< logarithm of the density
/// Returns the density at x.
/// Example    scipy::stats::norm::pdf(0.0)  // 0.3989423
HILO_LOC_SCALE(pdf)
/// Returns the probability of values up to x.
/// Example    scipy::stats::norm::cdf(numpy::array({0.0, 1.96}))  // [0.5 0.9750021]
///            scipy::stats::norm::cdf(3.0, {.loc = 1, .scale = 2})  // 0.8413447
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(logcdf)  ///< logarithm of cdf
HILO_LOC_SCALE(sf)      ///< survival function 1 - cdf
HILO_LOC_SCALE(logsf)   ///< logarithm of sf
/// Returns the quantile: the inverse of cdf.
/// Example    scipy::stats::norm::ppf(numpy::array({0.5, 0.975}))  // [0. 1.9599645]
HILO_LOC_SCALE(ppf)
HILO_LOC_SCALE(isf)  ///< inverse of sf
}  // namespace norm

/// The uniform distribution on [0, 1].
namespace uniform {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(ppf)
}  // namespace uniform

/// The exponential distribution, with density exp(-x) for x >= 0.
namespace expon {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(logcdf)
HILO_LOC_SCALE(sf)
HILO_LOC_SCALE(logsf)
HILO_LOC_SCALE(ppf)
}  // namespace expon

/// The Laplace distribution, with density exp(-|x|) / 2.
namespace laplace {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
}  // namespace laplace

/// The logistic distribution, with cdf 1 / (1 + exp(-x)).
namespace logistic {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(sf)
HILO_LOC_SCALE(ppf)
HILO_LOC_SCALE(isf)
}  // namespace logistic

/// The Cauchy distribution, with density 1 / (pi (1 + x^2)).
namespace cauchy {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(logcdf)
HILO_LOC_SCALE(sf)
HILO_LOC_SCALE(logsf)
HILO_LOC_SCALE(ppf)
HILO_LOC_SCALE(isf)
}  // namespace cauchy

/// The Gumbel distribution of minima.
namespace gumbel_l {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(logcdf)
HILO_LOC_SCALE(sf)
HILO_LOC_SCALE(logsf)
HILO_LOC_SCALE(ppf)
}  // namespace gumbel_l

/// The Gumbel distribution of maxima.
namespace gumbel_r {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(logcdf)
HILO_LOC_SCALE(sf)
HILO_LOC_SCALE(logsf)
HILO_LOC_SCALE(ppf)
}  // namespace gumbel_r

/// The gamma distribution, with density x^(a - 1) exp(-x) / gamma(a) for x >= 0.
namespace gamma {
HILO_ONE_SHAPE(logpdf, a)
HILO_ONE_SHAPE(pdf, a)
HILO_ONE_SHAPE(cdf, a)
HILO_ONE_SHAPE(logcdf, a)
HILO_ONE_SHAPE(sf, a)
HILO_ONE_SHAPE(logsf, a)
}  // namespace gamma

/// The chi-squared distribution of the sum of df squared standard normal numbers.
namespace chi2 {
HILO_ONE_SHAPE(logpdf, df)
HILO_ONE_SHAPE(pdf, df)
HILO_ONE_SHAPE(cdf, df)
HILO_ONE_SHAPE(logcdf, df)
HILO_ONE_SHAPE(sf, df)
HILO_ONE_SHAPE(logsf, df)
}  // namespace chi2

/// Student's t distribution, with density proportional to (1 + x^2 / df)^(-(df + 1) / 2).
namespace t {
HILO_ONE_SHAPE(logpdf, df)
HILO_ONE_SHAPE(pdf, df)
}  // namespace t

/// The Pareto distribution, with density b / x^(b + 1) for x >= 1.
namespace pareto {
HILO_ONE_SHAPE(logpdf, b)
HILO_ONE_SHAPE(pdf, b)
HILO_ONE_SHAPE(cdf, b)
HILO_ONE_SHAPE(logcdf, b)
HILO_ONE_SHAPE(sf, b)
HILO_ONE_SHAPE(logsf, b)
HILO_ONE_SHAPE(ppf, b)
}  // namespace pareto

/// The beta distribution, with density proportional to x^(a - 1) (1 - x)^(b - 1) on [0, 1].
namespace beta {
HILO_TWO_SHAPES(logpdf, a, b)
HILO_TWO_SHAPES(pdf, a, b)
HILO_TWO_SHAPES(cdf, a, b)
HILO_TWO_SHAPES(logcdf, a, b)
HILO_TWO_SHAPES(sf, a, b)
HILO_TWO_SHAPES(logsf, a, b)
}  // namespace beta

/// The normal distribution truncated to [a, b], in units of scale from loc.
namespace truncnorm {
HILO_TWO_SHAPES(logpdf, a, b)
HILO_TWO_SHAPES(pdf, a, b)
HILO_TWO_SHAPES(cdf, a, b)
HILO_TWO_SHAPES(logcdf, a, b)
HILO_TWO_SHAPES(sf, a, b)
HILO_TWO_SHAPES(logsf, a, b)
}  // namespace truncnorm
#undef HILO_LOC_SCALE
#undef HILO_ONE_SHAPE
#undef HILO_TWO_SHAPES

/// The generalized normal distribution, with density proportional to exp(-|x|^beta).
namespace gennorm {
Array logpdf(const Operand& x, const Operand& beta);
Array pdf(const Operand& x, const Operand& beta);
Array cdf(const Operand& x, const Operand& beta);
}  // namespace gennorm

/// The von Mises distribution on the circle, with density proportional to exp(kappa cos(x)).
namespace vonmises {
Array logpdf(const Operand& x, const Operand& kappa);
Array pdf(const Operand& x, const Operand& kappa);
}  // namespace vonmises

/// The Cauchy distribution wrapped around the circle, with density proportional to 1 / (1 + c^2 - 2 c cos(x)).
namespace wrapcauchy {
Array logpdf(const Operand& x, const Operand& c);
Array pdf(const Operand& x, const Operand& c);
}  // namespace wrapcauchy

}  // namespace hilo::scipy::stats
