// SPDX-License-Identifier: Apache-2.0
// lax/normal.h -- the normal distribution and its density, the basis of error functions and their derivatives. Not for
// users.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax {

/// Returns exp(-scale x^2) of f32 or f64 x. Corrects the rounding error of x^2, which exp would multiply by its
/// magnitude. `scale` is a power of 2, or its negative, so that scaling is exact.
Array exp_of_square(const Array& x, double scale);

/// Returns the density of the normal distribution.
/// Types      f32, f64
Array normal_density(const Array& x);
/// Returns the normal distribution function; corrects the rounding error of x / sqrt(2).
/// Types      f32, f64
Array normal_distribution(const Array& x);

}  // namespace hilo::lax
