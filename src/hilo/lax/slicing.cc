// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/slicing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/array/refuse.h"
#include "hilo/lax/axes.h"
#include "hilo/lax/indexing.h"
#include "hilo/lax/shape.h"
#include "hilo/trace/ops.h"

namespace hilo::lax {
namespace {

/// Returns the value of a number on the host; nullopt for arrays and tracers.
std::optional<int64_t> number_of(const Array& x) {
  if (x.impl().kind != ArrayImpl::Kind::kNumber) return std::nullopt;
  return x.item<int64_t>();
}

/// Returns the index counted from the front.
Array from_front(const Array& index, int64_t extent) {
  if (is_unsigned_integer(index.dtype())) return index;
  if (const std::optional<int64_t> value = number_of(index))
    return *value < 0 ? ops::scalar(static_cast<double>(*value + extent), index.dtype()) : index;
  const Array zero = ops::full_like(index, 0);
  return ops::select(ops::lt(index, zero), ops::add(index, ops::full_like(index, static_cast<double>(extent))), index);
}

/// Returns scalar indices of one type; converts negative ones, which count from the end, if that is allowed.
std::vector<Array> start_of(const char* function, const Array& x, const StartIndices& indices, bool allow_negative) {
  std::vector<Array> scalars = indices.scalars(function, x.ndim());
  for (size_t d = 0; allow_negative && d < scalars.size(); ++d) scalars[d] = from_front(scalars[d], x.shape()[d]);
  return scalars;
}

/// Returns `index` for one axis and zeros for the others.
StartIndices at_axis(const Array& x, const Array& index, int64_t axis) {
  if (index.ndim() != 0)
    refuse("dynamic_slice_in_dim", "the index must be a scalar; got " + index.aval_shape().to_string());
  std::vector<Array> starts(x.ndim(), ops::full_like(index, 0));
  starts[axis] = index;
  return starts;
}

}  // namespace

StartIndices::StartIndices(const std::vector<int64_t>& positions) {
  for (int64_t position : positions) scalars_.emplace_back(position);
}

std::vector<Array> StartIndices::scalars(const char* function, int64_t rank) const {
  std::vector<Array> list = scalars_;
  if (vector_) {
    if (vector_->ndim() != 1)
      refuse(function, "start_indices must be a vector; got " + vector_->aval_shape().to_string());
    list = unstack(*vector_);
  }
  if (std::ssize(list) != rank) refuse(function, fmt::format("got {} indices for {} dimensions", list.size(), rank));
  std::optional<ElementType> type;
  for (const Array& index : list) {
    if (index.ndim() != 0 || !is_integer(index.dtype()))
      refuse(function, "indices must be integer scalars; got " + index.aval_shape().to_string());
    if (index.weak_type()) continue;
    if (type && *type != index.dtype())
      refuse(function, fmt::format("indices must have one type; got {} and {}", element_type_name(*type),
                                   element_type_name(index.dtype())));
    type = index.dtype();
  }
  for (Array& index : list) index = ops::convert_element_type(index, type.value_or(default_integer()));
  return list;
}

Array slice(const Operand& operand, const Dimensions& start_indices, const Dimensions& limit_indices,
            const OptionalDimensions& strides) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  const size_t rank = x.ndim();
  if (start_indices.size() != rank || limit_indices.size() != rank || (strides && strides->size() != rank))
    refuse("slice",
           fmt::format("got start [{}] and limit [{}] for {}; wanted a number for each dimension",
                       fmt::join(start_indices, ","), fmt::join(limit_indices, ","), x.aval_shape().to_string()));
  std::vector<hlo::SliceRange> ranges;
  for (size_t d = 0; d < rank; ++d) ranges.push_back({start_indices[d], limit_indices[d], strides ? (*strides)[d] : 1});
  return ops::slice(x, std::move(ranges));
}

Array slice_in_dim(const Operand& operand, std::optional<int64_t> start_index, std::optional<int64_t> limit_index,
                   const SliceInDimOptions& options) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  const int64_t axis = canonical_axis("slice_in_dim", options.axis, x.ndim()), extent = x.shape(axis);
  const auto position = [&](std::optional<int64_t> i, int64_t otherwise) {
    return !i ? otherwise : *i < 0 ? *i + extent : *i;
  };
  return ops::slice_along(x, axis, {position(start_index, 0), position(limit_index, extent), options.stride});
}

