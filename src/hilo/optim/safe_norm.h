// SPDX-License-Identifier: Apache-2.0
// optim/safe_norm.h -- safe_norm of any order and along axes; optim/base.h has the norm of all elements.
#pragma once

#include "hilo/linalg/linalg.h"
#include "hilo/optim/base.h"

namespace hilo::optim {

/// Returns the norm, but at least min_norm. Below min_norm the derivative is 0, not NaN.
/// Example    safe_norm(x, 1e-3, {.axis = 0, .keepdims = true})
template <int = 0>
Array safe_norm(const Operand& x, double min_norm, const hilo::linalg::NormOptions& options) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  hilo::linalg::NormOptions with_keepdims = options;
  with_keepdims.keepdims = true;
  const Array safe = numpy::where(hilo::linalg::norm(a, with_keepdims) <= min_norm, numpy::ones_like(a), a);
  const Array small = hilo::linalg::norm(a, options) <= min_norm;
  return numpy::where(small, min_norm, hilo::linalg::norm(safe, options));
}

}  // namespace hilo::optim
