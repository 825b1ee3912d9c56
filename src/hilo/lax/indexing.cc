// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/indexing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hilo/trace/ops.h"

namespace hilo::lax {
namespace {

using namespace hilo::ops;  // algebra over these wrappers

/// Returns the maximum of an integer type.
double max_index(ElementType type) {
  return std::ldexp(1.0, element_type_info(type).bits - (is_signed_integer(type) ? 1 : 0)) - 1;
}

/// Returns the largest start of each index component, broadcast over the indices' shape; also for indices without a
/// vector axis.
Array max_starts(const hlo::GatherAttributes& g, const Array& operand, const Array& indices) {
  std::vector<double> limits;
  const double greatest = max_index(indices.dtype());  // a narrow index type can't exceed its maximum
  for (int64_t d : g.start_index_map)
    limits.push_back(std::min(greatest, static_cast<double>(operand.shape(d) - g.slice_sizes[d])));
  if (g.index_vector_dim == indices.ndim()) return ops::full_like(indices, limits[0]);
  Literal literal = filled(Shape::array(indices.dtype(), {std::ssize(limits)}), 0);
  const int64_t width = element_size_bytes(indices.dtype());
  for (size_t i = 0; i < limits.size(); ++i) {
    const Literal one = filled(Shape::scalar(indices.dtype()), limits[i]);
    std::ranges::copy(one.bytes(), literal.mutable_bytes().begin() + static_cast<int64_t>(i) * width);
  }
  return ops::broadcast_in_dim(constant(literal), indices.aval_shape(), {g.index_vector_dim});
}

/// Returns the default fill value of jax.lax.gather.
Array default_fill_value(ElementType type) {
  if (type == ElementType::kPred) return scalar(1, type);
  if (is_signed_integer(type)) return lowest(type);
  if (is_unsigned_integer(type)) return highest(type);
  return scalar(std::numeric_limits<double>::quiet_NaN(), type);
}

}  // namespace

hlo::ScatterAttributes scatter_of(const hlo::GatherAttributes& g) {
  hlo::ScatterAttributes s;
  s.update_window_dims = g.offset_dims;
  s.inserted_window_dims = g.collapsed_slice_dims;
  s.scatter_dims_to_operand_dims = g.start_index_map;
  s.input_batching_dims = g.operand_batching_dims;
  s.scatter_indices_batching_dims = g.start_indices_batching_dims;
  s.index_vector_dim = g.index_vector_dim;
  s.indices_are_sorted = g.indices_are_sorted;
  s.index_mode = g.index_mode;
  return s;
}

hlo::GatherAttributes gather_of(const hlo::ScatterAttributes& s, const Array& operand, const Array& updates) {
  hlo::GatherAttributes g;
  g.offset_dims = s.update_window_dims;
  g.collapsed_slice_dims = s.inserted_window_dims;
  g.start_index_map = s.scatter_dims_to_operand_dims;
  g.operand_batching_dims = s.input_batching_dims;
  g.start_indices_batching_dims = s.scatter_indices_batching_dims;
  g.index_vector_dim = s.index_vector_dim;
  g.indices_are_sorted = s.indices_are_sorted;
  g.index_mode = s.index_mode;
  size_t window = 0;
  for (int64_t d = 0; d < operand.ndim(); ++d) {
    const bool absent = hlo::contains(s.inserted_window_dims, d) || hlo::contains(s.input_batching_dims, d);
    g.slice_sizes.push_back(absent ? std::min<int64_t>(operand.shape(d), 1)
                                   : updates.shape(s.update_window_dims[window++]));
  }
  return g;
}

hlo::GatherAttributes gather_along(std::span<const int64_t> sizes, int64_t dimension) {
  hlo::GatherAttributes g;
  g.index_vector_dim = std::ssize(sizes);
  for (int64_t d = 0; d < g.index_vector_dim; ++d) {
    if (d == dimension) continue;
    g.operand_batching_dims.push_back(d);
    g.start_indices_batching_dims.push_back(d);
  }
  g.collapsed_slice_dims = {dimension};
  g.start_index_map = {dimension};
  for (int64_t size : sizes) g.slice_sizes.push_back(std::min<int64_t>(size, 1));
  return g;
}

Array take_along(const Array& x, const Array& positions, int64_t dimension) {
  hlo::GatherAttributes g = gather_along(x.shape(), dimension);
  g.index_mode = IndexMode::kPromiseInBounds;
  return ops::gather(x, positions, g);
}

Array clamp_indices(const hlo::GatherAttributes& g, const Array& operand, const Array& indices) {
  return max(ops::full_like(indices, 0), min(indices, max_starts(g, operand, indices)));
}

Array windows_inside(const hlo::GatherAttributes& g, const Array& operand, const Array& indices) {
  const Array inside =
      bitwise_and(ops::ge(indices, ops::full_like(indices, 0)), ops::le(indices, max_starts(g, operand, indices)));
  if (g.index_vector_dim == indices.ndim()) return inside;
  return ops::reduce(hlo::Opcode::kAnd, inside, scalar(1, ElementType::kPred), {g.index_vector_dim});
}

Array spread_over_windows(const Array& per_window, const Shape& shape, const std::vector<int64_t>& window_dims) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!hlo::contains(window_dims, d)) dims.push_back(d);
  }
  return ops::broadcast_in_dim(per_window, shape.with_element_type(per_window.dtype()), dims);
}

Array gather(const Array& x, const Array& indices, hlo::GatherAttributes attributes, IndexMode mode,
             const std::optional<Array>& fill_value) {
  attributes.index_mode = mode == IndexMode::kUnspecified ? IndexMode::kFillOrDrop : mode;
  const Array read = ops::gather(x, indices, attributes);
  if (attributes.index_mode != IndexMode::kFillOrDrop) return read;
  const Array inside = windows_inside(attributes, x, indices);
  const Array mask = spread_over_windows(inside, read.aval_shape(), attributes.offset_dims);
  const Array fill = fill_value ? ops::convert_element_type(*fill_value, x.dtype()) : default_fill_value(x.dtype());
  if (fill.ndim() != 0) {
    or_throw(invalid_argument(at_user_line("gather") + ": fill_value must be a scalar; got " +
                              fill.aval_shape().to_string()));
  }
  return with_weak_type(select(mask, read, ops::broadcast_in_dim(fill, read.aval_shape(), {})), x.weak_type());
}

Array scatter_indices(hlo::ScatterAttributes& s, const Array& x, const Array& indices, const Array& updates,
                      IndexMode mode) {
  s.index_mode = mode == IndexMode::kUnspecified ? IndexMode::kFillOrDrop : mode;
  return mode == IndexMode::kClip ? clamp_indices(gather_of(s, x, updates), x, indices) : indices;
}

Array scatter(const Array& x, const Array& indices, const Array& updates, hlo::ScatterAttributes attributes,
              IndexMode mode, std::optional<hlo::Opcode> opcode) {
  const Array at = scatter_indices(attributes, x, indices, updates, mode);
  return ops::scatter(x, at, updates, attributes, opcode);
}

}  // namespace hilo::lax
