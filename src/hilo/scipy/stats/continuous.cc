// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/stats/continuous.h"

#include <cmath>

#include "hilo/lax/incomplete_gamma.h"
#include "hilo/scipy/stats/support.h"
#include "hilo/transform/function.h"

namespace hilo::scipy::stats {

namespace {

constexpr double kPi = std::numbers::pi;

/// log(1 - exp(-x)) of x > 0.
Array log1mexp(const Array& x) {
  const Array large = x > std::numbers::ln2;
  return numpy::where(large, numpy::log1p(-numpy::exp(-numpy::where(large, x, 1.0))), numpy::log(-numpy::expm1(-x)));
}
/// exp(z) / 2 up to 0, 1 - exp(-z) / 2 behind it.
Array half_exponential(const Array& z) {
  const Array below = z <= 0, e = 0.5 * numpy::exp(numpy::where(below, z, -z));
  return numpy::where(below, e, 1.0 - e);
}
/// log(1 + z^2), where the square overflows too.
Array log1p_square(const Array& z) {
  const Array size = numpy::abs(z), large = size > std::sqrt(numpy::finfo(z.dtype()).max) / 4;
  const Array value = numpy::log1p(numpy::where(large, size, z * numpy::where(large, 1.0, z)));
  return numpy::where(large, 2.0 * value, value);
}
/// `value` where q is a probability, else NaN.
Array of_probability(const Array& q, const Array& value) { return numpy::where((q >= 0) & (q <= 1), value, kNan); }

}  // namespace

// A function of the standardised z = (x - loc) / scale, and of loc and scale.
#define HILO_LOC_SCALE(space, name, ...)                                                                \
  Array space::name(const Operand& x, const Operand& loc, const Operand& scale) {                       \
    const auto f = []([[maybe_unused]] const Array& x, const Array& loc, const Array& scale) -> Array { \
      [[maybe_unused]] const Array z = (x - loc) / scale;                                               \
      return __VA_ARGS__;                                                                               \
    };                                                                                                  \
    return over(#space "." #name, f, x, loc, scale);                                                    \
  }
// The exponential and the logarithm of another function of the distribution.
#define HILO_EXP(space, name, log)                                                \
  Array space::name(const Operand& x, const Operand& loc, const Operand& scale) { \
    return exp_of(HILO_FN(space::log), x, loc, scale);                            \
  }
#define HILO_LOG(space, name, of)                                                 \
  Array space::name(const Operand& x, const Operand& loc, const Operand& scale) { \
    return log_of(HILO_FN(space::of), x, loc, scale);                             \
  }

HILO_LOC_SCALE(norm, logpdf, -0.5 * (numpy::log(2 * kPi * scale * scale) + z * z))
HILO_EXP(norm, pdf, logpdf)
HILO_LOC_SCALE(norm, cdf, special::ndtr(z))
HILO_LOC_SCALE(norm, logcdf, special::log_ndtr(z))
HILO_LOC_SCALE(norm, sf, special::ndtr(-z))
HILO_LOC_SCALE(norm, logsf, special::log_ndtr(-z))
// In the default type, as in JAX.
HILO_LOC_SCALE(norm, ppf, numpy::astype(special::ndtri(x) * scale + loc, default_float()))
HILO_LOC_SCALE(norm, isf, numpy::astype(-special::ndtri(x) * scale + loc, default_float()))

HILO_LOC_SCALE(uniform, logpdf, numpy::where((x > loc + scale) | (x < loc), -kInf, -numpy::log(scale)))
HILO_EXP(uniform, pdf, logpdf)
HILO_LOC_SCALE(uniform, cdf, numpy::where(x < loc, 0.0, numpy::where(x > loc + scale, 1.0, z)))
HILO_LOC_SCALE(uniform, ppf, of_probability(x, loc + scale * x))

HILO_LOC_SCALE(expon, logpdf, numpy::where(x < loc, -kInf, -(z + numpy::log(scale))))
HILO_EXP(expon, pdf, logpdf)
HILO_LOC_SCALE(expon, cdf, -numpy::expm1(-numpy::where(x < loc, 0.0, z)))
HILO_LOC_SCALE(expon, logcdf, numpy::log1p(-expon::sf(x, loc, scale)))
HILO_EXP(expon, sf, logsf)
HILO_LOC_SCALE(expon, logsf, numpy::where(x < loc, 0.0, -z))
HILO_LOC_SCALE(expon, ppf, of_probability(x, loc - scale * numpy::log1p(-x)))

HILO_LOC_SCALE(laplace, logpdf, -(numpy::abs(z) + numpy::log(2.0 * scale)))
HILO_EXP(laplace, pdf, logpdf)
HILO_LOC_SCALE(laplace, cdf, half_exponential(z))

HILO_LOC_SCALE(logistic, logpdf, -2.0 * numpy::logaddexp(z / 2.0, -z / 2.0) - numpy::log(scale))
HILO_EXP(logistic, pdf, logpdf)
HILO_LOC_SCALE(logistic, cdf, special::expit(z))
HILO_LOC_SCALE(logistic, sf, special::expit(-z))
HILO_LOC_SCALE(logistic, ppf, special::logit(x) * scale + loc)
HILO_LOC_SCALE(logistic, isf, -special::logit(x) * scale + loc)

HILO_LOC_SCALE(cauchy, logpdf, -(numpy::log(kPi* scale) + log1p_square(z)))
HILO_EXP(cauchy, pdf, logpdf)
HILO_LOC_SCALE(cauchy, cdf, 0.5 + numpy::arctan(z) / kPi)
HILO_LOG(cauchy, logcdf, cdf)
HILO_LOC_SCALE(cauchy, sf, 0.5 + numpy::arctan(-z) / kPi)
HILO_LOG(cauchy, logsf, sf)
HILO_LOC_SCALE(cauchy, ppf, of_probability(x, numpy::tan(kPi* x - kPi / 2) * scale + loc))
HILO_LOC_SCALE(cauchy, isf, of_probability(x, numpy::tan(kPi / 2 - kPi * x) * scale + loc))

HILO_LOC_SCALE(gumbel_l, logpdf, numpy::where(scale > 0, z - numpy::exp(z) - numpy::log(scale), kNan))
HILO_EXP(gumbel_l, pdf, logpdf)
HILO_EXP(gumbel_l, cdf, logcdf)
HILO_LOC_SCALE(gumbel_l, logcdf, numpy::where(scale > 0, numpy::log(-numpy::expm1(-numpy::exp(z))), kNan))
HILO_EXP(gumbel_l, sf, logsf)
HILO_LOC_SCALE(gumbel_l, logsf, numpy::where(scale > 0, -numpy::exp(z), kNan))
HILO_LOC_SCALE(gumbel_l, ppf, numpy::where((x > 0) & (x < 1), loc + scale * numpy::log(-numpy::log1p(-x)), kNan))

HILO_LOC_SCALE(gumbel_r, logpdf, numpy::where(scale > 0, -(z + numpy::exp(-z)) - numpy::log(scale), kNan))
HILO_EXP(gumbel_r, pdf, logpdf)
HILO_EXP(gumbel_r, cdf, logcdf)
HILO_LOC_SCALE(gumbel_r, logcdf, numpy::where(scale > 0, -numpy::exp(-z), kNan))
HILO_LOC_SCALE(gumbel_r, sf, numpy::where(scale > 0, -numpy::expm1(-numpy::exp(-z)), kNan))
HILO_LOC_SCALE(gumbel_r, logsf, numpy::where(scale > 0, log1mexp(numpy::exp(-z)), kNan))
HILO_LOC_SCALE(gumbel_r, ppf, numpy::where((x > 0) & (x < 1), loc - scale * numpy::log(-numpy::log(x)), kNan))
#undef HILO_LOC_SCALE
#undef HILO_EXP
#undef HILO_LOG

// The same with one parameter of shape.
#define HILO_ONE_SHAPE(space, name, shape, ...)                                                         \
  Array space::name(const Operand& x, const Operand& shape, const Operand& loc, const Operand& scale) { \
    const auto f = []([[maybe_unused]] const Array& x, const Array& shape, const Array& loc,            \
                      const Array& scale) -> Array {                                                    \
      [[maybe_unused]] const Array z = (x - loc) / scale;                                               \
      return __VA_ARGS__;                                                                               \
    };                                                                                                  \
    return over(#space "." #name, f, x, shape, loc, scale);                                             \
  }
#define HILO_EXP(space, name, log)                                                                      \
  Array space::name(const Operand& x, const Operand& shape, const Operand& loc, const Operand& scale) { \
    return exp_of(HILO_FN(space::log), x, shape, loc, scale);                                           \
  }
#define HILO_LOG(space, name, of)                                                                       \
  Array space::name(const Operand& x, const Operand& shape, const Operand& loc, const Operand& scale) { \
    return log_of(HILO_FN(space::of), x, shape, loc, scale);                                            \
  }

namespace {
Array log_gamma_density(const Array& z, const Array& a, const Array& scale) {
  const Array inside = z >= 0, y = numpy::where(inside, z, 1.0);
  return numpy::where(inside, special::xlogy(a - 1.0, y) - y - special::gammaln(a) - numpy::log(scale), -kInf);
}
/// Pareto's z where the density isn't 0; elsewhere a number whose logarithms have finite derivatives.
Array in_support(const Array& x, const Array& z, const Array& loc, const Array& scale) {
  return numpy::where(x < loc + scale, 2.0, z);
}

}  // namespace

HILO_ONE_SHAPE(gamma, logpdf, a, log_gamma_density(z, a, scale))
HILO_EXP(gamma, pdf, logpdf)
HILO_ONE_SHAPE(gamma, cdf, a, special::gammainc(a, numpy::maximum(z, 0.0)))
HILO_LOG(gamma, logcdf, cdf)
HILO_ONE_SHAPE(gamma, sf, a, numpy::where(z < 0, 1.0, special::gammaincc(a, numpy::maximum(z, 0.0))))
HILO_LOG(gamma, logsf, sf)

HILO_ONE_SHAPE(chi2, logpdf, df,
               numpy::where(x < loc, -kInf,
                            special::xlogy(df / 2.0 - 1.0, numpy::where(x < loc, 1.0, z)) - z / 2.0 -
                                special::gammaln(df / 2.0) - df * (std::numbers::ln2 / 2) - numpy::log(scale)))
HILO_EXP(chi2, pdf, logpdf)
HILO_ONE_SHAPE(chi2, cdf, df, special::gammainc(df / 2.0, numpy::maximum(z / 2.0, 0.0)))
HILO_LOG(chi2, logcdf, cdf)
HILO_ONE_SHAPE(chi2, sf, df, special::gammaincc(df / 2.0, numpy::maximum(z / 2.0, 0.0)))
HILO_LOG(chi2, logsf, sf)

HILO_ONE_SHAPE(t, logpdf, df,
               special::gammaln(df / 2.0 + 0.5) - special::gammaln(df / 2.0) -
                   numpy::log(kPi * scale * scale * df) / 2.0 - (df / 2.0 + 0.5) * numpy::log1p(z * z / df))
HILO_EXP(t, pdf, logpdf)

HILO_ONE_SHAPE(pareto, logpdf, b,
               numpy::where(x < loc + scale, -kInf,
                            -(numpy::log(scale / b) + (b + 1.0) * numpy::log(in_support(x, z, loc, scale)))))
HILO_EXP(pareto, pdf, logpdf)
HILO_ONE_SHAPE(pareto, cdf, b, numpy::where(x < loc + scale, 0.0, 1.0 - numpy::power(in_support(x, z, loc, scale), -b)))
HILO_ONE_SHAPE(pareto, logcdf, b,
               numpy::where(x < loc + scale, -kInf, numpy::log1p(-numpy::power(in_support(x, z, loc, scale), -b))))
HILO_EXP(pareto, sf, logsf)
HILO_ONE_SHAPE(pareto, logsf, b, numpy::where(x < loc + scale, 0.0, -b* numpy::log(in_support(x, z, loc, scale))))
HILO_ONE_SHAPE(pareto, ppf, b, of_probability(x, loc + scale * numpy::power(1.0 - x, -1.0 / b)))
#undef HILO_ONE_SHAPE
#undef HILO_EXP
#undef HILO_LOG

// The same with two parameters of shape.
#define HILO_TWO_SHAPES(space, name, ...)                                                                             \
  Array space::name(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) { \
    const auto f = []([[maybe_unused]] const Array& x, const Array& a, const Array& b, const Array& loc,              \
                      const Array& scale) -> Array {                                                                  \
      [[maybe_unused]] const Array z = (x - loc) / scale;                                                             \
      return __VA_ARGS__;                                                                                             \
    };                                                                                                                \
    return over(#space "." #name, f, x, a, b, loc, scale);                                                            \
  }
#define HILO_EXP(space, name, log)                                                                                    \
  Array space::name(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) { \
    return exp_of(HILO_FN(space::log), x, a, b, loc, scale);                                                          \
  }
#define HILO_LOG(space, name, of)                                                                                     \
  Array space::name(const Operand& x, const Operand& a, const Operand& b, const Operand& loc, const Operand& scale) { \
    return log_of(HILO_FN(space::of), x, a, b, loc, scale);                                                           \
  }

namespace {

Array log_beta_density(const Array& x, const Array& z, const Array& a, const Array& b, const Array& loc,
                       const Array& scale) {
  const Array wrong = (a <= 0) | (b <= 0) | (scale <= 0), outside = (x > loc + scale) | (x < loc);
  // What isn't chosen is computed of other numbers, or its infinite derivatives times 0 would be NaN.
  const auto right = [&](const Array& v) { return numpy::where(wrong, 1.0, v); };
  const Array at = numpy::where(outside | wrong, 0.5, z);
  const Array value = special::xlogy(right(a) - 1.0, at) + special::xlog1py(right(b) - 1.0, -at) -
                      special::betaln(right(a), right(b)) - numpy::log(right(scale));
  return numpy::where(wrong, kNan, numpy::where(outside, -kInf, value));
}

/// The logarithm of the normal distribution's mass between a and b.
Array log_mass(const Array& a, const Array& b) {
  const Array left = b <= 0, right = a > 0, middle = ~(left | right);
  const Array low = numpy::where(right, -b, a), high = numpy::where(right, -a, b);
  const Array log_high = special::log_ndtr(numpy::where(middle, 0.0, high));
  const Array log_low = special::log_ndtr(numpy::where(middle, -1.0, low));
  const auto in_middle = [&](const Array& v) { return special::ndtr(numpy::where(middle, v, -1.0)); };
  const Array central = numpy::log1p(-in_middle(a) - in_middle(-b));
  const Array difference = log_high - log_low;  // above 0 unless the range is empty
  const Array tail = log_high + log1mexp(numpy::where(difference > 0, difference, 1.0));
  return numpy::where(middle, central, numpy::where(difference > 0, tail, numpy::where(difference == 0, -kInf, kNan)));
}
/// f of limits in order; NaN, whose derivative is 0, for others.
template <typename F>
Array between(const Array& a, const Array& b, const F& f) {
  const Array wrong = a >= b;
  return numpy::where(wrong, kNan, f(numpy::where(wrong, -1.0, a), numpy::where(wrong, 1.0, b)));
}
Array log_truncated_density(const Array& z, const Array& a, const Array& b, const Array& scale) {
  const Array value = -0.5 * (numpy::log(2 * kPi * scale * scale) + z * z) - log_mass(a, b);
  return numpy::where((z < a) | (z > b), -kInf, value);
}
/// The logarithm of the part of the mass between a < b that lies below z.
Array log_truncated(const Array& z, const Array& a, const Array& b) {
  const Array inside = (z > a) & (z < b), at = numpy::where(inside, z, (a + b) / 2.0), all = log_mass(a, b);
  const Array below = log_mass(a, at) - all, above = log_mass(at, b) - all;
  const Array value = numpy::where(below > -0.1, numpy::log1p(-numpy::exp(above)), below);
  return numpy::where(z >= b, 0.0, numpy::where(z <= a, -kInf, value));
}

}  // namespace

HILO_TWO_SHAPES(beta, logpdf, log_beta_density(x, z, a, b, loc, scale))
HILO_EXP(beta, pdf, logpdf)
HILO_TWO_SHAPES(beta, cdf, special::betainc(a, b, numpy::clip(z, 0.0, 1.0)))
HILO_LOG(beta, logcdf, cdf)
HILO_TWO_SHAPES(beta, sf, special::betainc(b, a, 1.0 - numpy::clip(z, 0.0, 1.0)))
HILO_LOG(beta, logsf, sf)

#define HILO_BETWEEN(name, ...)    \
  HILO_TWO_SHAPES(truncnorm, name, \
                  between(a, b, [&](const Array& low, const Array& high) -> Array { return __VA_ARGS__; }))
HILO_BETWEEN(logpdf, log_truncated_density(z, low, high, scale))
HILO_BETWEEN(pdf, numpy::exp(log_truncated_density(z, low, high, scale)))
HILO_BETWEEN(cdf, numpy::exp(log_truncated(z, low, high)))
HILO_BETWEEN(logcdf, log_truncated(z, low, high))
HILO_BETWEEN(sf, numpy::exp(log_truncated(-z, -high, -low)))
HILO_BETWEEN(logsf, log_truncated(-z, -high, -low))
#undef HILO_BETWEEN
#undef HILO_TWO_SHAPES
#undef HILO_EXP
#undef HILO_LOG

Array gennorm::logpdf(const Operand& x, const Operand& beta) {
  return over(
      "gennorm.logpdf",
      [](const Array& a, const Array& b) {
        return numpy::log(0.5 * b) - special::gammaln(1.0 / b) - numpy::power(numpy::abs(a), b);
      },
      x, beta);
}
Array gennorm::pdf(const Operand& x, const Operand& beta) { return exp_of(gennorm::logpdf, x, beta); }
Array gennorm::cdf(const Operand& x, const Operand& beta) {
  return over(
      "gennorm.cdf",
      [](const Array& a, const Array& b) {
        return 0.5 * (1.0 + numpy::sign(a) * special::gammainc(1.0 / b, numpy::power(numpy::abs(a), b)));
      },
      x, beta);
}
Array vonmises::logpdf(const Operand& x, const Operand& kappa) {
  return over(
      "vonmises.logpdf",
      [](const Array& a, const Array& k) {
        const Array value = k * (numpy::cos(a) - 1.0) - numpy::log(2 * kPi * special::i0e(k));
        return numpy::where(k > 0, value, kNan);
      },
      x, kappa);
}
Array vonmises::pdf(const Operand& x, const Operand& kappa) { return exp_of(vonmises::logpdf, x, kappa); }
Array wrapcauchy::logpdf(const Operand& x, const Operand& c) {
  return over(
      "wrapcauchy.logpdf",
      [](const Array& a, const Array& r) {
        const Array value =
            numpy::log(1.0 - r * r) - numpy::log(2 * kPi) - numpy::log(1.0 + r * r - 2.0 * r * numpy::cos(a));
        return numpy::where((r > 0) & (r < 1), numpy::where((a >= 0) & (a <= 2 * kPi), value, -kInf), kNan);
      },
      x, c);
}
Array wrapcauchy::pdf(const Operand& x, const Operand& c) { return exp_of(wrapcauchy::logpdf, x, c); }

}  // namespace hilo::scipy::stats
