// SPDX-License-Identifier: Apache-2.0
// scipy/ndimage/ndimage.h -- jax.scipy.ndimage: interpolation of arrays.
#pragma once

#include <vector>

#include "hilo/array/array.h"

namespace hilo::scipy::ndimage {

struct CoordinateOptions {
  /// values outside of the input: "constant" (cval), "nearest", "wrap", "mirror" or "reflect"
  const char* mode = "constant";
  double cval = 0;
};
/// Samples `input` at points, with an array of coordinates for each axis: nearest values (order 0) or linear
/// interpolation (order 1).
/// Errors     INVALID_ARGUMENT for another number of coordinates; UNIMPLEMENTED for other orders and modes
/// Example    map_coordinates(numpy::array({1.0, 3.0}), {numpy::array({0.5})}, 1)  // 2.0
Array map_coordinates(const Operand& input, const std::vector<Array>& coordinates, int64_t order,
                      const CoordinateOptions& options = {});
/// Samples `input` at coordinates stacked along a first axis.
Array map_coordinates(const Operand& input, const Array& coordinates, int64_t order,
                      const CoordinateOptions& options = {});

/// The options of map_coordinates with the order by name.
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
