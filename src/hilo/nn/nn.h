// SPDX-License-Identifier: Apache-2.0
// nn/nn.h -- activations and losses of jax.nn.
#pragma once

#include "hilo/numpy/numpy.h"

namespace hilo::nn {

Array relu(const Operand& x);
Array sigmoid(const Operand& x);
/// NaN where an infinity stands, but -inf beside a finite number is 0.
Array softmax(const Operand& x, int64_t axis = -1);
/// log(sum(exp(x))) without overflow: -inf if all are, or of nothing; inf if one is.
Array logsumexp(const Operand& x, int64_t axis = -1);
Array log_softmax(const Operand& x, int64_t axis = -1);
/// 1 where the class is, 0 elsewhere: s32[n] -> f32[n, classes].
Array one_hot(const Operand& labels, int64_t classes, numpy::Dtype type = std::nullopt);

}  // namespace hilo::nn
