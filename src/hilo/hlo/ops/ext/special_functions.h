// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/special_functions.h -- what the extension ops erfc, lgamma, zeta, ... compute.
#pragma once

#include "hilo/hlo/ops/ext/formula.h"

namespace hilo::hlo::formulas {

// By their names in jax.lax, of f32 and f64; nextafter of any float with a sign, infinities and 16 bits or more.
Value erf_inv(Value x);
Value xla_erf_inv(Value x);  ///< bit for bit as XLA:CPU has it on machines with FMA; of f64 but for the logarithm
Value erfc(Value x);
Value lgamma(Value x);
Value digamma(Value x);
Value polygamma(Value n, Value x);
Value zeta(Value x, Value q);
Value bessel_i0e(Value x);
Value bessel_i1e(Value x);
Value nextafter(Value x, Value y);

}  // namespace hilo::hlo::formulas
