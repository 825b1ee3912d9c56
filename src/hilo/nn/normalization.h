// SPDX-License-Identifier: Apache-2.0
// nn/normalization.h -- functions of jax.nn along axes: softmax and its kin, standardize, one_hot.
#pragma once

#include "hilo/numpy/numpy.h"

namespace hilo::nn {

using numpy::Named;

struct SoftmaxOptions {
  Named named = Named();
  Axes axis = -1;
  std::optional<Array> where = std::nullopt;  ///< what takes part; elsewhere the result is 0, of log_softmax -inf
};
/// exp(x) / sum(exp(x)). NaN where an infinity stands, but -inf beside a finite number is 0.
Array softmax(const Operand& x, const SoftmaxOptions& options = {});
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
/// log(sum(b exp(a))) without overflow: -inf if all are, or of nothing; inf if one is; NaN of a negative sum.
Array logsumexp(const Operand& a, const LogsumexpOptions& options = {});
template <int = 0>
Array logsumexp(const Operand& a, const Axes& axis) {
  return logsumexp(a, LogsumexpOptions{.axis = axis});
}
struct LogAndSign {
  Array value, sign;
};
/// return_sign=True: the logarithm of the sum's size, and its sign.
LogAndSign logsumexp_with_sign(const Operand& a, const LogsumexpOptions& options = {});
struct LogmeanexpOptions {
  Named named = Named();
  Axes axis = std::nullopt;
  std::optional<Array> where = std::nullopt;
  bool keepdims = false;
};
/// log(mean(exp(x)))
Array logmeanexp(const Operand& x, const LogmeanexpOptions& options = {});
template <int = 0>
Array logmeanexp(const Operand& x, const Axes& axis) {
  return logmeanexp(x, LogmeanexpOptions{.axis = axis});
}

struct StandardizeOptions {
  Named named = Named();
  Axes axis = -1;
  std::optional<Array> mean = std::nullopt, variance = std::nullopt;  ///< if they are known already
  Array epsilon = 1e-5;
  std::optional<Array> where = std::nullopt;  ///< what mean and variance are of
  const char* algorithm = "fast";             ///< the variance as mean(x^2) - mean(x)^2; or "stable"
};
/// (x - mean) / sqrt(variance + epsilon)
Array standardize(const Operand& x, const StandardizeOptions& options = {});
template <int = 0>
Array standardize(const Operand& x, const Axes& axis) {
  return standardize(x, StandardizeOptions{.axis = axis});
}

struct OneHotOptions {
  Named named = Named();
  numpy::Dtype dtype = std::nullopt;
  int64_t axis = -1;  ///< where the result has the classes
};
/// 1 where the class is, 0 elsewhere: s32[n] -> f32[n, num_classes]. Classes out of range have no 1.
Array one_hot(const numpy::ArrayLike& x, int64_t num_classes, const OneHotOptions& options = {},
              numpy::Line line = numpy::Line::current());
template <int = 0>
Array one_hot(const numpy::ArrayLike& x, int64_t num_classes, numpy::Dtype dtype,
              numpy::Line line = numpy::Line::current()) {
  return one_hot(x, num_classes, OneHotOptions{.dtype = dtype}, line);
}

}  // namespace hilo::nn