Array index_in_dim(const Operand& operand, int64_t index, const IndexInDimOptions& options) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  const int64_t axis = canonical_axis("index_in_dim", options.axis, x.ndim()), extent = x.shape(axis);
  const int64_t at = index < 0 ? index + extent : index;
  if (at < 0 || at >= extent)
    or_throw(
        out_of_range(at_user_line("index_in_dim") + ": " +
                     fmt::format("index {} is out of bounds for dimension {} with extent {}", index, axis, extent)));
  const Array one = slice_in_dim(x, at, at + 1, {.axis = axis});
  return options.keepdims ? one : squeeze(one, {axis});
}

Array index_take(const Operand& src, const std::vector<Array>& idxs, const Dimensions& axes) {
  const UserLocation here(src.location());
  const Array& x = src.array();
  const std::vector<int64_t> used = canonical_axes("index_take", axes, x.ndim());
  if (idxs.size() != used.size() || idxs.empty())
    refuse("index_take", fmt::format("got {} index vectors for {} axes", idxs.size(), used.size()));
  std::vector<Array> columns;
  for (size_t i = 0; i < idxs.size(); ++i) {
    if (idxs[i].ndim() != 1 || !is_integer(idxs[i].dtype()))
      refuse("index_take", "wanted vectors of integers; got " + idxs[i].aval_shape().to_string());
    const Array extent = ops::full_like(idxs[i], static_cast<double>(x.shape(used[i])));
    const Array rest = ops::rem(idxs[i], extent);
    const Array positive = ops::select(ops::lt(rest, ops::full_like(rest, 0)), ops::add(rest, extent), rest);
    columns.push_back(expand_dims(positive, {1}));
  }
  hlo::GatherAttributes g;
  for (int64_t d = 1; d <= x.ndim() - std::ssize(used); ++d) g.offset_dims.push_back(d);
  g.collapsed_slice_dims = used;
  std::ranges::sort(g.collapsed_slice_dims);
  g.start_index_map = used;
  g.index_vector_dim = 1;
  g.slice_sizes.assign(x.shape().begin(), x.shape().end());
  for (int64_t d : used) g.slice_sizes[d] = 1;
  return gather(x, concatenate(columns, 1), g, IndexMode::kPromiseInBounds);
}

Array dynamic_slice(const Operand& operand, const StartIndices& start_indices, const Dimensions& slice_sizes,
                    const DynamicOptions& options) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  if (std::ssize(slice_sizes) != x.ndim())
    refuse("dynamic_slice",
           fmt::format("got sizes [{}] for {}", fmt::join(slice_sizes, ","), x.aval_shape().to_string()));
  return ops::dynamic_slice(x, start_of("dynamic_slice", x, start_indices, options.allow_negative_indices),
                            slice_sizes);
}

Array dynamic_update_slice(const Operand& operand, const Operand& update, const StartIndices& start_indices,
                           const DynamicOptions& options) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  return ops::dynamic_update_slice(x, update,
                                   start_of("dynamic_update_slice", x, start_indices, options.allow_negative_indices));
}

Array dynamic_slice_in_dim(const Operand& operand, const Operand& start_index, int64_t slice_size,
                           const DynamicSliceInDimOptions& options) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  const int64_t axis = canonical_axis("dynamic_slice_in_dim", options.axis, x.ndim());
  Dimensions sizes = x.shape();
  sizes[axis] = slice_size;
  return dynamic_slice(x, at_axis(x, start_index, axis), sizes, {options.allow_negative_indices});
}

Array dynamic_index_in_dim(const Operand& operand, const Operand& index, const DynamicIndexInDimOptions& options) {
  const UserLocation here(operand.location());
  const int64_t axis = canonical_axis("dynamic_index_in_dim", options.axis, operand.array().ndim());
  const Array one =
      dynamic_slice_in_dim(operand, index, 1, {.axis = axis, .allow_negative_indices = options.allow_negative_indices});
  return options.keepdims ? one : squeeze(one, {axis});
}

Array dynamic_update_slice_in_dim(const Operand& operand, const Operand& update, const Operand& start_index,
                                  int64_t axis, const DynamicOptions& options) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  const int64_t at = canonical_axis("dynamic_update_slice_in_dim", axis, x.ndim());
  return dynamic_update_slice(x, update, at_axis(x, start_index, at), options);
}

Array dynamic_update_index_in_dim(const Operand& operand, const Operand& update, const Operand& index, int64_t axis,
                                  const DynamicOptions& options) {
  const UserLocation here(operand.location());
  const Array &x = operand.array(), &part = update.array();
  const int64_t at = canonical_axis("dynamic_update_index_in_dim", axis, x.ndim());
  const Array whole_rank = part.ndim() == x.ndim() ? part : expand_dims(part, {at});
  return dynamic_update_slice_in_dim(x, whole_rank, index, at, options);
}

}  // namespace hilo::lax
