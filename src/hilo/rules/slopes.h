// SPDX-License-Identifier: Apache-2.0
// rules/slopes.h -- slopes of elementwise functions that are accurate wherever they are representable, and so are their
// own slopes. They are computed from arguments instead of saturated values, without squares that overflow or
// differences of nearly equal numbers.
#pragma once

#include "hilo/array/array.h"

namespace hilo::rules {

// Slopes for real and complex x.
Array reciprocal(const Array& x);
Array acos_slope(const Array& x, const Array& out);
Array acosh_slope(const Array& x, const Array& out);
Array asin_slope(const Array& x, const Array& out);
Array asinh_slope(const Array& x, const Array& out);
Array atan_slope(const Array& x, const Array& out);
Array atanh_slope(const Array& x, const Array& out);
Array logistic_slope(const Array& x, const Array& out);
Array tan_slope(const Array& x, const Array& out);
Array tanh_slope(const Array& x, const Array& out);

// Slopes for real x.
Array bessel_i0e_slope(const Array& x, const Array& out);
Array bessel_i1e_slope(const Array& x, const Array& out);
Array cbrt_slope(const Array& x, const Array& out);
Array digamma_slope(const Array& x, const Array& out);
Array erf_slope(const Array& x, const Array& out);
Array erfc_slope(const Array& x, const Array& out);
Array erf_inv_slope(const Array& x, const Array& out);
Array logistic_slope_slope(const Array& x, const Array& out);

// Slopes of functions of two operands, with respect to the first and the second.
Array atan2_first_slope(const Array& y, const Array& x, const Array& out);
Array atan2_second_slope(const Array& y, const Array& x, const Array& out);
Array pow_base_slope(const Array& x, const Array& y, const Array& out);
Array pow_exponent_slope(const Array& x, const Array& y, const Array& out);
Array rem_divisor_slope(const Array& x, const Array& y, const Array& out);

/// Returns z / |z| of complex z, 0 at 0; also for infinite and denormal z.
Array direction(const Array& z);

}  // namespace hilo::rules
