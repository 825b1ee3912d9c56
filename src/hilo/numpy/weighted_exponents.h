// SPDX-License-Identifier: Apache-2.0
// numpy/weighted_exponents.h -- the exponents of logsumexp with weights. Internal.
#pragma once

#include "hilo/array/array.h"

namespace hilo::numpy {

/// Returns x - top where the weight is not 0. A term with weight 0 is 0, but its derivative by the weight is e^(x -
/// top). There the exponent is a constant that does not overflow; -inf for NaN and for complex numbers.
Array weighted_exponents(const Array& x, const Array& top, const Array& weights);

}  // namespace hilo::numpy
