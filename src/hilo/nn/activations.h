// SPDX-License-Identifier: Apache-2.0
// nn/activations.h -- the elementwise functions of jax.nn.
#pragma once

#include "hilo/numpy/numpy.h"

namespace hilo::nn {

// Types     floats and, where it is said, integers, which become floats
Array identity(const Operand& x);
Array relu(const Operand& x);     ///< max(x, 0), of slope 0 at 0; integers stay
Array relu6(const Operand& x);    ///< min(max(x, 0), 6), of slope 0 at both ends
Array sigmoid(const Operand& x);  ///< 1 / (1 + exp(-x))
Array tanh(const Operand& x);
Array softplus(const Operand& x);        ///< log(1 + exp(x))
Array sparse_plus(const Operand& x);     ///< 0 up to -1, a parabola, x from 1 on
Array sparse_sigmoid(const Operand& x);  ///< the slope of sparse_plus: 0, a line, 1
Array soft_sign(const Operand& x);       ///< x / (|x| + 1)
Array silu(const Operand& x);            ///< x sigmoid(x)
Array swish(const Operand& x);           ///< silu's other name
Array mish(const Operand& x);            ///< x tanh(softplus(x))
Array log_sigmoid(const Operand& x);
Array hard_tanh(const Operand& x);     ///< x between -1 and 1
Array hard_sigmoid(const Operand& x);  ///< relu6(x + 3) / 6
Array hard_silu(const Operand& x);     ///< x hard_sigmoid(x)
Array hard_swish(const Operand& x);    ///< hard_silu's other name
Array selu(const Operand& x);          ///< elu scaled so that mean 0 and variance 1 stay (Klambauer et al., 2017)
/// log(1 - exp(-x)), for x > 0.
Array log1mexp(const Operand& x);

struct AlphaOptions {
  Array alpha = 1.0;
};
/// x above 0, alpha (exp(x) - 1) below.
Array elu(const Operand& x, const AlphaOptions& options = {});
/// The same of x / alpha, so that the slope at 0 is 1.
Array celu(const Operand& x, const AlphaOptions& options = {});
template <int = 0>
Array elu(const Operand& x, const Operand& alpha) {
  return elu(x, AlphaOptions{.alpha = alpha});
}
template <int = 0>
Array celu(const Operand& x, const Operand& alpha) {
  return celu(x, AlphaOptions{.alpha = alpha});
}
struct LeakyReluOptions {
  Array negative_slope = 0.01;
};
Array leaky_relu(const Operand& x, const LeakyReluOptions& options = {});
template <int = 0>
Array leaky_relu(const Operand& x, const Operand& negative_slope) {
  return leaky_relu(x, LeakyReluOptions{.negative_slope = negative_slope});
}
struct SquareplusOptions {
  Array b = 4;
};
/// (x + sqrt(x^2 + b)) / 2
Array squareplus(const Operand& x, const SquareplusOptions& options = {});
template <int = 0>
Array squareplus(const Operand& x, const Operand& b) {
  return squareplus(x, SquareplusOptions{.b = b});
}
struct GeluOptions {
  bool approximate = true;  ///< by tanh, as in the first BERT
};
/// x Phi(x), Phi the normal distribution; integers become floats.
Array gelu(const Operand& x, const GeluOptions& options = {});
template <int = 0>
Array gelu(const Operand& x, bool approximate) {
  return gelu(x, GeluOptions{.approximate = approximate});
}
struct GluOptions {
  int64_t axis = -1;
};
/// The first half along an axis times the sigmoid of the second. Errors    INVALID_ARGUMENT for an odd extent
Array glu(const Operand& x, const GluOptions& options = {});
template <int = 0>
Array glu(const Operand& x, int64_t axis) {
  return glu(x, GluOptions{.axis = axis});
}

}  // namespace hilo::nn
