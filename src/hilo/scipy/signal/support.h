// SPDX-License-Identifier: Apache-2.0
// scipy/signal/support.h -- what the functions of two signals share. Not for users.
#pragma once

#include <utility>

#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"

namespace hilo::scipy::signal {

/// Both in the one inexact type in which they meet, each in its shape.
inline std::pair<Array, Array> in_one_type(const Array& a, const Array& b) {
  const ElementType type =
      numpy::promote_inexact(numpy::zeros({}, a.dtype()), numpy::zeros({}, b.dtype())).first.dtype();
  return {numpy::astype(a, type), numpy::astype(b, type)};
}

}  // namespace hilo::scipy::signal
