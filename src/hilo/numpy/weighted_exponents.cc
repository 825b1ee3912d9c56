// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/weighted_exponents.h"

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"

namespace hilo::numpy {

Array weighted_exponents(const Array& x, const Array& top, const Array& weights) {
  if (is_complex(x.dtype())) return where(weights != 0, x, -inf) - top;
  const double most = std::floor(std::log(static_cast<double>(finfo(x.dtype()).max)));
  const Array constant = stop_gradient(minimum(where(isnan(x), -inf, x) - top, most));
  return where(weights != 0, x - top, constant);
}

}  // namespace hilo::numpy
