// SPDX-License-Identifier: Apache-2.0
// random/distributions.h -- continuous distributions, computed as in JAX, so that equal keys give equal samples.
#pragma once

#include "hilo/random/sampling.h"

namespace hilo::random {

// All functions below return samples of a float type.
// Types     float types; default f32, with x64 f64
// Shapes    parameters broadcast to `shape`; default: their common shape
// Errors    INVALID_ARGUMENT for another type, or parameters that don't broadcast

// ---- without parameters ---------------------------------------------------------------------------------------------
/// Samples the standard Cauchy distribution.
HILO_SAMPLER(cauchy)
/// Samples the exponential distribution with mean 1.
/// Example    exponential(key(0), {2, 3}).shape()  // (2, 3)
HILO_SAMPLER(exponential)
HILO_SAMPLER(laplace)   /// Samples the Laplace distribution with mean 0 and scale 1.
HILO_SAMPLER(logistic)  /// Samples the logistic distribution with mean 0 and scale 1.
HILO_SAMPLER(maxwell)   /// Samples the Maxwell distribution: the length of a vector of three standard normal numbers.
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
/// Samples the beta distribution.
/// Gradient   gamma, loggamma, beta, dirichlet, chisquare, t and f are differentiable by their parameters
HILO_DISTRIBUTION_2(beta, a, b)
/// Samples the chi-squared distribution with `df` degrees of freedom.
HILO_DISTRIBUTION_1(chisquare, df)
/// Samples the Dirichlet distribution with the parameters in the last axis of `alpha`; `shape` excludes that axis.
HILO_DISTRIBUTION_1(dirichlet, alpha)
/// Samples the F distribution with `dfnum` and `dfden` degrees of freedom.
HILO_DISTRIBUTION_2(f, dfnum, dfden)
/// Samples the gamma distribution with shape parameter `a` and scale 1.
HILO_DISTRIBUTION_1(gamma, a)
/// Samples the logarithm of gamma-distributed numbers; accurate where the numbers underflow.
HILO_DISTRIBUTION_1(loggamma, a)
/// Samples exp(sigma * n) for standard normal n.
HILO_DISTRIBUTION_1(lognormal, sigma)
/// Samples the Pareto distribution with shape parameter `b`.
HILO_DISTRIBUTION_1(pareto, b)
/// Samples the Rayleigh distribution.
HILO_DISTRIBUTION_1(rayleigh, scale)
/// Samples Student's t distribution with `df` degrees of freedom.
HILO_DISTRIBUTION_1(t, df)
/// Samples the standard normal distribution, truncated to (lower, upper).
/// Example    numpy::all(truncated_normal(key(0), -1, 1, {100}) < 1)  // True
HILO_DISTRIBUTION_2(truncated_normal, lower, upper)
/// Samples the Wald (inverse Gaussian) distribution with this mean.
HILO_DISTRIBUTION_1(wald, mean)
Array lognormal(const Key& key, Line line = Line::current());
/// Samples the triangular distribution on [left, right] with its peak at `mode`.
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
/// Samples scale * (+-maxwell) + loc. The axes of `shape` come before those of the parameters.
HILO_SHAPED_2(double_sided_maxwell, loc, scale)
/// Samples the Weibull distribution. The axes of `shape` come before those of the parameters.
HILO_SHAPED_2(weibull_min, scale, concentration)
#undef HILO_SHAPED_2
#undef HILO_DISTRIBUTION_1
#undef HILO_DISTRIBUTION_2

/// Samples the generalized normal distribution, whose density is proportional to exp(-|x|^p).
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
/// Samples points uniformly from the d-dimensional unit ball of the p-norm.
/// Shapes     [shape..., d]
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
  const char* method = "cholesky";  ///< factorization of cov: "cholesky", "eigh" or "svd"
};
/// Samples the multivariate normal distribution.
/// Shapes     mean[..., n], cov[..., n, n] -> [shape..., n]
/// Example    multivariate_normal(key(0), numpy::zeros({2}), numpy::eye(2), {5}).shape()  // (5, 2)
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
/// Samples uniformly distributed orthogonal matrices of n rows and m columns (default n). If n and m differ, the rows
/// or columns, whichever are fewer, are orthonormal.
Array orthogonal(const Key& key, int64_t n, const OrthogonalOptions& options, Line line = Line::current());
template <int = 0>
Array orthogonal(const Key& key, int64_t n, const numpy::Shape& shape = {}, Dtype dtype = std::nullopt,
                 std::optional<int64_t> m = std::nullopt, Line line = Line::current()) {
  return orthogonal(key, n, OrthogonalOptions{.shape = shape, .dtype = dtype, .m = m}, line);
}

}  // namespace hilo::random
