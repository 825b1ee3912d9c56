// SPDX-License-Identifier: Apache-2.0
// lax/bessel.h -- modified Bessel functions, which numpy and scipy::special have; jax.lax has those with a factor of e^-|x| only.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax {

// I_0 and I_1 of any float type. Shapes    as elementwise functions
Array bessel_i0(const Operand& x);
Array bessel_i1(const Operand& x);

}  // namespace hilo::lax
