// SPDX-License-Identifier: Apache-2.0
// numpy/selection.cc -- selects elements by conditions and positions; inserts and deletes elements.
#include <algorithm>

#include "hilo/numpy/axes.h"
#include "hilo/numpy/index_plan.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

/// Returns `size` flat positions where a mask is true, padded with the mask's size.
Array flat_positions(const Array& mask, int64_t size) {
  const Array flat = ravel(mask);
  const Array number_of =
      ops::sub(cumsum(flat, {.dtype = int32}), ops::full(hilo::Shape::array(int32, {flat.size()}), 1));
  const Array place = ops::select(flat, number_of, ops::full_like(number_of, static_cast<double>(size)));
  const Array none = full({size}, flat.size(), int32);
  return at(none, place).set(arange(flat.size(), int32), {.mode = "drop"});
}

/// Converts flat row-major positions to positions along each axis.
std::vector<Array> unraveled(Array flat, std::span<const int64_t> shape) {
  std::vector<Array> out(shape.size(), flat);
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t extent = std::max<int64_t>(shape[d], 1);
    out[d] = remainder(flat, extent);
    flat = floor_divide(flat, extent);
  }
  return out;
}

enum class Outside : uint8_t { kRaise, kWrap, kClip, kIgnore };
Outside outside_of(const char* function, std::string_view mode) {
  if (mode == "raise") return Outside::kRaise;
  if (mode == "ignore" && std::string_view(function) == "ravel_multi_index") return Outside::kIgnore;
  if (mode == "wrap") return Outside::kWrap;
  if (mode == "clip") return Outside::kClip;
  throw Error(
      invalid_argument(at_user_line(function) + ": mode is raise, wrap or clip; got \"" + std::string(mode) + "\""));
}

/// Maps indices into bounds, as specified by the mode.
Array inside(const char* function, const Array& index, int64_t extent, Outside outside) {
  check_integer_index(function, index);
  if (outside == Outside::kIgnore) return index;
  if (outside == Outside::kWrap) return remainder(index, std::max<int64_t>(extent, 1));
  if (outside == Outside::kClip) return clip(index, 0, std::max<int64_t>(extent - 1, 0));
  for (const int64_t i : index.to_vector<int64_t>()) {
    if (i < 0 || i >= extent)
      or_throw(out_of_range(at_user_line(function) + ": index " + std::to_string(i) + " is out of range for extent " +
                            std::to_string(extent)));
  }
  return index;
}

Array from_positions(const std::vector<int32_t>& positions) {
  return Array::from_vector(positions, {std::ssize(positions)});
}

/// Returns the positions that an argument of insert or delete_ names, from 0 on; their values must be known.
std::vector<int64_t> named_positions(const char* function, const Array& obj, int64_t extent, int64_t last) {
  std::vector<int64_t> out;
  if (obj.dtype() == ElementType::kPred) {
    if (obj.ndim() != 1 || obj.size() != extent)
      or_throw(invalid_argument(at_user_line(function) + ": a mask must have one element for each of " +
                                std::to_string(extent) + "; got " + obj.aval_shape().to_string()));
    const std::vector<bool> mask = obj.to_vector<bool>();
    for (size_t i = 0; i < mask.size(); ++i)
      if (mask[i]) out.push_back(i);
    return out;
  }
  check_integer_index(function, obj);
  for (const int64_t index : obj.to_vector<int64_t>()) {
    const int64_t p = index < 0 ? index + extent : index;
    if (p < 0 || p > last)
      or_throw(out_of_range(at_user_line(function) + ": index " + std::to_string(index) +
                            " is out of range for extent " + std::to_string(extent)));
    out.push_back(p);
  }
  return out;
}

/// Returns all axes but one.
std::vector<int64_t> others(int64_t rank, int64_t axis) {
  std::vector<int64_t> out;
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis) out.push_back(d);
  return out;
}

/// Returns the numbers of a range.
Array numbers_of(const Range& range, int64_t extent) { return arange(extent, int32)(range); }

/// Inserts values at one place. The first axis of the values is the one that grows, as in NumPy.
Array inserted_at(const Array& x, int64_t place, const Array& values, int64_t axis) {
  Shape dims(x.shape());
  const Array moved = moveaxis(ops::reshape(values, with_rank(values.shape(), dims.size())), 0, axis);
  dims[axis] = moved.shape(axis);
  const Array part = broadcast_to(ops::convert_element_type(moved, x.dtype()), dims);
  return concatenate({slice(x, 0, place, 1, axis), part, slice(x, place, x.shape(axis), 1, axis)}, axis);
}

