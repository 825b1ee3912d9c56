// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/special_functions.h -- formulas of the extension ops erfc, lgamma, zeta, ...
#pragma once

#include "hilo/hlo/build/expr.h"

namespace hilo::hlo::formulas {

// By their names in jax.lax, for f32 and f64; nextafter for any float with a sign, infinities and at least 16 bits.
Expr erf_inv(Expr x);
Expr xla_erf_inv(Expr x);  ///< bit-identical to XLA:CPU on machines with FMA; for f64 except for the logarithm
Expr erfc(Expr x);
Expr lgamma(Expr x);
Expr digamma(Expr x);
Expr polygamma(Expr n, Expr x);
Expr zeta(Expr x, Expr q);
Expr bessel_i0e(Expr x);
Expr bessel_i1e(Expr x);
Expr nextafter(Expr x, Expr y);

}  // namespace hilo::hlo::formulas
