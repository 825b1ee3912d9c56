// SPDX-License-Identifier: Apache-2.0
// random/counts.h -- distributions of counts.
#pragma once

#include "hilo/random/distributions.h"

namespace hilo::random {

/// How many trials of probability p it takes to succeed: integers from 1 on.
Array geometric(const Key& key, const Operand& p, const DistributionOptions& options = {});
template <int = 0>
Array geometric(const Key& key, const Operand& p, const numpy::Shape& shape, Dtype dtype = std::nullopt) {
  return geometric(key, p, DistributionOptions{.shape = shape, .dtype = dtype});
}
/// Integers of mean lam. Errors    UNIMPLEMENTED for keys of another generator than threefry2x32, as in JAX
Array poisson(const Key& key, const Operand& lam, const DistributionOptions& options = {});
template <int = 0>
Array poisson(const Key& key, const Operand& lam, const numpy::Shape& shape, Dtype dtype = std::nullopt) {
  return poisson(key, lam, DistributionOptions{.shape = shape, .dtype = dtype});
}
/// How many of n trials of probability p succeed, as floats; NaN for a negative or NaN parameter.
Array binomial(const Key& key, const Operand& n, const Operand& p, const DistributionOptions& options = {});
template <int = 0>
Array binomial(const Key& key, const Operand& n, const Operand& p, const numpy::Shape& shape,
               Dtype dtype = std::nullopt) {
  return binomial(key, n, p, DistributionOptions{.shape = shape, .dtype = dtype});
}
/// How many of n trials end in each of the outcomes along p's last axis, as floats.
struct MultinomialOptions {
  Named named = Named();
  OptionalDimensions shape = std::nullopt;
  Dtype dtype = std::nullopt;
  int64_t unroll = 1;  ///< outcomes in each iteration of the loop
};
Array multinomial(const Key& key, const Operand& n, const Operand& p, const MultinomialOptions& options = {});
template <int = 0>
Array multinomial(const Key& key, const Operand& n, const Operand& p, const numpy::Shape& shape,
                  Dtype dtype = std::nullopt, int64_t unroll = 1) {
  return multinomial(key, n, p, MultinomialOptions{.shape = shape, .dtype = dtype, .unroll = unroll});
}

}  // namespace hilo::random
