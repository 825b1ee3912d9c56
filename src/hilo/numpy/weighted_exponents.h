// SPDX-License-Identifier: Apache-2.0
// numpy/weighted_exponents.h -- what logsumexp with weights takes the exponential of. Not for users.
#pragma once

#include "hilo/array/array.h"

namespace hilo::numpy {

/// x - top for weights that aren't 0. Where one is 0, whose term is 0 but has the derivative e^(x - top) by the weight:
/// that as a constant which doesn't overflow, -inf for NaN and for complex numbers.
Array weighted_exponents(const Array& x, const Array& top, const Array& weights);

}  // namespace hilo::numpy
