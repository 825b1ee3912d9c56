// SPDX-License-Identifier: Apache-2.0
// optim/safe_norm.h -- safe_norm of any order and along axes; that of all elements stands in optim/base.h.
#pragma once

#include "hilo/linalg/linalg.h"
#include "hilo/optim/base.h"

namespace hilo::optim {

/// The norm, at least min_norm; where it is less the derivative is 0, not NaN.
/// Example    safe_norm(x, 1e-3, {.axis = 0, .keepdims = true})
template <int = 0>
Array safe_norm(const Operand& x, double min_norm, const hilo::linalg::NormOptions& options) {
  const UserLocation here(x.location());
  const Array& a = x.array();
  hilo::linalg::NormOptions kept = options;
  kept.keepdims = true;
  const Array safe = numpy::where(hilo::linalg::norm(a, kept) <= min_norm, numpy::ones_like(a), a);
  const Array small = hilo::linalg::norm(a, options) <= min_norm;
  return numpy::where(small, min_norm, hilo::linalg::norm(safe, options));
}

}  // namespace hilo::optim
