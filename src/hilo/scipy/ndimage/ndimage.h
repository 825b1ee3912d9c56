// SPDX-License-Identifier: Apache-2.0
// scipy/ndimage/ndimage.h -- jax.scipy.ndimage.
#pragma once

#include <vector>

#include "hilo/array/array.h"

namespace hilo::scipy::ndimage {

struct CoordinateOptions {
  const char* mode = "constant";  ///< outside: cval (constant), nearest, wrap, mirror, reflect
  double cval = 0;
};
/// The values of `input` at points, an array of places along each axis: the nearest ones (order 0), or linear between (1).
/// Errors    INVALID_ARGUMENT for another count of coordinates; UNIMPLEMENTED for other orders and modes
Array map_coordinates(const Operand& input, const std::vector<Array>& coordinates, int64_t order,
                      const CoordinateOptions& options = {});
/// The same, with the coordinates stacked along a first axis.
Array map_coordinates(const Operand& input, const Array& coordinates, int64_t order,
                      const CoordinateOptions& options = {});

/// The same with the order by name.
struct OrderAndCoordinateOptions {
  Required<int64_t> order;
  const char* mode = "constant";
  double cval = 0;
};
inline Array map_coordinates(const Operand& input, const std::vector<Array>& coordinates,
                             const OrderAndCoordinateOptions& o) {
  return map_coordinates(input, coordinates, o.order.value, {.mode = o.mode, .cval = o.cval});
}

}  // namespace hilo::scipy::ndimage
