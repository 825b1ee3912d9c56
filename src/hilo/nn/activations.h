// SPDX-License-Identifier: Apache-2.0
// nn/activations.h -- elementwise functions of jax.nn.
#pragma once

#include "hilo/numpy/numpy.h"

namespace hilo::nn {

// Types     floats; integers become floats unless stated otherwise
/// Returns x.
Array identity(const Operand& x);
/// Computes the rectified linear unit max(x, 0); integers stay integers.
/// Gradient   0 at x = 0
/// Example    relu(numpy::array({-1.0, 0.0, 2.0}))  // [0. 0. 2.]
Array relu(const Operand& x);
/// Computes min(max(x, 0), 6).
/// Gradient   0 at x = 0 and x = 6
Array relu6(const Operand& x);
/// Computes the logistic function 1 / (1 + exp(-x)).
/// Example    sigmoid(numpy::array({-1.0, 0.0, 1.0}))  // [0.26894143 0.5 0.7310586 ]
Array sigmoid(const Operand& x);
/// Computes the hyperbolic tangent.
Array tanh(const Operand& x);
/// Computes log(1 + exp(x)) without overflow.
/// Example    softplus(numpy::array({-1.0, 0.0, 100.0}))  // [ 0.3132617 0.6931472 100. ]
Array softplus(const Operand& x);
/// Computes a sparse variant of softplus: 0 for x <= -1, (x + 1)^2 / 4 in between, x for x >= 1.
Array sparse_plus(const Operand& x);
/// Computes the derivative of sparse_plus: 0 for x <= -1, (x + 1) / 2 in between, 1 for x >= 1.
Array sparse_sigmoid(const Operand& x);
Array soft_sign(const Operand& x);  /// Computes x / (|x| + 1).
/// Computes x * sigmoid(x).
/// Example    silu(numpy::array({-1.0, 0.0, 1.0}))  // [-0.26894143 0. 0.7310586 ]
Array silu(const Operand& x);
Array swish(const Operand& x);  /// Same as silu.
Array mish(const Operand& x);   /// Computes x * tanh(softplus(x)).
/// Computes log(sigmoid(x)) without overflow.
Array log_sigmoid(const Operand& x);
Array hard_tanh(const Operand& x);     /// Limits x to [-1, 1].
Array hard_sigmoid(const Operand& x);  /// Computes relu6(x + 3) / 6.
Array hard_silu(const Operand& x);     /// Computes x * hard_sigmoid(x).
Array hard_swish(const Operand& x);    /// Same as hard_silu.
/// Computes elu with the scale that preserves mean 0 and variance 1.
/// Source     Klambauer et al. (2017)
Array selu(const Operand& x);
/// Computes log(1 - exp(-x)) for x > 0.
Array log1mexp(const Operand& x);

struct AlphaOptions {
  Array alpha = 1.0;
};
/// Computes the exponential linear unit: x for x > 0, alpha * (exp(x) - 1) otherwise.
Array elu(const Operand& x, const AlphaOptions& options = {});
/// Computes x for x > 0, alpha * (exp(x / alpha) - 1) otherwise; its derivative is continuous at 0.
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
/// Computes x for x >= 0, negative_slope * x otherwise.
/// Example    leaky_relu(numpy::array({-2.0, 3.0}))  // [-0.02 3. ]
Array leaky_relu(const Operand& x, const LeakyReluOptions& options = {});
template <int = 0>
Array leaky_relu(const Operand& x, const Operand& negative_slope) {
  return leaky_relu(x, LeakyReluOptions{.negative_slope = negative_slope});
}
struct SquareplusOptions {
  Array b = 4;
};
/// Computes (x + sqrt(x^2 + b)) / 2.
Array squareplus(const Operand& x, const SquareplusOptions& options = {});
template <int = 0>
Array squareplus(const Operand& x, const Operand& b) {
  return squareplus(x, SquareplusOptions{.b = b});
}
struct GeluOptions {
  bool approximate = true;  ///< uses the approximation by tanh
};
/// Computes the Gaussian error linear unit x * Phi(x), with the normal distribution function Phi.
/// Example    gelu(numpy::array({-1.0, 0.0, 1.0}))  // [-0.158808 0. 0.841192]
Array gelu(const Operand& x, const GeluOptions& options = {});
template <int = 0>
Array gelu(const Operand& x, bool approximate) {
  return gelu(x, GeluOptions{.approximate = approximate});
}
struct GluOptions {
  int64_t axis = -1;
};
/// Computes the gated linear unit: the first half along an axis times the sigmoid of the second half.
/// Errors    INVALID_ARGUMENT for an odd extent
Array glu(const Operand& x, const GluOptions& options = {});
template <int = 0>
Array glu(const Operand& x, int64_t axis) {
  return glu(x, GluOptions{.axis = axis});
}

}  // namespace hilo::nn
