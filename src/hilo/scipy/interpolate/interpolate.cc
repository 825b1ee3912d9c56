// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/interpolate/interpolate.h"

#include <fmt/format.h>

#include "hilo/array/refuse.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"

namespace hilo::scipy::interpolate {

namespace {

constexpr const char* kName = "RegularGridInterpolator";

void check_method(const std::string& method) {
  if (method != "linear" && method != "nearest")
    refuse(kName, "method must be linear or nearest; got '" + method + "'");
}

/// The grid cells of points along one axis: the index of the lower edge, and the relative position in the cell.
struct Cells {
  Array lower, share, outside;
};
Cells cells_of(const Array& grid, const Array& x) {
  const int64_t last = grid.shape(0) - 1;
  const Array lower = numpy::clip(numpy::searchsorted(grid, x) - 1, 0, last - 1);
  const Array from = numpy::take(grid, lower), to = numpy::take(grid, lower + 1);
  return {lower, (x - from) / (to - from), (x < grid[0]) | (x > grid[last])};
}

/// Appends axes of extent 1, so that x broadcasts with values of more axes.
Array widened(const Array& x, int64_t rank) {
  Dimensions shape(x.shape());
  shape.resize(rank, 1);
  return numpy::reshape(x, shape);
}

}  // namespace

RegularGridInterpolator::RegularGridInterpolator(const std::vector<Array>& points, const Operand& values,
                                                 const InterpolatorOptions& options)
    : grid_(points), fill_value_(options.fill_value), method_(options.method) {
  const UserLocation here(values.location());
  check_method(method_);
  if (options.bounds_error)
    refuse(kName,
           "bounds_error is not supported: values are not known at compile time. Hint: fill_value marks points out of "
           "bounds");
  if (points.empty()) refuse(kName, "wanted one point array or more; got none");
  values_ = numpy::promote_inexact(values.array());
  if (std::ssize(points) > values_.ndim())
    refuse(kName, fmt::format("got {} point arrays, but values has {} dimensions", points.size(), values_.ndim()));
  for (size_t d = 0; d < points.size(); ++d) {
    const int64_t extent = values_.shape(d);
    if (points[d].ndim() != 1 || points[d].shape(0) != extent || extent < 2)
      refuse(kName,
             fmt::format("points {} must be a vector of two numbers or more, of the extent of values along axis {}, "
                         "{}; got {}",
                         d, d, extent, points[d].aval_shape().to_string()));
  }
  if (fill_value_ && is_complex(fill_value_->dtype()) && !is_complex(values_.dtype()))
    refuse(kName, "fill_value must be of a type compatible with values; got a complex number for real values");
}

Array RegularGridInterpolator::operator()(const std::vector<Array>& xi, const InterpolateOptions& options,
                                          numpy::Line line) const {
  const UserLocation here(line);
  if (xi.size() == 1) return (*this)(Operand(xi[0], line), options);
  return (*this)(Operand(numpy::stack(numpy::broadcast_arrays(xi), -1), line), options);
}

Array RegularGridInterpolator::operator()(const Operand& operand, const InterpolateOptions& options) const {
  const UserLocation here(operand.location());
  const std::string& method = options.method ? *options.method : method_;
  check_method(method);
  const int64_t rank = grid_.size();
  const Array xi = operand.array().ndim() == 1 ? numpy::reshape(operand, {-1, rank}) : operand.array();
  if (xi.ndim() == 0 || xi.shape(-1) != rank)
    refuse(kName, fmt::format("xi must have one coordinate for each axis of the grid along its last axis, {}; got {}",
                              rank, xi.aval_shape().to_string()));
  const Array places = numpy::reshape(xi, {-1, rank});
  std::vector<Cells> cells;
  for (int64_t d = 0; d < rank; ++d) cells.push_back(cells_of(grid_[d], places(all, d)));

  // Merges the axes of the grid into one; the flat index of a point is computed from its indices along the axes.
  Dimensions behind(values_.shape().begin() + rank, values_.shape().end());
  Dimensions flat_shape = behind;
  flat_shape.insert(flat_shape.begin(), -1);
  const Array flat = numpy::reshape(values_, flat_shape);
  const auto value_at = [&](const std::vector<Array>& numbers) {
    Array at = numbers[0];
    for (int64_t d = 1; d < rank; ++d) at = at * values_.shape(d) + numbers[d];
    return numpy::take(flat, at, 0);
  };

  Array result;
  if (method == "nearest") {
    std::vector<Array> numbers;
    for (const Cells& c : cells) numbers.push_back(numpy::where(c.share <= 0.5, c.lower, c.lower + 1));
    result = value_at(numbers);
  } else {
    for (uint64_t corner = 0; corner < (uint64_t{1} << rank); ++corner) {
      std::vector<Array> numbers;
      Array weight = 1.0;
      for (size_t d = 0; d < cells.size(); ++d) {
        const bool upper = (corner >> d) & 1;
        numbers.push_back(upper ? cells[d].lower + 1 : cells[d].lower);
        weight = weight * (upper ? cells[d].share : 1.0 - cells[d].share);
      }
      const Array part = value_at(numbers) * widened(weight, flat.ndim());
      result = corner == 0 ? part : result + part;
    }
  }
  if (fill_value_) {
    Array outside = cells[0].outside;
    for (const Cells& c : cells) outside = outside | c.outside;
    result = numpy::where(widened(outside, result.ndim()), *fill_value_, result);
  }
  behind.insert(behind.begin(), xi.shape().begin(), xi.shape().end() - 1);
  return numpy::reshape(result, behind);
}

}  // namespace hilo::scipy::interpolate
