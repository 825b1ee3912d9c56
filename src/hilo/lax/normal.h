// SPDX-License-Identifier: Apache-2.0
// lax/normal.h -- the normal distribution and its bell curve, which are what error functions and their slopes are. Not for users.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax {

/// exp(-scale x^2) of f32 or f64 x, with what x^2 loses to rounding, which exp would multiply by its size.
///   scale      a power of 2, or its negative, so that scaling is exact
Array exp_of_square(const Array& x, double scale);

/// The density of the normal distribution.   Types    f32, f64
Array normal_density(const Array& x);
/// The normal distribution, with what x / sqrt(2) loses to rounding.   Types    f32, f64
Array normal_distribution(const Array& x);

}  // namespace hilo::lax
