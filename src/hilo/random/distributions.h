// SPDX-License-Identifier: Apache-2.0
// random/distributions.h -- continuous distributions, each by JAX's way to the number, so that equal keys give equal numbers.
#pragma once

#include "hilo/random/sampling.h"

namespace hilo::random {

// Types     float types; f32 by default, f64 with x64
// Shapes    parameters broadcast to the shape, by default their common one
// Errors    INVALID_ARGUMENT for another type, or parameters that don't broadcast

// ---- without parameters ---------------------------------------------------------------------------------------------
HILO_SAMPLER(cauchy)
HILO_SAMPLER(exponential)  ///< of mean 1
HILO_SAMPLER(laplace)      ///< of mean 0 and scale 1
HILO_SAMPLER(logistic)     ///< of mean 0 and scale 1
HILO_SAMPLER(maxwell)      ///< the length of three normal numbers
#undef HILO_SAMPLER

// ---- with parameters ------------------------------------------------------------------------------------------------
struct DistributionOptions {
  Named named = Named();
  OptionalDimensions shape = std::nullopt;
  Dtype dtype = std::nullopt;
};
#define HILO_DISTRIBUTION_1(name, a)                                                                    \
  Array name(const Key& key, const Operand& a, const DistributionOptions& options = {});                \
  template <int = 0>                                                                                    \
  Array name(const Key& key, const Operand& a, const numpy::Shape& shape, Dtype dtype = std::nullopt) { \
    return name(key, a, DistributionOptions{.shape = shape, .dtype = dtype});                           \
  }
#define HILO_DISTRIBUTION_2(name, a, b)                                                                    \
  Array name(const Key& key, const Operand& a, const Operand& b, const DistributionOptions& options = {}); \
  template <int = 0>                                                                                       \
  Array name(const Key& key, const Operand& a, const Operand& b, const numpy::Shape& shape,                \
             Dtype dtype = std::nullopt) {                                                                 \
    return name(key, a, b, DistributionOptions{.shape = shape, .dtype = dtype});                           \
  }
/// Gradient  of gamma, loggamma, beta, dirichlet, chisquare, t and f by the derivative of the sample in the parameter
HILO_DISTRIBUTION_2(beta, a, b)
HILO_DISTRIBUTION_1(chisquare, df)
HILO_DISTRIBUTION_1(dirichlet, alpha)  ///< alpha's last axis stays; the shape is that before it
HILO_DISTRIBUTION_2(f, dfnum, dfden)
HILO_DISTRIBUTION_1(gamma, a)
HILO_DISTRIBUTION_1(loggamma, a)  ///< log of gamma, also where that is too small for a float
HILO_DISTRIBUTION_1(lognormal, sigma)
HILO_DISTRIBUTION_1(pareto, b)
HILO_DISTRIBUTION_1(rayleigh, scale)
HILO_DISTRIBUTION_1(t, df)
HILO_DISTRIBUTION_2(truncated_normal, lower, upper)  ///< standard normal between the bounds
HILO_DISTRIBUTION_1(wald, mean)
Array lognormal(const Key& key, Line line = Line::current());
Array triangular(const Key& key, const Operand& left, const Operand& mode, const Operand& right,
                 const DistributionOptions& options = {});
template <int = 0>
Array triangular(const Key& key, const Operand& left, const Operand& mode, const Operand& right,
                 const numpy::Shape& shape, Dtype dtype = std::nullopt) {
  return triangular(key, left, mode, right, DistributionOptions{.shape = shape, .dtype = dtype});
}
#define HILO_SHAPED_2(name, a, b)                                                                   \
  Array name(const Key& key, const Operand& a, const Operand& b, const ShapeOptions& options = {}); \
  template <int = 0>                                                                                \
  Array name(const Key& key, const Operand& a, const Operand& b, const numpy::Shape& shape,         \
             Dtype dtype = std::nullopt) {                                                          \
    return name(key, a, b, ShapeOptions{.shape = shape, .dtype = dtype});                           \
  }
/// scale * (plus or minus maxwell) + loc. The shape stands before that of the parameters.
HILO_SHAPED_2(double_sided_maxwell, loc, scale)
HILO_SHAPED_2(weibull_min, scale, concentration)
#undef HILO_SHAPED_2
#undef HILO_DISTRIBUTION_1
#undef HILO_DISTRIBUTION_2

/// exp(-|x|^p), to scale.
Array generalized_normal(const Key& key, const Operand& p, const ShapeOptions& options = {});
template <int = 0>
Array generalized_normal(const Key& key, const Operand& p, const numpy::Shape& shape, Dtype dtype = std::nullopt) {
  return generalized_normal(key, p, ShapeOptions{.shape = shape, .dtype = dtype});
}
struct BallOptions {
  double p = 2;
  numpy::Shape shape = {};
  Dtype dtype = std::nullopt;
};
/// Points of the unit ball of the p-norm in d dimensions: [shape..., d].
Array ball(const Key& key, int64_t d, const BallOptions& options = {}, Line line = Line::current());
template <int = 0>
Array ball(const Key& key, int64_t d, double p, const numpy::Shape& shape = {}, Dtype dtype = std::nullopt,
           Line line = Line::current()) {
  return ball(key, d, BallOptions{.p = p, .shape = shape, .dtype = dtype}, line);
}

struct MultivariateNormalOptions {
  Named named = Named();
  OptionalDimensions shape = std::nullopt;
  Dtype dtype = std::nullopt;
  const char* method = "cholesky";  ///< of factoring cov: or "eigh", "svd"
};
/// Shapes    mean[..., n], cov[..., n, n] -> [shape..., n]
Array multivariate_normal(const Key& key, const Operand& mean, const Operand& cov,
                          const MultivariateNormalOptions& options = {});
template <int = 0>
Array multivariate_normal(const Key& key, const Operand& mean, const Operand& cov, const numpy::Shape& shape,
                          Dtype dtype = std::nullopt, const char* method = "cholesky") {
  return multivariate_normal(key, mean, cov,
                             MultivariateNormalOptions{.shape = shape, .dtype = dtype, .method = method});
}
struct OrthogonalOptions {
  Named named = Named();
  numpy::Shape shape = {};
  Dtype dtype = std::nullopt;
  std::optional<int64_t> m = std::nullopt;
};
/// Matrices of n rows and m (by default n) columns, whose rows or columns, the fewer, are orthonormal.
Array orthogonal(const Key& key, int64_t n, const OrthogonalOptions& options, Line line = Line::current());
template <int = 0>
Array orthogonal(const Key& key, int64_t n, const numpy::Shape& shape = {}, Dtype dtype = std::nullopt,
                 std::optional<int64_t> m = std::nullopt, Line line = Line::current()) {
  return orthogonal(key, n, OrthogonalOptions{.shape = shape, .dtype = dtype, .m = m}, line);
}

}  // namespace hilo::random
