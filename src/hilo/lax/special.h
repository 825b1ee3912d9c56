// SPDX-License-Identifier: Apache-2.0
// lax/special.h -- functions of jax.lax that are more than one op.
#pragma once

#include "hilo/trace/array.h"

namespace hilo::lax {

/// The inverse of erf.
/// Types      f32
/// Gradient   sqrt(pi)/2 * exp(erf_inv(x)^2)
/// Source     Giles, "Approximating the erfinv function" (2010), single precision
Array erf_inv(const Operand& x);

/// `values` reordered as a stable ascending sort of `keys` along `axis` reorders them.
Array sort_key_value(const Operand& keys, const Operand& values, int64_t axis);

}  // namespace hilo::lax
