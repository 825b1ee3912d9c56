// SPDX-License-Identifier: Apache-2.0
// random/counts.h -- discrete distributions: geometric, Poisson, binomial, multinomial.
#pragma once

#include "hilo/random/distributions.h"

namespace hilo::random {

/// Samples the number of trials with probability p up to the first success: integers from 1 on.
Array geometric(const Key& key, const Operand& p, const DistributionOptions& options = {});
template <int = 0>
Array geometric(const Key& key, const Operand& p, const numpy::Shape& shape, Dtype dtype = std::nullopt) {
  return geometric(key, p, DistributionOptions{.shape = shape, .dtype = dtype});
}
/// Samples Poisson-distributed integers with mean `lam`.
/// Errors    UNIMPLEMENTED for keys of a generator other than threefry2x32, as in JAX
Array poisson(const Key& key, const Operand& lam, const DistributionOptions& options = {});
template <int = 0>
Array poisson(const Key& key, const Operand& lam, const numpy::Shape& shape, Dtype dtype = std::nullopt) {
  return poisson(key, lam, DistributionOptions{.shape = shape, .dtype = dtype});
}
/// Samples the number of successes in n trials with probability p, as floats; NaN for a negative or NaN parameter.
Array binomial(const Key& key, const Operand& n, const Operand& p, const DistributionOptions& options = {});
template <int = 0>
Array binomial(const Key& key, const Operand& n, const Operand& p, const numpy::Shape& shape,
               Dtype dtype = std::nullopt) {
  return binomial(key, n, p, DistributionOptions{.shape = shape, .dtype = dtype});
}
struct MultinomialOptions {
  Named named = Named();
  OptionalDimensions shape = std::nullopt;
  Dtype dtype = std::nullopt;
  int64_t unroll = 1;  ///< number of outcomes in each iteration of the loop
  /// Samples how many of n trials have each outcome, as floats. The last axis of `p` holds the probabilities of the
  /// outcomes.
};
Array multinomial(const Key& key, const Operand& n, const Operand& p, const MultinomialOptions& options = {});
template <int = 0>
Array multinomial(const Key& key, const Operand& n, const Operand& p, const numpy::Shape& shape,
                  Dtype dtype = std::nullopt, int64_t unroll = 1) {
  return multinomial(key, n, p, MultinomialOptions{.shape = shape, .dtype = dtype, .unroll = unroll});
}

}  // namespace hilo::random
