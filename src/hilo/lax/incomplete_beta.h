// SPDX-License-Identifier: Apache-2.0
// lax/incomplete_beta.h -- the regularised incomplete beta function.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax {

/// Computes the regularised incomplete beta function: the distribution function of the beta distribution. NaN for
/// negative a or b, if both are 0 or both infinite, and for x outside of 0..1.
/// Types      floats; half floats are computed in f32
/// Shapes     as elementwise functions
/// Gradient   in all of a, b, x
/// Source     DLMF 8.17.22
Array betainc(const Operand& a, const Operand& b, const Operand& x);

/// Computes log |B(a, b)| of f32 or f64 of one shape, accurate to the last digits also if one of them is large. Not for
/// users.
/// Source     DLMF 5.11.1
Array log_beta(const Array& a, const Array& b);

}  // namespace hilo::lax
