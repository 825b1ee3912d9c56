// SPDX-License-Identifier: Apache-2.0
// lax/incomplete_gamma.h -- the regularised incomplete gamma functions, and their derivatives with respect to the
// parameter.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax {

// Compute P(a, x) and Q(a, x) = 1 - P(a, x). P(0, x) is 1. NaN for negative x or a, and if both are 0.
// Types      floats; half floats are computed in f32
// Shapes     as elementwise functions
// Gradient   in both; NaN for a = 0
// Source     DLMF 8.2.4, 8.7.1 (the series), 8.9.2 (the continued fraction)
Array igamma(const Operand& a, const Operand& x);
Array igammac(const Operand& a, const Operand& x);
/// Computes the derivative of P(a, x) with respect to a, by differentiating series and fraction term by term.
/// Gradient   in both, by differentiating once more
Array igamma_grad_a(const Operand& a, const Operand& x);
/// Computes the derivative of a sample x of the gamma distribution with respect to `a`: -(dP/da) / (dP/dx).
/// Gradient   in both
/// Source     Figurnov, Mohamed, Mnih, "Implicit reparameterization gradients" (NeurIPS 2018)
Array random_gamma_grad(const Operand& a, const Operand& x);

}  // namespace hilo::lax
