// SPDX-License-Identifier: Apache-2.0
// lax/bessel.h -- modified Bessel functions for numpy and scipy::special; jax.lax has only those scaled by e^-|x|.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax {

// Compute I_0 and I_1, for any float type.
// Shapes     as elementwise functions
Array bessel_i0(const Operand& x);
Array bessel_i1(const Operand& x);

}  // namespace hilo::lax
