// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "hilo/array/refuse.h"
#include "hilo/lax/axes.h"
#include "hilo/trace/ops.h"
#include "hilo/types/checked.h"

namespace hilo::lax {
namespace {

using Sizes = std::vector<int64_t>;

Shape shape_of(const char* function, ElementType type, const Sizes& sizes) {
  StatusOr<Shape> shape = Shape::make_array(type, sizes);
  if (!shape.ok()) or_throw(shape.status().with_context(at_user_line(function)));
  return *shape;
}

Sizes sizes_of(const Array& x) { return {x.shape().begin(), x.shape().end()}; }

Array spread(const Array& x, const Shape& shape, Sizes dimensions) {
  return std::ranges::equal(x.shape(), shape.dimensions()) ? x : ops::broadcast_in_dim(x, shape, std::move(dimensions));
}

void check_broadcast(const Array& x, const Sizes& shape, const Sizes& dimensions) {
  bool fits = std::ssize(dimensions) == x.ndim();
  for (size_t i = 0; fits && i < dimensions.size(); ++i) {
    const int64_t to = dimensions[i], extent = x.shape()[i];
    fits =
        to >= 0 && to < std::ssize(shape) && (i == 0 || dimensions[i - 1] < to) && (extent == 1 || extent == shape[to]);
  }
  if (fits) return;
  refuse("broadcast_in_dim",
         fmt::format(
             "got {} to the shape [{}] by broadcast_dimensions [{}]; wanted an ascending dimension for each, of its "
             "extent or where it is 1",
             x.aval_shape().to_string(), fmt::join(shape, ","), fmt::join(dimensions, ",")));
}

}  // namespace

Array full(const Dimensions& shape, const Operand& fill_value, std::optional<ElementType> dtype) {
  const UserLocation here(fill_value.location());
  const Array& value = fill_value.array();
  if (value.ndim() != 0) refuse("full", "fill_value must be a scalar; got " + value.aval_shape().to_string());
  const Array one = dtype ? ops::convert_element_type(value, requested_type("full", *dtype)) : value;
  return spread(one, shape_of("full", one.dtype(), shape), {});
}

Array full_like(const Operand& x, const Operand& fill_value, const FullLikeOptions& options) {
  const UserLocation here(x.location());
  const Array& like = x.array();
  const bool weak = !options.dtype && like.weak_type();
  const Array created = full(options.shape ? *options.shape : Dimensions(like.shape()), fill_value,
                             options.dtype ? *options.dtype : like.dtype());
  return with_weak_type(created, weak);
}

Array empty(const Dimensions& shape, ElementType dtype, std::source_location line) {
  const UserLocation here(line);
  return ops::full(shape_of("empty", requested_type("empty", dtype), shape), 0);
}

Array iota(ElementType dtype, int64_t size, std::source_location line) {
  const UserLocation here(line);
  return broadcasted_iota(dtype, {size}, 0);
}

Array broadcasted_iota(ElementType dtype, const Dimensions& shape, int64_t dimension, std::source_location line) {
  const UserLocation here(line);
  const ElementType type = requested_type("broadcasted_iota", dtype);
  if (type == ElementType::kPred) refuse("iota", "wanted a type of numbers; got pred");
  return ops::iota(shape_of("iota", type, shape), dimension);
}

Array shape_as_value(const Dimensions& shape, std::source_location line) {
  const UserLocation here(line);
  const Array extents = Array::from_values(std::span<const int64_t>(shape), Sizes{std::ssize(shape)});
  return ops::convert_element_type(extents, ElementType::kS32);
}

Array reshape(const Operand& operand, const Dimensions& new_sizes, const OptionalDimensions& dimensions) {
  const UserLocation here(operand.location());
  const Array x = dimensions ? transpose(operand, *dimensions) : operand.array();
  if (std::ranges::any_of(new_sizes, [](int64_t n) { return n < 0; }))
    refuse("reshape", fmt::format("extents must not be negative; got [{}]. Hint: numpy::reshape takes a -1",
                                  fmt::join(new_sizes, ",")));
  return ops::reshape(x, new_sizes);
}

Array broadcast(const Operand& operand, const Dimensions& sizes) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  Sizes shape = sizes, dimensions(static_cast<size_t>(x.ndim()));
  std::iota(dimensions.begin(), dimensions.end(), std::ssize(sizes));
  shape.insert(shape.end(), x.shape().begin(), x.shape().end());
  return spread(x, shape_of("broadcast", x.dtype(), shape), dimensions);
}

