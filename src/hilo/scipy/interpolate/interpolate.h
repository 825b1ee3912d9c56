// SPDX-License-Identifier: Apache-2.0
// scipy/interpolate/interpolate.h -- jax.scipy.interpolate: values between the points of a grid.
#pragma once

#include <string>

#include "hilo/numpy/dtypes.h"
#include "hilo/tree/tree.h"

namespace hilo::scipy::interpolate {

struct InterpolatorOptions {
  std::string method = "linear";  ///< or nearest
  bool bounds_error = false;      ///< true is refused: what a compiled program reads isn't known when it is made
  std::optional<Array> fill_value = numpy::nan;  ///< outside of the grid; none: the last cells go on
};
struct InterpolateOptions {
  std::optional<std::string> method = std::nullopt;  ///< instead of the interpolator's
};

/// A function of the values at the points of a regular grid. A tree of its arrays, so it may be an argument of jit.
/// Shapes     values [n0, ..., nk, ...] for vectors of k + 1 axes, each rising, of n0, ..., nk >= 2 points
/// Types      integers become floats
/// Errors     INVALID_ARGUMENT where those shapes differ, for another method, or bounds_error
/// Gradient   with respect to values, and with method linear to points and places
/// Example    RegularGridInterpolator({x, y}, values)(numpy::array({{1.5f, 4.5f}}))
class RegularGridInterpolator {
 public:
  RegularGridInterpolator(const std::vector<Array>& points, const Operand& values,
                          const InterpolatorOptions& options = {});
  RegularGridInterpolator(const std::vector<Array>& points, const Operand& values, const char* method)
      : RegularGridInterpolator(points, values, InterpolatorOptions{.method = method}) {}

  /// At places xi [..., k + 1] (of one axis also a vector of places): [...] and the axes of values behind the grid's.
  Array operator()(const Operand& xi, const InterpolateOptions& options = {}) const;
  /// The same with one array for each coordinate, which broadcast.
  Array operator()(const std::vector<Array>& xi, const InterpolateOptions& options = {},
                   numpy::Line line = numpy::Line::current()) const;

  HILO_TREE(grid_, values_, fill_value_, method_)

 private:
  std::vector<Array> grid_;
  Array values_;
  std::optional<Array> fill_value_;
  std::string method_;
};

}  // namespace hilo::scipy::interpolate
