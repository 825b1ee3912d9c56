// SPDX-License-Identifier: Apache-2.0
// scipy/special/logarithmic.h -- logarithms with a limit put in: entropies, logits, sums of exponentials.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::special {

/// x log(y), and x log(1 + y): 0 where x is.
Array xlogy(const Operand& x, const Operand& y);
Array xlog1py(const Operand& x, const Operand& y);
/// -x log(x): 0 at 0, -inf below.
Array entr(const Operand& x);
/// p log(p / q), and with q - p added.
Array rel_entr(const Operand& p, const Operand& q);
Array kl_div(const Operand& p, const Operand& q);
/// log(x / (1 - x)), and its inverse.
Array logit(const Operand& x);
Array expit(const Operand& x);
/// (x^lmbda - 1) / lmbda, log(x) for lmbda = 0; of 1 + x.
Array boxcox(const Operand& x, const Operand& lmbda);
Array boxcox1p(const Operand& x, const Operand& lmbda);
struct LogsumexpOptions {
  numpy::Named named = numpy::Named();
  numpy::Axes axis = std::nullopt;
  std::optional<Array> b = std::nullopt;  ///< factors of the exponentials
  bool keepdims = false;
  bool return_sign = false;  ///< true is logsumexp_with_sign
  std::optional<Array> where = std::nullopt;
};
/// log(sum(b exp(a))) without overflow; NaN for a negative sum. Errors    INVALID_ARGUMENT for return_sign
Array logsumexp(const Operand& a, const LogsumexpOptions& options = {});
template <int = 0>
Array logsumexp(const Operand& a, const numpy::Axes& axis) {
  return logsumexp(a, LogsumexpOptions{.axis = axis});
}
struct SignedLog {
  Array out, sign;
};
/// logsumexp(..., return_sign=True): log |sum|, and the sum's sign.
SignedLog logsumexp_with_sign(const Operand& a, const LogsumexpOptions& options = {});
struct SoftmaxOptions {
  numpy::Axes axis = std::nullopt;
};
Array softmax(const Operand& x, const SoftmaxOptions& options = {});
Array log_softmax(const Operand& x, const SoftmaxOptions& options = {});

}  // namespace hilo::scipy::special