Array broadcast_in_dim(const Operand& operand, const Dimensions& shape, const Dimensions& broadcast_dimensions) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  check_broadcast(x, shape, broadcast_dimensions);
  // HLO's op can't repeat an axis, so axes of size 1 are dropped first.
  Sizes retained, dimensions;
  for (size_t i = 0; i < broadcast_dimensions.size(); ++i) {
    const int64_t extent = x.shape()[i];
    if (extent == 1 && shape[broadcast_dimensions[i]] != 1) continue;
    retained.push_back(extent);
    dimensions.push_back(broadcast_dimensions[i]);
  }
  const Array without = ops::reshape(x, retained);
  return spread(without, shape_of("broadcast_in_dim", x.dtype(), shape), dimensions);
}

Array broadcast_like(const Operand& arr, const Operand& like_arr) {
  const UserLocation here(arr.location());
  const Array &x = arr.array(), &like = like_arr.array();
  if (x.ndim() > like.ndim())
    refuse("broadcast_like", fmt::format("got {}, which has more dimensions than {}", x.aval_shape().to_string(),
                                         like.aval_shape().to_string()));
  Sizes dimensions(x.ndim());
  std::iota(dimensions.begin(), dimensions.end(), like.ndim() - x.ndim());
  return broadcast_in_dim(x, like.shape(), dimensions);
}

Array broadcast_to_rank(const Operand& x, int64_t rank) {
  const UserLocation here(x.location());
  if (rank < x.array().ndim())
    refuse("broadcast_to_rank", fmt::format("got {}, wanted rank {}", x.array().aval_shape().to_string(), rank));
  return broadcast(x, Sizes(rank - x.array().ndim(), 1));
}

Dimensions detail::broadcast_shapes(std::span<const Dimensions> shapes) {
  Dimensions common;
  for (const Dimensions& shape : shapes) {
    if (shape.size() > common.size()) common.insert(common.begin(), shape.size() - common.size(), 1);
    const size_t first = common.size() - shape.size();
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t& extent = common[first + i];
      if (extent != shape[i] && extent != 1 && shape[i] != 1)
        refuse("broadcast_shapes", fmt::format("[{}] doesn't fit [{}]", fmt::join(shape, ","), fmt::join(common, ",")));
      if (extent == 1) extent = shape[i];
    }
  }
  return common;
}

Array collapse(const Operand& operand, int64_t start_dimension, std::optional<int64_t> stop_dimension) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  const auto bounded = [&](int64_t d) { return std::clamp<int64_t>(d < 0 ? d + x.ndim() : d, 0, x.ndim()); };
  const int64_t low = bounded(start_dimension), high = bounded(stop_dimension.value_or(x.ndim()));
  if (high < low)
    refuse("collapse", fmt::format("got dimensions {} to {} of {}", low, high, x.aval_shape().to_string()));
  Sizes sizes(x.shape().begin(), x.shape().begin() + low);
  int64_t all = 1;
  for (int64_t d = low; d < high; ++d) all *= x.shape(d);
  sizes.push_back(all);
  sizes.insert(sizes.end(), x.shape().begin() + high, x.shape().end());
  return ops::reshape(x, sizes);
}

Array squeeze(const Operand& array, const Dimensions& dimensions) {
  const UserLocation here(array.location());
  const Array& x = array.array();
  const Sizes removed = canonical_axes("squeeze", dimensions, x.ndim());
  for (int64_t d : removed) {
    if (x.shape(d) != 1)
      refuse("squeeze", fmt::format("dimension {} of {} must have extent 1", d, x.aval_shape().to_string()));
  }
  return ops::reshape(x, ops::without_dimensions(x.shape(), removed));
}

Array expand_dims(const Operand& array, const Dimensions& dimensions) {
  const UserLocation here(array.location());
  const Array& x = array.array();
  Sizes added = canonical_axes("expand_dims", dimensions, x.ndim() + std::ssize(dimensions)), sizes = sizes_of(x);
  std::ranges::sort(added);
  for (int64_t d : added) sizes.insert(sizes.begin() + d, 1);
  return ops::reshape(x, sizes);
}

Array transpose(const Operand& operand, const Dimensions& permutation) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  Sizes sorted = permutation;
  std::ranges::sort(sorted);
  if (sorted != ops::all_dimensions(x.ndim()))
    refuse("transpose", fmt::format("permutation isn't a permutation of {}'s dimensions: got [{}]",
                                    x.aval_shape().to_string(), fmt::join(permutation, ",")));
  return ops::transpose(x, permutation);
}

