// SPDX-License-Identifier: Apache-2.0
// lax/incomplete_beta.h -- the regularised incomplete beta function.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax {

/// The part of the beta distribution's mass below x. NaN for negative a or b, both 0 or both infinite, and x outside of 0..1.
///   Types      floats; half floats are computed in f32
///   Shapes     as elementwise functions
///   Gradient   in all of a, b, x
///   Source     DLMF 8.17.22
Array betainc(const Operand& a, const Operand& b, const Operand& x);

/// log |B(a, b)| of f32 or f64 of one shape, right to the last places where one of them is great. Not for users.
/// Source    DLMF 5.11.1
Array log_beta(const Array& a, const Array& b);

}  // namespace hilo::lax
