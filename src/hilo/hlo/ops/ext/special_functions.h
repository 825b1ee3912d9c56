// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/special_functions.h -- what the extension ops erfc, lgamma, zeta, ... compute.
#pragma once

#include "hilo/hlo/build/expr.h"

namespace hilo::hlo::formulas {

// By their names in jax.lax, of f32 and f64; nextafter of any float with a sign, infinities and 16 bits or more.
Expr erf_inv(Expr x);
Expr xla_erf_inv(Expr x);  ///< bit for bit as XLA:CPU has it on machines with FMA; of f64 but for the logarithm
Expr erfc(Expr x);
Expr lgamma(Expr x);
Expr digamma(Expr x);
Expr polygamma(Expr n, Expr x);
Expr zeta(Expr x, Expr q);
Expr bessel_i0e(Expr x);
Expr bessel_i1e(Expr x);
Expr nextafter(Expr x, Expr y);

}  // namespace hilo::hlo::formulas
