// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/indexing.h"

#include <algorithm>

#include "hilo/lax/indexing.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

void check_integer(std::string_view what, const Array& index) {
  if (is_integer(index.dtype())) return;
  or_throw(
      invalid_argument(at_user_line(what) + ": Indexer must have integer type, got " + index.aval_shape().to_string()));
}

/// s32 (or s64 for what is wider), negative ones counted from the end of an axis of this extent.
Array wrapped(const Array& index, int64_t extent) {
  const ElementType type =
      index.dtype() == ElementType::kS64 || index.dtype() == ElementType::kU64 ? ElementType::kS64 : ElementType::kS32;
  const Array i = ops::convert_element_type(index, type);
  if (is_unsigned_integer(index.dtype())) return i;
  const Array from_end = ops::add(i, ops::full_like(i, static_cast<double>(extent)));
  return ops::select(ops::lt(i, ops::full_like(i, 0)), from_end, i);
}

/// Reads whole slices of x at positions along one axis.
hlo::GatherAttributes slices_along(const Array& x, int64_t axis, int64_t index_rank) {
  hlo::GatherAttributes g;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    g.slice_sizes.push_back(d == axis ? 1 : x.shape(d));
    if (d != axis) g.offset_dims.push_back(d < axis ? d : d + index_rank - 1);
  }
  g.collapsed_slice_dims = {axis};
  g.start_index_map = {axis};
  g.index_vector_dim = index_rank;
  return g;
}

/// The indices of some leading axes as HLO takes them: vectors along a last axis.
struct Places {
  Array indices;
  hlo::GatherAttributes gather;
};

Places places_of(const Array& x, std::span<const Array> indices) {
  std::vector<int64_t> shape;
  for (const Array& i : indices) shape = broadcast_shapes(shape, i.shape());
  std::vector<int64_t> column(shape);
  column.push_back(1);
  bool wide = false;
  std::vector<Array> columns;
  for (size_t d = 0; d < indices.size(); ++d) {
    columns.push_back(ops::reshape(spread_to(wrapped(indices[d], x.shape(static_cast<int64_t>(d))), shape), column));
    wide |= columns.back().dtype() == ElementType::kS64;
  }
  for (Array& c : columns) c = ops::convert_element_type(c, wide ? ElementType::kS64 : ElementType::kS32);
  const int64_t rank = static_cast<int64_t>(shape.size());
  Places places{ops::concatenate(columns, rank), {}};
  places.gather.index_vector_dim = rank;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    if (d < static_cast<int64_t>(indices.size())) {
      places.gather.collapsed_slice_dims.push_back(d);
      places.gather.start_index_map.push_back(d);
      places.gather.slice_sizes.push_back(1);
    } else {
      places.gather.offset_dims.push_back(rank + d - static_cast<int64_t>(indices.size()));
      places.gather.slice_sizes.push_back(x.shape(d));
    }
  }
  return places;
}

/// Where a mask is true, in row-major order: an array of positions for each of its axes.
/// Errors    of reading a value: which elements are read must be known, as in JAX
std::vector<Array> true_positions(const Array& mask) {
  const std::vector<bool> values = mask.to_vector<bool>();
  std::vector<std::vector<int32_t>> positions(static_cast<size_t>(mask.ndim()));
  for (size_t flat = 0; flat < values.size(); ++flat) {
    if (!values[flat]) continue;
    int64_t rest = static_cast<int64_t>(flat);
    for (size_t d = positions.size(); d-- > 0;) {
      const int64_t extent = mask.shape()[d];
      positions[d].push_back(static_cast<int32_t>(rest % extent));
      rest /= extent;
    }
  }
  std::vector<Array> arrays;
  for (const std::vector<int32_t>& p : positions)
    arrays.push_back(Array::from_vector(p, {static_cast<int64_t>(p.size())}));
  return arrays;
}

/// Integer indices alone: a mask stands for the positions where it is true, and takes as many axes as it has.
std::vector<Array> without_masks(const Array& x, std::vector<Array> indices) {
  std::vector<Array> integers;
  for (Array& index : indices) {
    if (index.dtype() != ElementType::kPred || index.ndim() == 0) {
      integers.push_back(std::move(index));
      continue;
    }
    const size_t begin = integers.size(), rank = static_cast<size_t>(index.ndim());
    if (begin + rank > x.shape().size() || !std::ranges::equal(index.shape(), x.shape().subspan(begin, rank))) {
      or_throw(invalid_argument(at_user_line("at") + ": boolean index did not match shape of indexed array; got " +
                                index.aval_shape().to_string() + " for axis " + std::to_string(begin) + " of " +
                                x.aval_shape().to_string()));
    }
    for (Array& positions : true_positions(index)) integers.push_back(std::move(positions));
  }
  return integers;
}