Array rev(const Operand& operand, const Dimensions& dimensions) {
  const UserLocation here(operand.location());
  return ops::reverse(operand.array(), dimensions);
}

Array concatenate(const std::vector<Array>& operands, int64_t dimension, std::source_location line) {
  const UserLocation here(line);
  if (operands.empty()) refuse("concatenate", "needs at least one array");
  return ops::concatenate(operands, dimension);
}

Array stack(const std::vector<Array>& operands, int64_t axis, std::source_location line) {
  const UserLocation here(line);
  if (operands.empty()) refuse("stack", "needs at least one array");
  const int64_t at = canonical_axis("stack", axis, operands[0].ndim() + 1);
  std::vector<Array> slices;
  for (const Array& x : operands) slices.push_back(expand_dims(x, {at}));
  return concatenate(slices, at);
}

std::vector<Array> unstack(const Operand& x, int64_t axis) {
  const UserLocation here(x.location());
  const int64_t at = canonical_axis("unstack", axis, x.array().ndim());
  std::vector<Array> slices = split(x, Sizes(x.array().shape(at), 1), at);
  for (Array& slice : slices) slice = squeeze(slice, {at});
  return slices;
}

std::vector<Array> split(const Operand& operand, const Dimensions& sizes, int64_t axis) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  const int64_t at = canonical_axis("split", axis, x.ndim());
  const bool negative = std::ranges::any_of(sizes, [](int64_t n) { return n < 0; });
  if (negative || std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) != x.shape(at))
    refuse("split", fmt::format("sizes [{}] must add up to the extent of dimension {} of {}", fmt::join(sizes, ","), at,
                                x.aval_shape().to_string()));
  std::vector<Array> parts;
  int64_t begin = 0;
  for (int64_t size : sizes) {
    parts.push_back(ops::slice_along(x, at, {begin, begin + size, 1}));
    begin += size;
  }
  return parts;
}

Array tile(const Operand& operand, const Dimensions& reps) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  if (std::ssize(reps) != x.ndim() || std::ranges::any_of(reps, [](int64_t n) { return n < 0; }))
    refuse("tile", fmt::format("got reps [{}] for {}; wanted a count for each dimension", fmt::join(reps, ","),
                               x.aval_shape().to_string()));
  Sizes pairs, dimensions, tiled;
  for (size_t d = 0; d < reps.size(); ++d) {
    pairs.insert(pairs.end(), {reps[d], x.shape()[d]});
    dimensions.push_back(2 * static_cast<int64_t>(d) + 1);
    const std::optional<int64_t> extent = checked_mul(reps[d], x.shape()[d]);
    if (!extent) refuse("tile", "the result has more elements than a number can count");
    tiled.push_back(*extent);
  }
  return ops::reshape(spread(x, shape_of("tile", x.dtype(), pairs), dimensions), tiled);
}

Array pad(const Operand& operand, const Operand& padding_value, const std::vector<PaddingConfig>& padding_config) {
  const UserLocation here(operand.location());
  std::vector<hlo::PaddingDimension> padding;
  for (const PaddingConfig& p : padding_config) padding.push_back({p.low, p.high, p.interior});
  return ops::pad(operand.array(), padding_value.array(), std::move(padding));
}

Array bitcast_convert_type(const Operand& operand, ElementType new_dtype) {
  const UserLocation here(operand.location());
  const Array& x = operand.array();
  const ElementType type = requested_type("bitcast_convert_type", new_dtype);
  if (type == x.dtype()) return with_weak_type(x, false);
  const int64_t from = element_type_info(x.dtype()).bits, to = element_type_info(type).bits;
  Sizes sizes = sizes_of(x);
  if (from > to) sizes.push_back(from / to);
  if (from < to) {
    if (sizes.empty() || sizes.back() != to / from)
      refuse("bitcast_convert_type", fmt::format("got {} to {}; wanted a last dimension of {}",
                                                 x.aval_shape().to_string(), element_type_name(type), to / from));
    sizes.pop_back();
  }
  return with_weak_type(
      bind_one(hlo::Opcode::kBitcastConvert, {x}, nullptr, shape_of("bitcast_convert_type", type, sizes)), false);
}

Dimensions broadcast_shapes(const Dimensions& first, const Dimensions& second, const Dimensions& third,
                            const Dimensions& fourth, const Dimensions& fifth, const Dimensions& sixth) {
  const Dimensions shapes[] = {first, second, third, fourth, fifth, sixth};
  return detail::broadcast_shapes(shapes);
}

}  // namespace hilo::lax
