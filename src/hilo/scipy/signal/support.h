// SPDX-License-Identifier: Apache-2.0
// scipy/signal/support.h -- promotion of two signals. Internal.
#pragma once

#include <utility>

#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"

namespace hilo::scipy::signal {

/// Promotes both to their common inexact type; the shapes are unchanged.
inline std::pair<Array, Array> in_one_type(const Array& a, const Array& b) {
  const ElementType type =
      numpy::promote_inexact(numpy::zeros({}, a.dtype()), numpy::zeros({}, b.dtype())).first.dtype();
  return {numpy::astype(a, type), numpy::astype(b, type)};
}

}  // namespace hilo::scipy::signal
