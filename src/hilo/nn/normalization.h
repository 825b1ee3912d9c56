// SPDX-License-Identifier: Apache-2.0
// nn/normalization.h -- functions of jax.nn along axes: softmax, logsumexp, standardize, one_hot.
#pragma once

#include "hilo/numpy/numpy.h"

namespace hilo::nn {

using numpy::Named;

struct SoftmaxOptions {
  Named named = Named();
  Axes axis = -1;
  /// elements that are included; the result is 0 elsewhere, -inf for log_softmax
  std::optional<Array> where = std::nullopt;
};
/// Computes exp(x) / sum(exp(x)) along an axis, without overflow. A result is NaN if an element is +inf, or if all are
/// -inf.
/// Example    softmax(numpy::array({1.0, 1.0, 1.0, 1.0}))  // [0.25 0.25 0.25 0.25]
Array softmax(const Operand& x, const SoftmaxOptions& options = {});
/// Computes the logarithm of softmax.
/// Example    log_softmax(numpy::array({1.0, 1.0}))  // [-0.6931472 -0.6931472]
Array log_softmax(const Operand& x, const SoftmaxOptions& options = {});
template <int = 0>
Array softmax(const Operand& x, const Axes& axis) {
  return softmax(x, SoftmaxOptions{.axis = axis});
}
template <int = 0>
Array log_softmax(const Operand& x, const Axes& axis) {
  return log_softmax(x, SoftmaxOptions{.axis = axis});
}

struct LogsumexpOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  std::optional<Array> b = std::nullopt;  ///< factors of the exponentials
  bool keepdims = false;
  std::optional<Array> where = std::nullopt;
};
/// Computes log(sum(b * exp(a))) without overflow: -inf for no elements or if all are -inf, inf if one is inf, NaN for
/// a negative sum.
/// Example    logsumexp(numpy::array({1000.0, 1000.0}))  // 1000.6932
Array logsumexp(const Operand& a, const LogsumexpOptions& options = {});
template <int = 0>
Array logsumexp(const Operand& a, const Axes& axis) {
  return logsumexp(a, LogsumexpOptions{.axis = axis});
}
struct LogAndSign {
  Array value, sign;
};
/// Returns the logarithm of the absolute value of the sum, and its sign. JAX's return_sign=True.
LogAndSign logsumexp_with_sign(const Operand& a, const LogsumexpOptions& options = {});
struct LogmeanexpOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  std::optional<Array> where = std::nullopt;
  bool keepdims = false;
};
/// Computes log(mean(exp(x))) without overflow.
Array logmeanexp(const Operand& x, const LogmeanexpOptions& options = {});
template <int = 0>
Array logmeanexp(const Operand& x, const Axes& axis) {
  return logmeanexp(x, LogmeanexpOptions{.axis = axis});
}

struct StandardizeOptions {
  Named named = Named();
  Axes axis = -1;
  std::optional<Array> mean = std::nullopt, variance = std::nullopt;  ///< mean and variance if already computed
  Array epsilon = 1e-5;
  std::optional<Array> where = std::nullopt;  ///< elements that mean and variance include
  const char* algorithm = "fast";             ///< "fast": variance as mean(x^2) - mean(x)^2; or "stable"
};
/// Standardizes along an axis: (x - mean) / sqrt(variance + epsilon).
Array standardize(const Operand& x, const StandardizeOptions& options = {});
template <int = 0>
Array standardize(const Operand& x, const Axes& axis) {
  return standardize(x, StandardizeOptions{.axis = axis});
}

struct OneHotOptions {
  Named named = Named();
  numpy::Dtype dtype = std::nullopt;
  int64_t axis = -1;  ///< axis of the classes in the result
};
/// Encodes class numbers as vectors with 1 at the class and 0 elsewhere. Classes out of range give zeros.
/// Shapes     s32[n] -> f32[n, num_classes]
/// Example    one_hot({0, 2}, 3)  // [[1. 0. 0.] [0. 0. 1.]]
Array one_hot(const numpy::ArrayLike& x, int64_t num_classes, const OneHotOptions& options = {},
              numpy::Line line = numpy::Line::current());
template <int = 0>
Array one_hot(const numpy::ArrayLike& x, int64_t num_classes, numpy::Dtype dtype,
              numpy::Line line = numpy::Line::current()) {
  return one_hot(x, num_classes, OneHotOptions{.dtype = dtype}, line);
}

}  // namespace hilo::nn