Array update(const Array& x, std::span<const Array> indices, const Operand& y, const IndexOptions& options,
             std::optional<hlo::Opcode> opcode) {
  const UserLocation here(y.location());
  const Places places = places_of(x, indices);
  std::vector<int64_t> shape(places.indices.shape().begin(), places.indices.shape().end() - 1);
  shape.insert(shape.end(), x.shape().begin() + static_cast<int64_t>(indices.size()), x.shape().end());
  const Array updates = spread_to(ops::convert_element_type(y.array(), x.dtype()), shape);
  hlo::ScatterAttributes s = lax::scatter_of(places.gather);
  s.indices_are_sorted = options.indices_are_sorted;
  s.unique_indices = options.unique_indices;
  return lax::scatter(with_weak_type(x, false), places.indices, updates, s, options.mode, opcode);
}

}  // namespace

Array take(const Operand& x, const Operand& indices, std::optional<int64_t> axis, IndexMode mode,
           const std::optional<Array>& fill_value) {
  const UserLocation here(x.location());
  const Array array = axis ? x.array() : ops::reshape(x.array(), std::vector<int64_t>{x.array().size()});
  const int64_t at = normal_axis(array, axis.value_or(0));
  check_integer("take", indices.array());
  if (array.shape(at) == 0 && indices.array().size() != 0) {
    or_throw(invalid_argument(at_user_line("take") + ": cannot do a non-empty take() from an empty axis; got " +
                              array.aval_shape().to_string()));
  }
  const Array positions = mode == IndexMode::kClip ? indices.array() : wrapped(indices.array(), array.shape(at));
  return lax::gather(array, positions, slices_along(array, at, positions.ndim()), mode, fill_value);
}

Array take_along_axis(const Operand& x, const Operand& indices, int64_t axis, IndexMode mode,
                      const std::optional<Array>& fill_value) {
  const UserLocation here(x.location());
  const int64_t at = normal_axis(x.array(), axis);
  check_integer("take_along_axis", indices.array());
  if (indices.array().ndim() != x.array().ndim()) {
    or_throw(invalid_argument(at_user_line("take_along_axis") +
                              ": indices and arr must have the same number of dimensions; got " +
                              indices.array().aval_shape().to_string() + " and " + x.array().aval_shape().to_string()));
  }
  const size_t k = static_cast<size_t>(at);
  std::vector<int64_t> of_x(x.array().shape().begin(), x.array().shape().end());
  std::vector<int64_t> of_indices(indices.array().shape().begin(), indices.array().shape().end());
  const int64_t extent = of_x[k], count = of_indices[k];
  of_x[k] = of_indices[k] = 1;
  std::vector<int64_t> common = broadcast_shapes(of_x, of_indices);
  common[k] = extent;
  const hlo::GatherAttributes g = lax::gather_along(common, at);
  const Array array = spread_to(x.array(), common);
  common[k] = count;
  return lax::gather(array, spread_to(wrapped(indices.array(), extent), common), g, mode, fill_value);
}

IndexedPlaces::IndexedPlaces(const Operand& x, std::vector<Array> indices) : x_(x.array()), location_(x.location()) {
  const UserLocation here(x.location());
  indices_ = without_masks(x_, std::move(indices));
  if (indices_.empty() || static_cast<int64_t>(indices_.size()) > x_.ndim()) {
    or_throw(invalid_argument(at_user_line("at") + ": Too many indices: array is " + std::to_string(x_.ndim()) +
                              "-dimensional, but " + std::to_string(indices_.size()) + " were indexed"));
  }
  for (const Array& i : indices_) check_integer("at", i);
}

Array IndexedPlaces::get(const IndexOptions& options) const {
  const UserLocation here(location_);
  Places places = places_of(x_, indices_);
  places.gather.indices_are_sorted = options.indices_are_sorted;
  const bool one_element = places.indices.ndim() == 1;
  const IndexMode mode = options.mode == IndexMode::kUnspecified && one_element ? IndexMode::kClip : options.mode;
  return lax::gather(x_, places.indices, places.gather, mode, options.fill_value);
}

Array IndexedPlaces::set(const Operand& y, const IndexOptions& options) const {
  return update(x_, indices_, y, options, std::nullopt);
}
Array IndexedPlaces::add(const Operand& y, const IndexOptions& options) const {
  return update(x_, indices_, y, options, hlo::Opcode::kAdd);
}
Array IndexedPlaces::multiply(const Operand& y, const IndexOptions& options) const {
  return update(x_, indices_, y, options, hlo::Opcode::kMultiply);
}
Array IndexedPlaces::min(const Operand& y, const IndexOptions& options) const {
  return update(x_, indices_, y, options, hlo::Opcode::kMinimum);
}
Array IndexedPlaces::max(const Operand& y, const IndexOptions& options) const {
  return update(x_, indices_, y, options, hlo::Opcode::kMaximum);
}

}  // namespace hilo::numpy
