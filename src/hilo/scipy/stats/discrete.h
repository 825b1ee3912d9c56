// SPDX-License-Identifier: Apache-2.0
// scipy/stats/discrete.h -- discrete and multivariate distributions, a namespace for each, as in jax.scipy.stats.
#pragma once

#include "hilo/array/array.h"

namespace hilo::scipy::stats {

/// The Bernoulli distribution: 1 with probability p, else 0.
namespace bernoulli {
Array logpmf(const Operand& k, const Operand& p, const Operand& loc = 0);
Array pmf(const Operand& k, const Operand& p, const Operand& loc = 0);
Array cdf(const Operand& k, const Operand& p);
Array ppf(const Operand& q, const Operand& p);
}  // namespace bernoulli

/// The binomial distribution: the number of successes in n trials with probability p.
namespace binom {
Array logpmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc = 0);
Array pmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc = 0);
}  // namespace binom

/// The beta-binomial distribution: binom with p distributed as beta(a, b).
namespace betabinom {
Array logpmf(const Operand& k, const Operand& n, const Operand& a, const Operand& b, const Operand& loc = 0);
Array pmf(const Operand& k, const Operand& n, const Operand& a, const Operand& b, const Operand& loc = 0);
}  // namespace betabinom

/// The negative binomial distribution: the number of failures before the n-th success, with probability p.
namespace nbinom {
Array logpmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc = 0);
Array pmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc = 0);
}  // namespace nbinom

/// The geometric distribution: the number of trials up to the first success, with probability p.
namespace geom {
Array logpmf(const Operand& k, const Operand& p, const Operand& loc = 0);
Array pmf(const Operand& k, const Operand& p, const Operand& loc = 0);
}  // namespace geom

/// The Poisson distribution, with probability mu^k exp(-mu) / k!.
namespace poisson {
Array logpmf(const Operand& k, const Operand& mu, const Operand& loc = 0);
Array pmf(const Operand& k, const Operand& mu, const Operand& loc = 0);
Array cdf(const Operand& k, const Operand& mu, const Operand& loc = 0);
/// Returns the entropy: by summation for mu below 100, else by an asymptotic series.
Array entropy(const Operand& mu, const Operand& loc = 0);
}  // namespace poisson

namespace multinomial {
/// Returns the log probability of counts of the multinomial distribution.
/// Shapes     integers x[..., k] and n, p[..., k]
/// Errors     INVALID_ARGUMENT for other types
Array logpmf(const Operand& x, const Operand& n, const Operand& p);
Array pmf(const Operand& x, const Operand& n, const Operand& p);
}  // namespace multinomial

namespace dirichlet {
/// Returns the log density of the Dirichlet distribution.
/// Shapes     x[k, ...], or x[k - 1, ...] without the last component, which follows from the sum; alpha[k]
/// Errors     INVALID_ARGUMENT for other shapes
Array logpdf(const Operand& x, const Operand& alpha);
Array pdf(const Operand& x, const Operand& alpha);
}  // namespace dirichlet

namespace multivariate_normal {
/// Returns the log density of the multivariate normal distribution.
/// Shapes     x[..., n], mean[..., n], cov[..., n, n]; mean and cov may be numbers
/// Errors     INVALID_ARGUMENT for other shapes
Array logpdf(const Operand& x, const Operand& mean, const Operand& cov);
Array pdf(const Operand& x, const Operand& mean, const Operand& cov);
}  // namespace multivariate_normal

}  // namespace hilo::scipy::stats