/// Inserts one value before each of several positions of the original array.
Array inserted_each(const Array& x, const std::vector<int64_t>& places, const Array& values, int64_t axis) {
  const int64_t extent = x.shape(axis), count = std::ssize(places);
  std::vector<std::pair<int64_t, int64_t>> order;  // (place, index of the value)
  for (int64_t i = 0; i < count; ++i) order.emplace_back(places[i], i);
  std::ranges::stable_sort(order, {}, &std::pair<int64_t, int64_t>::first);
  Shape dims(x.shape());
  dims[axis] = count;
  const Array together = concatenate({x, broadcast_to(ops::convert_element_type(values, x.dtype()), dims)}, axis);
  std::vector<int32_t> positions;
  size_t next = 0;
  for (int64_t i = 0; i <= extent; ++i) {
    for (; next < order.size() && order[next].first == i; ++next)
      positions.push_back(static_cast<int32_t>(extent + order[next].second));
    if (i < extent) positions.push_back(static_cast<int32_t>(i));
  }
  return take(together, from_positions(positions), {.axis = axis, .mode = "promise_in_bounds"});
}

}  // namespace

std::vector<Array> nonzero(const Operand& a, const SizeOptions& options) {
  const UserLocation here(a.location());
  const Array& x = a.array();
  if (x.ndim() == 0)
    or_throw(invalid_argument(at_user_line("nonzero") + ": calling nonzero on 0d arrays is not allowed. Hint: use "
                                                        "atleast_1d first"));
  const Array mask = truth(x);
  if (!options.size) {
    std::vector<Array> out = true_positions(mask);
    for (Array& p : out) p = ops::convert_element_type(p, default_integer());
    return out;
  }
  const Array flat = flat_positions(mask, *options.size);
  const Array found = ops::lt(flat, ops::full_like(flat, static_cast<double>(x.size())));
  std::vector<Array> out = unraveled(flat, x.shape());
  for (size_t d = 0; d < out.size(); ++d) {
    Array fill = options.fill_value ? *options.fill_value : Array(0);
    if (fill.ndim() == 1) fill = fill[d];
    const Array value = spread_to(ops::convert_element_type(fill, out[d].dtype()), out[d].shape());
    out[d] = ops::convert_element_type(ops::select(found, out[d], value), default_integer());
  }
  return out;
}
std::vector<Array> where(const Operand& condition, const SizeOptions& options) {
  const UserLocation here(condition.location());
  return nonzero(condition, options);
}
Array argwhere(const Operand& a, const SizeOptions& options) {
  const UserLocation here(a.location());
  if (a.array().ndim() == 0) return zeros({static_cast<int64_t>(a.array().item<bool>() ? 1 : 0), 0}, default_integer());
  return stack(nonzero(a, options), -1);
}
Array flatnonzero(const Operand& a, const SizeOptions& options) {
  const UserLocation here(a.location());
  return nonzero(ravel(a), options)[0];
}

Array extract(const Operand& condition, const Operand& arr, const SizeOptions& options) {
  const UserLocation here(condition.location());
  return compress(ravel(condition), ravel(arr), {.size = options.size, .fill_value = options.fill_value});
}

Array compress(const Operand& condition, const Operand& a, const CompressOptions& options) {
  const UserLocation here(condition.location());
  const Array& flags = condition.array();
  if (flags.ndim() != 1)
    or_throw(invalid_argument(at_user_line("compress") + ": condition must be 1-dimensional; got " +
                              flags.aval_shape().to_string()));
  const Array x = options.axis ? a.array() : ravel(a);
  const int64_t axis = normal_axis(x, options.axis.value_or(0)), extent = x.shape(axis);
  const Array mask = truth(slice(flags, 0, std::min(extent, flags.size())));
  if (!options.size) {
    for (const bool rest : slice(truth(flags), std::min(extent, flags.size()), flags.size()).to_vector<bool>())
      if (rest)
        or_throw(invalid_argument(at_user_line("compress") + ": condition contains entries that are out of bounds"));
    return not_weak(take(x, flatnonzero(mask), {.axis = axis, .mode = "promise_in_bounds"}));
  }
  const Array positions = flatnonzero(mask, {.size = options.size, .fill_value = Array(static_cast<int>(extent))});
  return not_weak(take(
      x, positions, {.axis = axis, .mode = "fill", .fill_value = options.fill_value ? options.fill_value : Array(0)}));
}

Array choose(const Operand& a, const Arrays& list, const ChooseOptions& options) {
  const UserLocation here(a.location());
  const std::vector<Array>& choices = list.list();
  if (choices.empty()) or_throw(invalid_argument(at_user_line("choose") + ": need at least one choice"));
  const Outside outside = outside_of("choose", options.mode);
  const Array index = inside("choose", a.array(), std::ssize(choices), outside);
  Array out = promote(choices[0], choices[0]).first;
  for (size_t i = 1; i < choices.size(); ++i) out = where(index == static_cast<int>(i), choices[i], out);
  return not_weak(broadcast_to(out, broadcast_shapes(Shape(out.shape()), Shape(index.shape()))));
}

