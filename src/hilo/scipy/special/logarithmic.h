// SPDX-License-Identifier: Apache-2.0
// scipy/special/logarithmic.h -- logarithmic functions with their limits: entropies, logits, Box-Cox, logsumexp.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::special {

/// Computes x log(y); 0 where x is 0.
Array xlogy(const Operand& x, const Operand& y);
/// Computes x log(1 + y); 0 where x is 0.
Array xlog1py(const Operand& x, const Operand& y);
/// Computes the entropy -x log(x): 0 at 0, -inf below 0.
Array entr(const Operand& x);
/// Computes the relative entropy p log(p / q).
Array rel_entr(const Operand& p, const Operand& q);
/// Computes the Kullback-Leibler divergence p log(p / q) - p + q.
Array kl_div(const Operand& p, const Operand& q);
/// Computes log(x / (1 - x)), the inverse of expit.
Array logit(const Operand& x);
/// Computes the logistic function 1 / (1 + exp(-x)).
/// Example    expit(numpy::array({0.0, 100.0}))  // [0.5 1. ]
Array expit(const Operand& x);
/// Computes the Box-Cox transform (x^lmbda - 1) / lmbda; log(x) for lmbda = 0.
Array boxcox(const Operand& x, const Operand& lmbda);
/// Computes the Box-Cox transform of 1 + x.
Array boxcox1p(const Operand& x, const Operand& lmbda);
struct LogsumexpOptions {
  numpy::Named named = numpy::Named();
  numpy::Axes axis = std::nullopt;
  std::optional<Array> b = std::nullopt;  ///< factors of the exponentials
  bool keepdims = false;
  bool return_sign = false;  ///< true is rejected: use logsumexp_with_sign
  std::optional<Array> where = std::nullopt;
};
/// Computes log(sum(b * exp(a))) without overflow; NaN for a negative sum.
/// Errors     INVALID_ARGUMENT for return_sign = true
/// Example    logsumexp(numpy::array({1000.0, 1000.0}))  // 1000.6932
Array logsumexp(const Operand& a, const LogsumexpOptions& options = {});
template <int = 0>
Array logsumexp(const Operand& a, const numpy::Axes& axis) {
  return logsumexp(a, LogsumexpOptions{.axis = axis});
}
struct SignedLog {
  Array out, sign;
};
/// Returns the logarithm of the absolute value of the sum, and its sign. JAX's return_sign=True.
SignedLog logsumexp_with_sign(const Operand& a, const LogsumexpOptions& options = {});
struct SoftmaxOptions {
  numpy::Axes axis = std::nullopt;
};
/// Computes exp(x) / sum(exp(x)) along an axis, by default over all elements.
/// Example    softmax(numpy::array({1.0, 1.0}))  // [0.5 0.5]
Array softmax(const Operand& x, const SoftmaxOptions& options = {});
/// Computes the logarithm of softmax.
Array log_softmax(const Operand& x, const SoftmaxOptions& options = {});

}  // namespace hilo::scipy::special
