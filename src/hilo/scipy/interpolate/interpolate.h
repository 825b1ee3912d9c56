// SPDX-License-Identifier: Apache-2.0
// scipy/interpolate/interpolate.h -- jax.scipy.interpolate: interpolation on a regular grid.
#pragma once

#include <string>

#include "hilo/numpy/dtypes.h"
#include "hilo/tree/tree.h"

namespace hilo::scipy::interpolate {

struct InterpolatorOptions {
  std::string method = "linear";  ///< "linear" or "nearest"
  bool bounds_error = false;      ///< true is rejected: a compiled program cannot raise errors about its values
  /// value outside of the grid; nullopt extrapolates the outermost cells
  std::optional<Array> fill_value = numpy::nan;
};
struct InterpolateOptions {
  std::optional<std::string> method = std::nullopt;  ///< overrides the method of the interpolator
};

/// Interpolates values at the points of a regular grid. A pytree of its arrays, so that it can be an argument of jit.
/// Shapes     values [n0, ..., nk, ...] for k + 1 increasing vectors of n0, ..., nk >= 2 points
/// Types      integers become floats
/// Errors     INVALID_ARGUMENT for shapes that differ, for another method, or bounds_error
/// Gradient   with respect to values; with method linear also to grid points and positions
/// Example    const Array x = numpy::array({0.0, 1.0}), values = numpy::array({{0.0, 1.0}, {2.0, 3.0}});
///            RegularGridInterpolator({x, x}, values)(numpy::array({{0.5, 0.5}}))  // [1.5]
class RegularGridInterpolator {
 public:
  RegularGridInterpolator(const std::vector<Array>& points, const Operand& values,
                          const InterpolatorOptions& options = {});
  RegularGridInterpolator(const std::vector<Array>& points, const Operand& values, const char* method)
      : RegularGridInterpolator(points, values, InterpolatorOptions{.method = method}) {}

  /// Interpolates at positions xi [..., k + 1]; for one axis also a vector. The result has shape [...], followed by the
  /// axes of values behind the grid.
  Array operator()(const Operand& xi, const InterpolateOptions& options = {}) const;
  /// Interpolates at positions with one array for each coordinate; the arrays broadcast.
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