Array select(const std::vector<Array>& condlist, const std::vector<Array>& choicelist, const Operand& default_) {
  const UserLocation here(default_.location());
  if (condlist.size() != choicelist.size() || condlist.empty())
    or_throw(invalid_argument(at_user_line("select") +
                              ": condlist must have length equal to choicelist, and not be empty; got " +
                              std::to_string(condlist.size()) + " and " + std::to_string(choicelist.size())));
  Array out = default_.array();
  for (size_t i = condlist.size(); i-- > 0;) {
    if (condlist[i].dtype() != ElementType::kPred)
      or_throw(invalid_argument(at_user_line("select") + ": conditions must be of type pred; got " +
                                condlist[i].aval_shape().to_string()));
    out = where(condlist[i], choicelist[i], out);
  }
  return out;
}

Array put(const Operand& a, const Operand& ind, const Operand& v, const PutOptions& options) {
  const UserLocation here(a.location());
  refuse_in_place("put", options.inplace);
  const Array& x = a.array();
  const Array index = ravel(ind), values = ravel(v);
  if (index.size() == 0 || values.size() == 0) return x;
  const std::string_view mode = options.mode == nullptr ? "" : options.mode;
  if (options.mode != nullptr && mode != "clip" && mode != "wrap")
    or_throw(invalid_argument(at_user_line("put") + ": mode is clip or wrap; got \"" + std::string(mode) + "\""));
  check_integer_index("put", index);
  const Array from_end = mode.empty() ? where(index < 0, index + x.size(), index) : index;
  const Array places = mode == "wrap" ? remainder(index, x.size()) : clip(from_end, 0, x.size() - 1);
  const Array spread = slice(tile(values, (index.size() + values.size() - 1) / values.size()), 0, index.size());
  return reshape(at(ravel(x), places).set(spread), Shape(x.shape()));
}

Array put_along_axis(const Operand& arr, const Operand& indices, const Operand& values,
                     const PutAlongAxisOptions& options) {
  const UserLocation here(arr.location());
  refuse_in_place("put_along_axis", options.inplace);
  const Array& x = arr.array();
  if (!options.axis) return reshape(put_along_axis(ravel(x), ravel(indices), values, 0, options), Shape(x.shape()));
  const int64_t at_axis = normal_axis(x, *options.axis);
  if (indices.array().ndim() != x.ndim())
    or_throw(invalid_argument(at_user_line("put_along_axis") + ": indices must have the rank of " +
                              x.aval_shape().to_string() + "; got " + indices.array().aval_shape().to_string()));
  Shape dims(x.shape()), of_index(indices.array().shape());
  dims[at_axis] = of_index[at_axis];
  const Array index = broadcast_to(indices, broadcast_shapes(dims, of_index));
  std::vector<Indexer> grid;
  const std::vector<Array> thin = indices_sparse(Shape(index.shape()), int32);
  for (int64_t d = 0; d < x.ndim(); ++d) grid.emplace_back(d == at_axis ? index : thin[d]);
  return IndexedPlaces(Operand(x, arr.location()), grid).set(values, {.mode = options.mode});
}

Array place(const Operand& arr, const Operand& mask, const Operand& vals, const PlaceOptions& options) {
  const UserLocation here(arr.location());
  refuse_in_place("place", options.inplace);
  const Array &x = arr.array(), &m = mask.array();
  if (x.size() != m.size())
    or_throw(invalid_argument(at_user_line("place") + ": arr and mask must be the same size; got " +
                              x.aval_shape().to_string() + " and " + m.aval_shape().to_string()));
  const Array values = ravel(vals);
  if (values.size() == 0) {
    if (x.size() != 0) or_throw(invalid_argument(at_user_line("place") + ": Cannot place values from an empty array"));
    return x;
  }
  const Array flat = truth(ravel(m));
  const Array number_of = cumsum(flat, {.dtype = int32}) - 1;
  const Array chosen = take(values, remainder(number_of, values.size()), {.axis = 0, .mode = "promise_in_bounds"});
  const Array placed = ops::select(flat, ops::convert_element_type(chosen, x.dtype()), ravel(x));
  return with_weak_type(reshape(placed, Shape(x.shape())), x.weak_type());
}

