// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/stats/continuous.h"

#include <cmath>

#include "hilo/lax/incomplete_gamma.h"
#include "hilo/lax/normal.h"
#include "hilo/scipy/stats/support.h"
#include "hilo/transform/function.h"

namespace hilo::scipy::stats {

namespace {

constexpr double kPi = std::numbers::pi;

/// Computes log(1 - exp(-x)) for x > 0.
Array log1mexp(const Array& x) {
  const Array large = x > std::numbers::ln2;
  return numpy::where(large, numpy::log1p(-numpy::exp(-numpy::where(large, x, 1.0))), numpy::log(-numpy::expm1(-x)));
}
/// exp(z) / 2 for z <= 0, else 1 - exp(-z) / 2.
Array half_exponential(const Array& z) {
  const Array below = z <= 0, e = 0.5 * numpy::exp(numpy::where(below, z, -z));
  return numpy::where(below, e, 1.0 - e);
}
/// Returns where 1 + z^2 rounds to z^2.
Array one_is_lost(const Array& z) { return numpy::abs(z) > (z.dtype() == ElementType::kF64 ? 0x1p27 : 0x1p13); }
/// Computes log(1 + z^2) and 1 / (1 + z^2), also where the square, or that of the result, overflows.
Array log1p_square(const Array& z) {
  const Array far = one_is_lost(z), near = numpy::where(far, 0.0, z);
  return numpy::where(far, 2.0 * numpy::log(numpy::abs(numpy::where(far, z, 1.0))), numpy::log1p(near * near));
}
Array over_one_plus_square(const Array& z) {
  const Array far = one_is_lost(z), near = numpy::where(far, 0.0, z), r = 1.0 / numpy::where(far, z, 1.0);
  return numpy::where(far, r * r, 1.0 / (1.0 + near * near));
}
Array log_normal_density(const Array& z, const Array& scale) {
  return -(0.5 * z * z + (std::log(2 * kPi) / 2 + numpy::log(numpy::abs(scale))));
}

/// The distribution function of Cauchy, without a difference, so that small probabilities are accurate.
Array cauchy_below(const Array& z) { return numpy::arctan2(numpy::ones_like(z), -z) / kPi; }
Array log_cauchy_below(const Array& z) {
  const Array far = one_is_lost(z) & (z < 0), right = z > 0, near = numpy::where(far, -1.0, z);
  const Array tail = -(numpy::log(numpy::where(far, -z, 1.0)) + std::log(kPi));
  const Array above = numpy::where(right, cauchy_below(-near), 0.0);
  return numpy::where(far, tail, numpy::where(right, numpy::log1p(-above), numpy::log(cauchy_below(near))));
}
/// Computes tan(pi (q - 1/2)): near 1/2 from a difference that is exact, elsewhere from the nearer end.
Array cauchy_quantile(const Array& q) {
  const Array middle = numpy::abs(q - 0.5) < 0.25, right = q > 0.5;
  const Array end = numpy::where(middle, 0.25, numpy::where(right, 1.0 - q, q));
  const Array cotangent = numpy::where(right, 1.0, -1.0) / numpy::tan(kPi * end);
  return numpy::where(middle, numpy::tan(kPi * (numpy::where(middle, q, 0.5) - 0.5)), cotangent);
}

/// For the Gumbel distributions. Beyond 7, exp(-e^z) is 0, and e^z may overflow.
Array exp_to_seven(const Array& z) { return numpy::exp(numpy::where(z > 7, 7.0, z)); }
/// z - e^z
Array log_gumbel_density(const Array& z) {
  return special::with_slope([](const Array& x) { return x - numpy::exp(x); },
                             [](const Array& x, const Array&) { return -numpy::expm1(x); }, z);
}
/// exp(z - e^z), the derivative of -exp(-e^z).
Array gumbel_density(const Array& z) {
  static const auto f = custom_jvp([](const Array& x) {
                          const Array e = exp_to_seven(x);
                          return e * numpy::exp(-e);
                        }).defjvps([](const Array& t, const Array& density, const Array& x) {
    return t * (density * -numpy::expm1(numpy::where(x > 7, 7.0, x)));
  });
  return f(z);
}
Array gumbel_above(const Array& z) {
  return special::with_slope([](const Array& x) { return numpy::exp(-exp_to_seven(x)); },
                             [](const Array& x, const Array&) { return -gumbel_density(x); }, z);
}
Array gumbel_below(const Array& z) {
  return special::with_slope([](const Array& x) { return -numpy::expm1(-exp_to_seven(x)); },
                             [](const Array& x, const Array&) { return gumbel_density(x); }, z);
}
/// Computes log(1 - exp(-e^z)). With t = e^z its derivative is t / (e^t - 1); uses its series where the derivative of
/// that is near -t / 2.
Array log_gumbel_below(const Array& z) {
  const auto value = [](const Array& x) {
    const Array far = x < -40;
    return numpy::where(far, x, log1mexp(exp_to_seven(numpy::where(far, -1.0, x))));
  };
  const auto slope = [](const Array& x, const Array&) {
    const Array t = exp_to_seven(x), small = t < 0.5, near = numpy::where(small, t, 0.0),
                far = numpy::where(small, 1.0, t);
    const Array squares = special::polynomial(
        {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000, 1.0 / 74724249600},
        near * near);
    const Array e = numpy::exp(-far);
    return numpy::where(small, 1.0 - near * (0.5 - near * squares), far * e / -numpy::expm1(-far));
  };
  return special::with_slope(value, slope, z);
}

/// The logarithm of the logistic density; its derivative is a difference.
Array log_logistic_density(const Array& z) {
  return special::with_slope([](const Array& x) { return -2.0 * numpy::logaddexp(x / 2.0, -x / 2.0); },
                             [](const Array& x, const Array&) { return -numpy::tanh(x / 2.0); }, z);
}
/// Returns `value` if q is a probability, else NaN.
Array of_probability(const Array& q, const Array& value) { return numpy::where((q >= 0) & (q <= 1), value, kNan); }

}  // namespace

// Defines a function from the standardized z = (x - loc) / scale, and loc and scale.
#define HILO_LOC_SCALE(space, name, ...)                                                                \
  Array space::name(const Operand& x, const Operand& loc, const Operand& scale) {                       \
    const auto f = []([[maybe_unused]] const Array& x, const Array& loc, const Array& scale) -> Array { \
      [[maybe_unused]] const Array z = (x - loc) / scale;                                               \
      return __VA_ARGS__;                                                                               \
    };                                                                                                  \
    return over(#space "." #name, f, x, loc, scale);                                                    \
  }
// Define the exponential and the logarithm of another function of the distribution.
#define HILO_EXP(space, name, log)                                                \
  Array space::name(const Operand& x, const Operand& loc, const Operand& scale) { \
    return exp_of(HILO_FN(space::log), x, loc, scale);                            \
  }

HILO_LOC_SCALE(norm, logpdf, log_normal_density(z, scale))
HILO_LOC_SCALE(norm, pdf, lax::normal_density(z) / numpy::abs(scale))
HILO_LOC_SCALE(norm, cdf, special::ndtr(z))
HILO_LOC_SCALE(norm, logcdf, special::log_ndtr(z))
HILO_LOC_SCALE(norm, sf, special::ndtr(-z))
HILO_LOC_SCALE(norm, logsf, special::log_ndtr(-z))
// In the default type, as in JAX.
Array norm::ppf(const Operand& x, const Operand& loc, const Operand& scale) {
  const auto f = [](const Array& q, const Array& at, const Array& width) { return special::ndtri(q) * width + at; };
  return numpy::astype(over("norm.ppf", f, x, loc, scale), default_float());
}
Array norm::isf(const Operand& x, const Operand& loc, const Operand& scale) {
  const auto f = [](const Array& q, const Array& at, const Array& width) { return at - special::ndtri(q) * width; };
  return numpy::astype(over("norm.isf", f, x, loc, scale), default_float());
}

HILO_LOC_SCALE(uniform, logpdf, numpy::where((x > loc + scale) | (x < loc), -kInf, -numpy::log(scale)))
HILO_EXP(uniform, pdf, logpdf)
HILO_LOC_SCALE(uniform, cdf, numpy::where(x < loc, 0.0, numpy::where(x > loc + scale, 1.0, z)))
HILO_LOC_SCALE(uniform, ppf, of_probability(x, loc + scale * x))

HILO_LOC_SCALE(expon, logpdf, numpy::where(x < loc, -kInf, -(z + numpy::log(scale))))
HILO_LOC_SCALE(expon, pdf, numpy::where(x < loc, 0.0, numpy::exp(-numpy::where(x < loc, 0.0, z)) / scale))
HILO_LOC_SCALE(expon, cdf, -numpy::expm1(-numpy::where(x < loc, 0.0, z)))
HILO_LOC_SCALE(expon, logcdf, numpy::where(x <= loc, -kInf, log1mexp(numpy::where(x <= loc, 1.0, z))))
HILO_EXP(expon, sf, logsf)
HILO_LOC_SCALE(expon, logsf, numpy::where(x < loc, 0.0, -z))
HILO_LOC_SCALE(expon, ppf, of_probability(x, loc - scale * numpy::log1p(-x)))

HILO_LOC_SCALE(laplace, logpdf, -(numpy::abs(z) + numpy::log(2.0 * scale)))
HILO_LOC_SCALE(laplace, pdf, numpy::exp(-numpy::abs(z)) / (2.0 * scale))
HILO_LOC_SCALE(laplace, cdf, half_exponential(z))

HILO_LOC_SCALE(logistic, logpdf, log_logistic_density(z) - numpy::log(scale))
HILO_LOC_SCALE(logistic, pdf, lax::logistic_slope(z) / scale)
HILO_LOC_SCALE(logistic, cdf, special::expit(z))
HILO_LOC_SCALE(logistic, sf, special::expit(-z))
HILO_LOC_SCALE(logistic, ppf, special::logit(x) * scale + loc)
HILO_LOC_SCALE(logistic, isf, -special::logit(x) * scale + loc)

HILO_LOC_SCALE(cauchy, logpdf, -(numpy::log(kPi* scale) + log1p_square(z)))
HILO_LOC_SCALE(cauchy, pdf, over_one_plus_square(z) / (kPi * scale))
HILO_LOC_SCALE(cauchy, cdf, cauchy_below(z))
HILO_LOC_SCALE(cauchy, logcdf, log_cauchy_below(z))
HILO_LOC_SCALE(cauchy, sf, cauchy_below(-z))
HILO_LOC_SCALE(cauchy, logsf, log_cauchy_below(-z))
HILO_LOC_SCALE(cauchy, ppf, of_probability(x, cauchy_quantile(x) * scale + loc))
HILO_LOC_SCALE(cauchy, isf, of_probability(x, -cauchy_quantile(x) * scale + loc))

// NaN unless scale is positive.
#define HILO_GUMBEL(space, name, ...) HILO_LOC_SCALE(space, name, numpy::where(scale > 0, __VA_ARGS__, kNan))
HILO_GUMBEL(gumbel_l, logpdf, log_gumbel_density(z) - numpy::log(scale))
HILO_GUMBEL(gumbel_l, pdf, gumbel_density(z) / scale)
HILO_GUMBEL(gumbel_l, cdf, gumbel_below(z))
HILO_GUMBEL(gumbel_l, logcdf, log_gumbel_below(z))
HILO_GUMBEL(gumbel_l, sf, gumbel_above(z))
HILO_GUMBEL(gumbel_l, logsf, -numpy::exp(z))
HILO_LOC_SCALE(gumbel_l, ppf, numpy::where((x > 0) & (x < 1), loc + scale * numpy::log(-numpy::log1p(-x)), kNan))

HILO_GUMBEL(gumbel_r, logpdf, log_gumbel_density(-z) - numpy::log(scale))
HILO_GUMBEL(gumbel_r, pdf, gumbel_density(-z) / scale)
HILO_GUMBEL(gumbel_r, cdf, gumbel_above(-z))
HILO_GUMBEL(gumbel_r, logcdf, -numpy::exp(-z))
HILO_GUMBEL(gumbel_r, sf, gumbel_below(-z))
HILO_GUMBEL(gumbel_r, logsf, log_gumbel_below(-z))
HILO_LOC_SCALE(gumbel_r, ppf, numpy::where((x > 0) & (x < 1), loc - scale * numpy::log(-numpy::log(x)), kNan))
#undef HILO_GUMBEL
#undef HILO_LOC_SCALE
#undef HILO_EXP

// Defines a function with one shape parameter.
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

namespace {
Array log_gamma_density(const Array& z, const Array& a, const Array& scale) {
  const Array inside = z >= 0, y = numpy::where(inside, z, 1.0);
  return numpy::where(inside, special::xlogy(a - 1.0, y) - y - special::gammaln(a) - numpy::log(scale), -kInf);
}
/// Computes log P(a, z): by its series where P may underflow, from the complement where P is near 1.
Array log_lower_gamma(const Array& a, const Array& z) {
  const Array small = z < 0x1p-18, at = numpy::where(small, 1.0, z), left = numpy::where(small, z, 0.5), next = a + 1.0;
  const Array series = a * numpy::log(left) - special::gammaln(next) - a * left / next +
                       a * left * left / (2.0 * next * next * (a + 2.0));
  const Array p = special::gammainc(a, at), most = p > 0.5;
  const Array rest = numpy::where(most, special::gammaincc(a, at), 0.5);
  return numpy::where(small, series, numpy::where(most, numpy::log1p(-rest), numpy::log(numpy::where(most, 0.5, p))));
}
/// Computes log Q(a, z): for large z, where Q may underflow, by its continued fraction, DLMF 8.9.2.
Array log_upper_gamma(const Array& a, const Array& z) {
  const Array far = (z > 80) & (z > 2.0 * a), at = numpy::where(far, 1.0, z),
              out = numpy::where(far, z, 2.0 * a + 80.0);
  Array fraction = out - a + 61.0;
  for (int k = 30; k > 0; --k) fraction = out - a + (2.0 * k - 1.0) - k * (k - a) / fraction;
  const Array tail = a * numpy::log(out) - out - special::gammaln(a) - numpy::log(fraction);
  const Array q = special::gammaincc(a, at), most = q > 0.5;
  const Array rest = numpy::where(most, special::gammainc(a, at), 0.5);
  return numpy::where(far, tail, numpy::where(most, numpy::log1p(-rest), numpy::log(numpy::where(most, 0.5, q))));
}
/// (1 + z^2 / df)^(-(df + 1) / 2)
Array t_power(const Array& z, const Array& df) {
  const Array y = z / numpy::sqrt(df), far = one_is_lost(y), near = numpy::where(far, 0.0, y);
  const Array tail = numpy::power(numpy::abs(numpy::where(far, y, 1.0)), -(df + 1.0));
  return numpy::where(far, tail, numpy::power(1.0 + near * near, -(df + 1.0) / 2.0));
}
Array log_t_factor(const Array& df, const Array& scale) {
  return special::gammaln(df / 2.0 + 0.5) - special::gammaln(df / 2.0) - numpy::log(kPi * df) / 2.0 -
         numpy::log(numpy::abs(scale));
}
/// Computes 1 - z^-b: near z = 1 without a difference, far away with the derivative of a power.
Array pareto_below(const Array& z, const Array& b) {
  const Array steps = b * numpy::log(z), far = steps > 1, out = numpy::where(far, z, 2.0);
  return numpy::where(far, 1.0 - numpy::power(out, -b), -numpy::expm1(-numpy::where(far, 1.0, steps)));
}
Array log_pareto_below(const Array& z, const Array& b) {
  const Array steps = b * numpy::log(z), far = steps > 1, out = numpy::where(far, z, 2.0), ones = numpy::ones_like(z);
  const Array power = numpy::power(out, -numpy::where(far, b, ones));
  return numpy::where(far, numpy::log1p(-power), numpy::log(-numpy::expm1(-numpy::where(far, 1.0, steps))));
}
/// Returns Pareto's z where the density is not 0; elsewhere a number whose logarithms have finite derivatives.
Array in_support(const Array& x, const Array& z, const Array& loc, const Array& scale) {
  return numpy::where(x < loc + scale, 2.0, z);
}

}  // namespace

HILO_ONE_SHAPE(gamma, logpdf, a, log_gamma_density(z, a, scale))
HILO_EXP(gamma, pdf, logpdf)
HILO_ONE_SHAPE(gamma, cdf, a, special::gammainc(a, numpy::maximum(z, 0.0)))
HILO_ONE_SHAPE(gamma, logcdf, a, log_lower_gamma(a, numpy::maximum(z, 0.0)))
HILO_ONE_SHAPE(gamma, sf, a, numpy::where(z < 0, 1.0, special::gammaincc(a, numpy::maximum(z, 0.0))))
HILO_ONE_SHAPE(gamma, logsf, a, log_upper_gamma(a, numpy::maximum(z, 0.0)))

HILO_ONE_SHAPE(chi2, logpdf, df,
               numpy::where(x < loc, -kInf,
                            special::xlogy(df / 2.0 - 1.0, numpy::where(x < loc, 1.0, z)) - z / 2.0 -
                                special::gammaln(df / 2.0) - df * (std::numbers::ln2 / 2) - numpy::log(scale)))
HILO_EXP(chi2, pdf, logpdf)
HILO_ONE_SHAPE(chi2, cdf, df, special::gammainc(df / 2.0, numpy::maximum(z / 2.0, 0.0)))
HILO_ONE_SHAPE(chi2, logcdf, df, log_lower_gamma(df / 2.0, numpy::maximum(z / 2.0, 0.0)))
HILO_ONE_SHAPE(chi2, sf, df, special::gammaincc(df / 2.0, numpy::maximum(z / 2.0, 0.0)))
HILO_ONE_SHAPE(chi2, logsf, df, log_upper_gamma(df / 2.0, numpy::maximum(z / 2.0, 0.0)))

HILO_ONE_SHAPE(t, logpdf, df, log_t_factor(df, scale) - (df / 2.0 + 0.5) * log1p_square(z / numpy::sqrt(df)))
HILO_ONE_SHAPE(t, pdf, df, numpy::exp(log_t_factor(df, scale)) * t_power(z, df))

HILO_ONE_SHAPE(pareto, logpdf, b,
               numpy::where(x < loc + scale, -kInf,
                            -(numpy::log(scale / b) + (b + 1.0) * numpy::log(in_support(x, z, loc, scale)))))
HILO_ONE_SHAPE(pareto, pdf, b,
               numpy::where(x < loc + scale, 0.0, b / scale * numpy::power(in_support(x, z, loc, scale), -(b + 1.0))))
HILO_ONE_SHAPE(pareto, cdf, b, numpy::where(x < loc + scale, 0.0, pareto_below(in_support(x, z, loc, scale), b)))
HILO_ONE_SHAPE(pareto, logcdf, b,
               numpy::where(x <= loc + scale, -kInf, log_pareto_below(numpy::where(x <= loc + scale, 2.0, z), b)))
HILO_ONE_SHAPE(pareto, sf, b, numpy::where(x < loc + scale, 1.0, numpy::power(in_support(x, z, loc, scale), -b)))
HILO_ONE_SHAPE(pareto, logsf, b, numpy::where(x < loc + scale, 0.0, -b* numpy::log(in_support(x, z, loc, scale))))
HILO_ONE_SHAPE(pareto, ppf, b, of_probability(x, loc + scale * numpy::power(1.0 - x, -1.0 / b)))
#undef HILO_ONE_SHAPE
#undef HILO_EXP

// Defines a function with two shape parameters.
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

namespace {

Array log_beta_density(const Array& x, const Array& z, const Array& a, const Array& b, const Array& loc,
                       const Array& scale) {
  const Array wrong = (a <= 0) | (b <= 0) | (scale <= 0), outside = (x > loc + scale) | (x < loc);
  // Unselected elements are computed from other numbers, because their infinite derivatives times 0 would be NaN.
  const auto right = [&](const Array& v) { return numpy::where(wrong, 1.0, v); };
  const Array at = numpy::where(outside | wrong, 0.5, z);
  const Array value = special::xlogy(right(a) - 1.0, at) + special::xlog1py(right(b) - 1.0, -at) -
                      special::betaln(right(a), right(b)) - numpy::log(right(scale));
  return numpy::where(wrong, kNan, numpy::where(outside, -kInf, value));
}

/// Computes log I_z(a, b) with w = 1 - z, as for the gamma distribution.
Array log_lower_beta(const Array& a, const Array& b, const Array& z, const Array& w) {
  const Array small = z * (b + 1.0) < 0x1p-18, at = numpy::where(small, 0.5, z), rest = numpy::where(small, 0.5, w);
  const Array left = numpy::where(small, z, 0.5), first = a * (1.0 - b) / (a + 1.0);
  const Array second = a * (1.0 - b) * (2.0 - b) / (2.0 * (a + 2.0)) - first * first / 2.0;
  const Array series = a * numpy::log(left) - numpy::log(a) - special::betaln(a, b) + left * (first + left * second);
  const Array p = special::betainc(a, b, at), most = p > 0.5;
  const Array q = numpy::where(most, special::betainc(b, a, rest), 0.5);
  return numpy::where(small, series, numpy::where(most, numpy::log1p(-q), numpy::log(numpy::where(most, 0.5, p))));
}
/// Computes 1 - I_z(a, b), with the derivative that 1 - z would lose.
Array upper_beta(const Array& a, const Array& b, const Array& z) {
  const Array left = z < 0.5, small = numpy::where(left, z, 0.25), large = numpy::where(left, 0.75, z);
  return numpy::where(left, 1.0 - special::betainc(a, b, small), special::betainc(b, a, 1.0 - large));
}
Array log_lower_beta(const Array& a, const Array& b, const Array& z) { return log_lower_beta(a, b, z, 1.0 - z); }
Array log_upper_beta(const Array& a, const Array& b, const Array& z) { return log_lower_beta(b, a, 1.0 - z, z); }

/// The mass of a narrow range with center m and half width h: density(m) 2 h (1 + He_2(m) h^2 / 3! + He_4(m) h^4 / 5! +
/// ...).
Array log_narrow_mass(const Array& a, const Array& b) {
  const Array m = 0.5 * (a + b), h = 0.5 * (b - a), m2 = m * m, h2 = h * h;
  const Array second = m2 - 1.0, fourth = (m2 - 6.0) * m2 + 3.0, sixth = ((m2 - 15.0) * m2 + 45.0) * m2 - 15.0;
  const Array series = h2 * (second / 6.0 + h2 * (fourth / 120.0 + h2 * sixth / 5040.0));
  return numpy::log(2.0 * h) - 0.5 * m2 - std::log(2 * kPi) / 2 + numpy::log1p(series);
}
/// Computes the logarithm of the normal distribution's mass between a and b.
Array log_mass(const Array& first, const Array& last) {
  const Array width = last - first, middle_of_both = 0.5 * (first + last);
  const Array narrow = (width > 0) & (width * (1.0 + numpy::abs(middle_of_both)) < 0x1p-5);
  const Array a = numpy::where(narrow, -1.0, first), b = numpy::where(narrow, 1.0, last);
  const Array of_narrow = log_narrow_mass(numpy::where(narrow, first, 0.0), numpy::where(narrow, last, 0x1p-6));
  const Array left = b <= 0, right = a > 0, middle = ~(left | right);
  const Array low = numpy::where(right, -b, a), high = numpy::where(right, -a, b);
  const Array log_high = special::log_ndtr(numpy::where(middle, 0.0, high));
  const Array log_low = special::log_ndtr(numpy::where(middle, -1.0, low));
  const auto in_middle = [&](const Array& v) { return special::ndtr(numpy::where(middle, v, -1.0)); };
  const Array central = numpy::log1p(-in_middle(a) - in_middle(-b));
  const Array difference = log_high - log_low;  // positive unless the range is empty
  const Array tail = log_high + log1mexp(numpy::where(difference > 0, difference, 1.0));
  const Array wide =
      numpy::where(middle, central, numpy::where(difference > 0, tail, numpy::where(difference == 0, -kInf, kNan)));
  return numpy::where(narrow, of_narrow, wide);
}
/// Applies f to limits in order; NaN, with derivative 0, for others.
template <typename F>
Array between(const Array& a, const Array& b, const F& f) {
  const Array wrong = a >= b;
  return numpy::where(wrong, kNan, f(numpy::where(wrong, -1.0, a), numpy::where(wrong, 1.0, b)));
}
Array log_truncated_density(const Array& z, const Array& a, const Array& b, const Array& scale) {
  const Array value = log_normal_density(z, scale) - log_mass(a, b);
  return numpy::where((z < a) | (z > b), -kInf, value);
}
/// Computes the logarithm of the fraction of the mass between a < b that is below z.
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
HILO_TWO_SHAPES(beta, logcdf, log_lower_beta(a, b, numpy::clip(z, 0.0, 1.0)))
HILO_TWO_SHAPES(beta, sf, upper_beta(a, b, numpy::clip(z, 0.0, 1.0)))
HILO_TWO_SHAPES(beta, logsf, log_upper_beta(a, b, numpy::clip(z, 0.0, 1.0)))

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
        const Array value = -2.0 * k * numpy::square(numpy::sin(0.5 * a)) - numpy::log(2 * kPi * special::i0e(k));
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
