// SPDX-License-Identifier: Apache-2.0
// scipy/special/error.h -- the error function and related functions, and the normal distribution.
#pragma once

#include "hilo/numpy/dtypes.h"

namespace hilo::scipy::special {

/// Computes the error function erf(x), 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x. erfc is 1 - erf(x),
/// erfinv the inverse of erf.
/// Example   erf(numpy::array({0.0, 1.0}))  // [0. 0.84270084]
Array erf(const Operand& x);
Array erfc(const Operand& x);
Array erfinv(const Operand& x);
/// Computes the inverse of erfc on (0, 2), also where erfc is tiny.
/// Example   erfcinv(numpy::array({0.0f, 0.5f, 1.0f}))  // [inf 0.47693628 0. ]
Array erfcinv(const Operand& y);
/// Computes exp(x^2) erfc(x), also for complex x.
Array erfcx(const Operand& x);
/// Computes the Faddeeva function exp(-z^2) erfc(-iz); the result is complex.
/// Source    Weideman, "Computation of the complex error function" (1994)
Array wofz(const Operand& z);
/// Computes Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x.
Array dawsn(const Operand& x);
struct FresnelResult {
  Array s, c;
};
/// Computes the Fresnel integrals: the integrals of sin(pi t^2 / 2) and cos(pi t^2 / 2) from 0 to x.
FresnelResult fresnel(const Operand& x);
/// Computes the standard normal distribution function.
/// Types     f32 and f64
/// Example   ndtr(numpy::array({0.0, 1.96}))  // [0.5 0.9750021]
Array ndtr(const Operand& x);
/// Computes the inverse of the standard normal distribution function.
Array ndtri(const Operand& p);
struct LogNdtrOptions {
  int64_t series_order = 3;  ///< JAX's; no effect, the result is always accurate
};
/// Computes log(ndtr(x)), also for x far below 0.
/// Errors    INVALID_ARGUMENT for a series_order out of 0..30
Array log_ndtr(const Operand& x, const LogNdtrOptions& options = {});
/// Computes Owen's T function: the integral of exp(-h^2 (1 + t^2) / 2) / (1 + t^2) / (2 pi) over t from 0 to a.
Array owens_t(const Operand& h, const Operand& a);

}  // namespace hilo::scipy::special
