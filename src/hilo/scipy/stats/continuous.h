// SPDX-License-Identifier: Apache-2.0
// scipy/stats/continuous.h -- continuous distributions, a namespace each, with the functions and arguments of jax.scipy.stats.
// Operands broadcast and become floats. Outside of its support a density is 0; parameters that make no sense give NaN.
#pragma once

#include "hilo/array/array.h"

namespace hilo::scipy::stats {

// pdf(x, loc, scale), ...; the same with one or two parameters of shape before loc.
// pdf is the density, cdf the probability up to x, sf = 1 - cdf, ppf and isf the inverses of cdf and sf; log... logarithms.
// loc and scale go by name too: pdf(x, {.scale = 2}).
/// Where a distribution stands and how wide it is.
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

/// Normal, of density exp(-x^2 / 2) / sqrt(2 pi).
namespace norm {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(logcdf)
HILO_LOC_SCALE(sf)
HILO_LOC_SCALE(logsf)
HILO_LOC_SCALE(ppf)
HILO_LOC_SCALE(isf)
}  // namespace norm

/// Of density 1 from 0 to 1.
namespace uniform {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(ppf)
}  // namespace uniform

/// Exponential, of density exp(-x) from 0 on.
namespace expon {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(logcdf)
HILO_LOC_SCALE(sf)
HILO_LOC_SCALE(logsf)
HILO_LOC_SCALE(ppf)
}  // namespace expon

/// Of density exp(-|x|) / 2.
namespace laplace {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
}  // namespace laplace

/// Of cdf 1 / (1 + exp(-x)).
namespace logistic {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(sf)
HILO_LOC_SCALE(ppf)
HILO_LOC_SCALE(isf)
}  // namespace logistic

/// Of density 1 / (pi (1 + x^2)).
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

/// Of least values.
namespace gumbel_l {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(logcdf)
HILO_LOC_SCALE(sf)
HILO_LOC_SCALE(logsf)
HILO_LOC_SCALE(ppf)
}  // namespace gumbel_l

/// Of greatest values.
namespace gumbel_r {
HILO_LOC_SCALE(logpdf)
HILO_LOC_SCALE(pdf)
HILO_LOC_SCALE(cdf)
HILO_LOC_SCALE(logcdf)
HILO_LOC_SCALE(sf)
HILO_LOC_SCALE(logsf)
HILO_LOC_SCALE(ppf)
}  // namespace gumbel_r

/// Of density x^(a - 1) exp(-x) / gamma(a) from 0 on.
namespace gamma {
HILO_ONE_SHAPE(logpdf, a)
HILO_ONE_SHAPE(pdf, a)
HILO_ONE_SHAPE(cdf, a)
HILO_ONE_SHAPE(logcdf, a)
HILO_ONE_SHAPE(sf, a)
HILO_ONE_SHAPE(logsf, a)
}  // namespace gamma

/// Of the sum of df squared normal numbers.
namespace chi2 {
HILO_ONE_SHAPE(logpdf, df)
HILO_ONE_SHAPE(pdf, df)
HILO_ONE_SHAPE(cdf, df)
HILO_ONE_SHAPE(logcdf, df)
HILO_ONE_SHAPE(sf, df)
HILO_ONE_SHAPE(logsf, df)
}  // namespace chi2

/// Student's, of density proportional to (1 + x^2 / df)^(-(df + 1) / 2).
namespace t {
HILO_ONE_SHAPE(logpdf, df)
HILO_ONE_SHAPE(pdf, df)
}  // namespace t

/// Of density b / x^(b + 1) from 1 on.
namespace pareto {
HILO_ONE_SHAPE(logpdf, b)
HILO_ONE_SHAPE(pdf, b)
HILO_ONE_SHAPE(cdf, b)
HILO_ONE_SHAPE(logcdf, b)
HILO_ONE_SHAPE(sf, b)
HILO_ONE_SHAPE(logsf, b)
HILO_ONE_SHAPE(ppf, b)
}  // namespace pareto

/// Of density proportional to x^(a - 1) (1 - x)^(b - 1) from 0 to 1.
namespace beta {
HILO_TWO_SHAPES(logpdf, a, b)
HILO_TWO_SHAPES(pdf, a, b)
HILO_TWO_SHAPES(cdf, a, b)
HILO_TWO_SHAPES(logcdf, a, b)
HILO_TWO_SHAPES(sf, a, b)
HILO_TWO_SHAPES(logsf, a, b)
}  // namespace beta

/// The normal distribution between a and b, in units of scale from loc.
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

/// Of density proportional to exp(-|x|^beta).
namespace gennorm {
Array logpdf(const Operand& x, const Operand& beta);
Array pdf(const Operand& x, const Operand& beta);
Array cdf(const Operand& x, const Operand& beta);
}  // namespace gennorm

/// On the circle, of density proportional to exp(kappa cos(x)).
namespace vonmises {
Array logpdf(const Operand& x, const Operand& kappa);
Array pdf(const Operand& x, const Operand& kappa);
}  // namespace vonmises

/// Cauchy's wrapped round the circle, of density proportional to 1 / (1 + c^2 - 2 c cos(x)).
namespace wrapcauchy {
Array logpdf(const Operand& x, const Operand& c);
Array pdf(const Operand& x, const Operand& c);
}  // namespace wrapcauchy

}  // namespace hilo::scipy::stats