Array insert(const Operand& arr, const Operand& obj, const Operand& values, std::optional<int64_t> axis) {
  const UserLocation here(arr.location());
  const Array x = axis ? arr.array() : ravel(arr);
  const int64_t at_axis = normal_axis(x, axis.value_or(0)), extent = x.shape(at_axis);
  const Array v = axis || values.array().ndim() == 0 ? values.array() : ravel(values);
  const std::vector<int64_t> places = named_positions("insert", obj.array(), extent, extent);
  const Array out = obj.array().ndim() == 0 ? inserted_at(x, places[0], v, at_axis)
                    : places.empty()        ? x
                                            : inserted_each(x, places, v, at_axis);
  return with_weak_type(out, x.weak_type());
}
Array insert(const Operand& arr, const Range& obj, const Operand& values, std::optional<int64_t> axis) {
  const UserLocation here(arr.location());
  const int64_t extent = axis ? arr.array().shape(*axis) : arr.array().size();
  return insert(arr, numbers_of(obj, extent), values, axis);
}

Array delete_(const Operand& arr, const Operand& obj, std::optional<int64_t> axis) {
  const UserLocation here(arr.location());
  const Array x = axis ? arr.array() : ravel(arr);
  const int64_t at_axis = normal_axis(x, axis.value_or(0)), extent = x.shape(at_axis);
  std::vector<bool> gone(extent, false);
  for (const int64_t p : named_positions("delete", obj.array(), extent, extent - 1)) gone[p] = true;
  std::vector<int32_t> remaining;
  for (size_t i = 0; i < gone.size(); ++i)
    if (!gone[i]) remaining.push_back(static_cast<int32_t>(i));
  return extent == 0 ? x : take(x, from_positions(remaining), {.axis = at_axis, .mode = "promise_in_bounds"});
}
Array delete_(const Operand& arr, const Range& obj, std::optional<int64_t> axis) {
  const UserLocation here(arr.location());
  const int64_t extent = axis ? arr.array().shape(*axis) : arr.array().size();
  return delete_(arr, numbers_of(obj, extent), axis);
}

Array trim_zeros(const Operand& filt, const TrimZerosOptions& options) {
  const UserLocation here(filt.location());
  Array x = filt.array();
  const std::string_view trim = options.trim;
  if (trim.find_first_not_of("fFbB") != std::string_view::npos)
    or_throw(invalid_argument(at_user_line("trim_zeros") + ": trim must consist of f and b; got \"" +
                              std::string(trim) + "\""));
  const bool front = trim.find_first_of("fF") != std::string_view::npos;
  const bool back = trim.find_first_of("bB") != std::string_view::npos;
  const Array mask = truth(x);
  for (const int64_t axis : normal_axes(x, options.axis)) {
    const std::vector<bool> nonzero_slices = any(mask, {.axis = others(x.ndim(), axis)}).to_vector<bool>();
    int64_t begin = 0, end = std::ssize(nonzero_slices);
    while (front && begin < end && !nonzero_slices[begin]) ++begin;
    while (back && end > begin && !nonzero_slices[end - 1]) --end;
    x = slice(x, begin, end, 1, axis);
  }
  return x;
}

Array take_along_rows(const Operand& x, const Operand& indices) {
  const UserLocation here(x.location());
  hlo::GatherAttributes g;
  g.collapsed_slice_dims = {1};
  g.operand_batching_dims = {0};
  g.start_indices_batching_dims = {0};
  g.start_index_map = {1};
  g.index_vector_dim = 1;
  g.slice_sizes = {1, 1};
  return ops::gather(x.array(), indices.array(), g);
}

Array ravel_multi_index(const std::vector<Array>& multi_index, const Shape& dims, const RavelMultiIndexOptions& options,
                        Line line) {
  const UserLocation here(line);
  if (multi_index.size() != dims.size())
    or_throw(invalid_argument(at_user_line("ravel_multi_index") + ": len(multi_index)=" +
                              std::to_string(multi_index.size()) + " != len(dims)=" + std::to_string(dims.size())));
  const Outside outside = outside_of("ravel_multi_index", options.mode);
  const std::string_view order = options.order;
  if (order != "C" && order != "F")
    or_throw(
        invalid_argument(at_user_line("ravel_multi_index") + ": order is C or F; got \"" + std::string(order) + "\""));
  Array flat = Array(0);
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t d = order == "C" ? i : dims.size() - 1 - i;
    flat = flat * static_cast<int>(dims[d]) + inside("ravel_multi_index", multi_index[d], dims[d], outside);
  }
  return options.dtype ? astype(flat, *options.dtype) : flat;
}

std::vector<Array> unravel_index(const Operand& indices, const Shape& shape) {
  const UserLocation here(indices.location());
  check_integer_index("unravel_index", indices.array());
  int64_t total = 1;
  for (const int64_t d : shape) total *= d;
  const Array& i = indices.array();
  // As in jax.numpy, indices out of bounds are clamped, and negative ones count from the end.
  const Array from_end = where(i < 0, i + static_cast<int>(total), i);
  return unraveled(clip(from_end, 0, static_cast<int>(total - 1)), shape);
}

}  // namespace hilo::numpy
