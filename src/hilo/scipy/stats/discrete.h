// SPDX-License-Identifier: Apache-2.0
// scipy/stats/discrete.h -- discrete and multivariate distributions, a namespace each, as jax.scipy.stats has them.
#pragma once

#include "hilo/array/array.h"

namespace hilo::scipy::stats {

/// 1 with probability p, else 0.
namespace bernoulli {
Array logpmf(const Operand& k, const Operand& p, const Operand& loc = 0);
Array pmf(const Operand& k, const Operand& p, const Operand& loc = 0);
Array cdf(const Operand& k, const Operand& p);
Array ppf(const Operand& q, const Operand& p);
}  // namespace bernoulli

/// How many of n tries succeed, each with probability p.
namespace binom {
Array logpmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc = 0);
Array pmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc = 0);
}  // namespace binom

/// binom with a p that has the distribution beta(a, b).
namespace betabinom {
Array logpmf(const Operand& k, const Operand& n, const Operand& a, const Operand& b, const Operand& loc = 0);
Array pmf(const Operand& k, const Operand& n, const Operand& a, const Operand& b, const Operand& loc = 0);
}  // namespace betabinom

/// How many tries fail before the n-th that succeeds, each with probability p.
namespace nbinom {
Array logpmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc = 0);
Array pmf(const Operand& k, const Operand& n, const Operand& p, const Operand& loc = 0);
}  // namespace nbinom

/// Which try is the first to succeed, each with probability p.
namespace geom {
Array logpmf(const Operand& k, const Operand& p, const Operand& loc = 0);
Array pmf(const Operand& k, const Operand& p, const Operand& loc = 0);
}  // namespace geom

/// Of probability mu^k exp(-mu) / k!.
namespace poisson {
Array logpmf(const Operand& k, const Operand& mu, const Operand& loc = 0);
Array pmf(const Operand& k, const Operand& mu, const Operand& loc = 0);
Array cdf(const Operand& k, const Operand& mu, const Operand& loc = 0);
/// By summing where mu is below 100, by an asymptotic series from there on.
Array entropy(const Operand& mu, const Operand& loc = 0);
}  // namespace poisson

namespace multinomial {
/// x[..., k] and n of integers, p[..., k]. Errors    INVALID_ARGUMENT for other types
Array logpmf(const Operand& x, const Operand& n, const Operand& p);
Array pmf(const Operand& x, const Operand& n, const Operand& p);
}  // namespace multinomial

namespace dirichlet {
/// x[k, ...] or x[k - 1, ...], alpha[k]; the missing one follows from the sum. Errors    INVALID_ARGUMENT for other shapes
Array logpdf(const Operand& x, const Operand& alpha);
Array pdf(const Operand& x, const Operand& alpha);
}  // namespace dirichlet

namespace multivariate_normal {
/// x[..., n], mean[..., n], cov[..., n, n]; a mean or a covariance may be a number.
/// Errors    INVALID_ARGUMENT for other shapes
Array logpdf(const Operand& x, const Operand& mean, const Operand& cov);
Array pdf(const Operand& x, const Operand& mean, const Operand& cov);
}  // namespace multivariate_normal

}  // namespace hilo::scipy::stats
