// SPDX-License-Identifier: Apache-2.0
// scipy/special/error.h -- the error function and its relatives, and the normal distribution.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::special {

/// 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x; 1 less that; the inverse of erf.
Array erf(const Operand& x);
Array erfc(const Operand& x);
Array erfinv(const Operand& x);
/// exp(x^2) erfc(x), also of complex x.
Array erfcx(const Operand& x);
/// exp(-z^2) erfc(-iz), complex. Source    Weideman, "Computation of the complex error function" (1994)
Array wofz(const Operand& z);
/// Dawson's integral, exp(-x^2) times the integral of exp(t^2) from 0 to x.
Array dawsn(const Operand& x);
struct FresnelResult {
  Array s, c;
};
/// The integrals of sin(pi t^2 / 2) and cos(pi t^2 / 2) from 0 to x.
FresnelResult fresnel(const Operand& x);
/// The distribution of the standard normal: f32 and f64.
Array ndtr(const Operand& x);
/// Its inverse.
Array ndtri(const Operand& p);
struct LogNdtrOptions {
  int64_t series_order = 3;  ///< JAX's; here the value is right to the last places whatever it is
};
/// log(ndtr(x)), also far below 0. Errors    INVALID_ARGUMENT for a series_order out of 0..30
Array log_ndtr(const Operand& x, const LogNdtrOptions& options = {});
/// Owen's function, the integral of exp(-h^2 (1 + t^2) / 2) / (1 + t^2) / (2 pi) over t from 0 to a.
Array owens_t(const Operand& h, const Operand& a);

}  // namespace hilo::scipy::special
