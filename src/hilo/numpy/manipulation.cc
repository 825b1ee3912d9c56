// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/manipulation.h"

#include <algorithm>

#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

/// Returns normalized axes of an array with `rank` axes, in the order of the argument.
std::vector<int64_t> ordered_axes(const char* function, const Axes& axes, int64_t rank) {
  std::vector<int64_t> normal;
  for (const int64_t a : *axes) {
    const int64_t n = a < 0 ? a + rank : a;
    if (n < 0 || n >= rank)
      or_throw(invalid_argument(at_user_line(function) + ": axis " + std::to_string(a) + " is out of range for rank " +
                                std::to_string(rank)));
    normal.push_back(n);
  }
  std::vector<int64_t> sorted = normal;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    or_throw(invalid_argument(at_user_line(function) + ": repeated axis in " + dimensions_to_string(*axes)));
  return normal;
}

Array joined(const char* function, const std::vector<Array>& arrays, int64_t axis, const Dtype& dtype) {
  if (arrays.empty()) or_throw(invalid_argument(at_user_line(function) + ": need at least one array"));
  Aval type = arrays[0].aval();
  for (const Array& a : arrays) {
    type = promote_types(type, a.aval());
    if (a.ndim() != arrays[0].ndim())
      or_throw(invalid_argument(at_user_line(function) + ": all arrays must have one rank; got " +
                                arrays[0].aval_shape().to_string() + " and " + a.aval_shape().to_string()));
  }
  const ElementType requested = dtype ? requested_type(function, *dtype) : type.shape.element_type();
  std::vector<Array> same;
  for (const Array& a : arrays) same.push_back(ops::convert_element_type(a, requested));
  return with_weak_type(ops::concatenate(same, axis), !dtype && type.weak_type);
}

template <typename F>
std::vector<Array> each(const std::vector<Array>& arrays, const F& f) {
  std::vector<Array> out;
  for (const Array& a : arrays) out.push_back(f(a));
  return out;
}

/// Returns the first position of each part, and the end.
std::vector<int64_t> borders(const char* function, const Axes& parts, int64_t extent, bool must_be_equal) {
  std::vector<int64_t> out = {0};
  const std::vector<int64_t>& list = *parts;
  const int64_t count = list.empty() ? 1 : list[0];
  if (count < 1) or_throw(invalid_argument(at_user_line(function) + ": number sections must be larger than 0"));
  if (must_be_equal && extent % count != 0)
    or_throw(invalid_argument(at_user_line(function) + ": array split does not result in an equal division; got " +
                              std::to_string(extent) + " elements and " + std::to_string(count) + " parts"));
  for (int64_t i = 0; i < count; ++i) out.push_back(out.back() + extent / count + (i < extent % count ? 1 : 0));
  return out;
}

std::vector<Array> split_into(const char* function, const Operand& ary, const Axes& parts, int64_t axis, bool is_list,
                              bool must_be_equal) {
  const UserLocation here(ary.location());
  const Array& a = ary.array();
  const int64_t at = normal_axis(a, axis), extent = a.shape(at);
  std::vector<int64_t> ends;
  if (is_list) {
    ends = {0};
    for (const int64_t p : *parts) ends.push_back(std::clamp<int64_t>(p < 0 ? p + extent : p, 0, extent));
    ends.push_back(extent);
  } else {
    ends = borders(function, parts, extent, must_be_equal);
  }
  std::vector<Array> out;
  for (size_t i = 0; i + 1 < ends.size(); ++i) out.push_back(slice(a, ends[i], std::max(ends[i], ends[i + 1]), 1, at));
  return out;
}

}  // namespace

int64_t normal_axis(const Array& x, int64_t axis) {
  const int64_t normal = axis < 0 ? axis + x.ndim() : axis;
  if (normal < 0 || normal >= x.ndim()) {
    or_throw(invalid_argument(at_user_line("axis") + ": " + std::to_string(axis) + " is out of range for " +
                              x.aval_shape().to_string()));
  }
  return normal;
}

std::vector<int64_t> normal_axes(const Array& x, const Axes& axes) {
  if (!axes) return ops::all_dimensions(x.ndim());
  std::vector<int64_t> normal;
  for (int64_t a : *axes) normal.push_back(normal_axis(x, a));
  std::ranges::sort(normal);
  if (std::ranges::adjacent_find(normal) != normal.end()) {
    or_throw(invalid_argument(at_user_line("axes") + ": duplicate axis in " + dimensions_to_string(*axes)));
  }
  return normal;
}

Array reshape(const Operand& x, const Shape& shape, const OrderOptions& options) {
  const UserLocation here(x.location());
  const std::string_view order = options.order;
  if (order != "C" && order != "F")
    or_throw(invalid_argument(at_user_line("reshape") + ": order is C or F; got \"" + std::string(order) + "\""));
  if (order == "F") {  // equivalent to C order with the axes reversed
    const Shape backwards(shape.rbegin(), shape.rend());
    return transpose(reshape(transpose(x), backwards));
  }
  Shape dims = shape;
  if (const auto unknown = std::ranges::find(dims, -1); unknown != dims.end()) {
    *unknown = 1;
    if (std::ranges::find(dims, -1) != dims.end())
      or_throw(invalid_argument(at_user_line("reshape") + ": only one extent may be -1; got " +
                                dimensions_to_string(shape)));
    const int64_t known = shape_of(x.array().dtype(), dims).element_count();
    if (known == 0 || x.array().size() % known != 0)
      or_throw(invalid_argument(at_user_line("reshape") + ": " + x.array().aval_shape().to_string() + " can't become " +
                                dimensions_to_string(shape) + ": no extent fits for -1"));
    *unknown = x.array().size() / known;
  }
  return with_weak_type(ops::reshape(x.array(), dims), x.array().weak_type());
}

Array ravel(const Operand& x, const OrderOptions& options) { return reshape(x, {-1}, options); }

Array squeeze(const Operand& x, const Axes& axis) {
  const UserLocation here(x.location());
  std::vector<int64_t> removed;
  for (int64_t a : normal_axes(x.array(), axis)) {
    if (x.array().shape(a) == 1) removed.push_back(a);
    else if (axis)
      or_throw(invalid_argument(at_user_line("squeeze") + ": axis " + std::to_string(a) + " of " +
                                x.array().aval_shape().to_string() + " isn't 1"));
  }
  return ops::reshape(x.array(), ops::without_dimensions(x.array().shape(), removed));
}

Array expand_dims(const Operand& x, const Axes& axis) {
  const UserLocation here(x.location());
  if (!axis) or_throw(invalid_argument(at_user_line("expand_dims") + ": wanted an axis"));
  const int64_t rank = x.array().ndim() + static_cast<int64_t>((*axis).size());
  std::vector<int64_t> added = ordered_axes("expand_dims", axis, rank);
  std::ranges::sort(added);
  Shape dims(x.array().shape());
  for (const int64_t a : added) dims.insert(dims.begin() + a, 1);
  return ops::reshape(x.array(), dims);
}

Array broadcast_to(const Operand& x, const Shape& shape) {
  const UserLocation here(x.location());
  return spread_to(x.array(), shape);
}

Shape broadcast_shapes(std::initializer_list<Shape> shapes) {
  std::vector<int64_t> common;
  for (const Shape& s : shapes)
    common = broadcast_shapes(std::span<const int64_t>(common), std::span<const int64_t>(s));
  return common;
}

std::vector<Array> broadcast_arrays(const std::vector<Array>& args, Line line) {
  const UserLocation here(line);
  std::vector<int64_t> common;
  for (const Array& a : args) common = broadcast_shapes(std::span<const int64_t>(common), a.shape());
  return each(args, [&](const Array& a) { return spread_to(a, common); });
}

Array atleast_1d(const Operand& x) { return x.array().ndim() >= 1 ? x.array() : reshape(x, {1}); }
Array atleast_2d(const Operand& x) {
  if (x.array().ndim() >= 2) return x.array();
  return reshape(x, {1, x.array().size()});
}
Array atleast_3d(const Operand& x) {
  const Array& a = x.array();
  if (a.ndim() >= 3) return a;
  return a.ndim() == 2 ? reshape(x, {a.shape(0), a.shape(1), 1}) : reshape(x, {1, a.size(), 1});
}

Array resize(const Operand& a, const Shape& new_shape) {
  const UserLocation here(a.location());
  const int64_t count = shape_of(a.array().dtype(), new_shape).element_count(), have = a.array().size();
  const Array flat = ravel(a);
  if (have == 0 || count == 0) return zeros(new_shape, a.array().dtype());
  const int64_t times = (count + have - 1) / have;
  return reshape(slice(times == 1 ? flat : tile(flat, times), 0, count), new_shape);
}

Array transpose(const Operand& x, const Axes& axes) {
  const UserLocation here(x.location());
  std::vector<int64_t> permutation;
  if (axes) {
    for (int64_t a : *axes) permutation.push_back(normal_axis(x.array(), a));
    std::vector<int64_t> sorted = permutation;
    std::ranges::sort(sorted);
    if (sorted != ops::all_dimensions(x.array().ndim())) {
      or_throw(invalid_argument(at_user_line("transpose") + ": the axes must be a permutation of all axes; got " +
                                dimensions_to_string(*axes) + " for " + x.array().aval_shape().to_string()));
    }
  } else {
    permutation = ops::all_dimensions(x.array().ndim());
    std::ranges::reverse(permutation);
  }
  return ops::transpose(x.array(), permutation);
}

Array permute_dims(const Operand& x, const Axes& axes) { return transpose(x, axes); }
Array matrix_transpose(const Operand& x) {
  const UserLocation here(x.location());
  if (x.array().ndim() < 2)
    or_throw(invalid_argument(at_user_line("matrix_transpose") + ": wanted two dimensions or more; got " +
                              x.array().aval_shape().to_string()));
  return swapaxes(x, -1, -2);
}

Array swapaxes(const Operand& a, int64_t axis1, int64_t axis2) {
  const UserLocation here(a.location());
  std::vector<int64_t> order = ops::all_dimensions(a.array().ndim());
  std::swap(order[normal_axis(a, axis1)], order[normal_axis(a, axis2)]);
  return ops::transpose(a.array(), order);
}

Array moveaxis(const Operand& a, const Axes& source, const Axes& destination) {
  const UserLocation here(a.location());
  const int64_t rank = a.array().ndim();
  const std::vector<int64_t> from = ordered_axes("moveaxis", source, rank);
  const std::vector<int64_t> to = ordered_axes("moveaxis", destination, rank);
  if (from.size() != to.size())
    or_throw(invalid_argument(at_user_line("moveaxis") + ": inconsistent number of elements: " +
                              std::to_string(from.size()) + " and " + std::to_string(to.size())));
  std::vector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d)
    if (std::ranges::find(from, d) == from.end()) order.push_back(d);
  std::vector<std::pair<int64_t, int64_t>> moves;
  for (size_t i = 0; i < from.size(); ++i) moves.emplace_back(to[i], from[i]);
  std::ranges::sort(moves);
  for (const auto& [at, axis] : moves) order.insert(order.begin() + at, axis);
  return ops::transpose(a.array(), order);
}

Array rollaxis(const Operand& a, int64_t axis, int64_t start) {
  const UserLocation here(a.location());
  const int64_t rank = a.array().ndim(), from = normal_axis(a, axis);
  if (start < -rank || start > rank)
    or_throw(invalid_argument(at_user_line("rollaxis") + ": start " + std::to_string(start) + " is out of range for " +
                              a.array().aval_shape().to_string()));
  int64_t to = start < 0 ? start + rank : start;
  if (from < to) --to;
  return moveaxis(a, from, to);
}

Array flip(const Operand& x, const Axes& axis) {
  const UserLocation here(x.location());
  return ops::reverse(x.array(), normal_axes(x.array(), axis));
}
Array fliplr(const Operand& x) { return flip(x, 1); }
Array flipud(const Operand& x) { return flip(x, 0); }

Array rot90(const Operand& m, int64_t k, std::pair<int64_t, int64_t> axes) {
  const UserLocation here(m.location());
  const int64_t a = normal_axis(m, axes.first), b = normal_axis(m, axes.second);
  if (a == b) or_throw(invalid_argument(at_user_line("rot90") + ": axes must be different"));
  switch (((k % 4) + 4) % 4) {
    case 0: return m.array();
    case 1: return swapaxes(flip(m, b), a, b);
    case 2: return flip(m, {a, b});
    default: return flip(swapaxes(m, a, b), b);
  }
}

Array roll(const Operand& a, const Axes& shift, const Axes& axis) {
  const UserLocation here(a.location());
  if (!shift) or_throw(invalid_argument(at_user_line("roll") + ": wanted a shift"));
  if (!axis) {
    int64_t total = 0;
    for (const int64_t s : *shift) total += s;
    return reshape(roll(ravel(a), total, 0), Shape(a.array().shape()));
  }
  const std::vector<int64_t>&shifts = *shift, &axes = *axis;
  if (shifts.size() != axes.size() && shifts.size() != 1 && axes.size() != 1)
    or_throw(invalid_argument(at_user_line("roll") + ": shift and axis don't broadcast"));
  Array out = a.array();
  for (size_t i = 0; i < std::max(shifts.size(), axes.size()); ++i) {
    const int64_t at = normal_axis(out, axes[axes.size() == 1 ? 0 : i]), extent = out.shape(at);
    if (extent == 0) continue;
    const int64_t by = ((shifts[shifts.size() == 1 ? 0 : i] % extent) + extent) % extent;
    if (by == 0) continue;
    out = concatenate({slice(out, extent - by, extent, 1, at), slice(out, 0, extent - by, 1, at)}, at);
  }
  return out;
}

Array detail::roll(const Operand& a, const Array& shift, const Axes& axis) {
  const UserLocation here(a.location());
  if (!axis) return reshape(detail::roll(ravel(a), sum(shift), 0), Shape(a.array().shape()));
  const std::vector<Array> shifts =
      broadcast_arrays(ravel(shift), zeros({static_cast<int64_t>((*axis).size())}, int32));
  Array out = a.array();
  for (size_t i = 0; i < static_cast<size_t>(shifts[0].size()); ++i) {
    const int64_t at = normal_axis(out, (*axis)[(*axis).size() == 1 ? 0 : i]), extent = out.shape(at);
    if (extent == 0) continue;
    const Array positions = remainder(arange(extent, int32) - shifts[0][i], extent);
    out = take(out, positions, {.axis = at, .mode = "promise_in_bounds"});
  }
  return out;
}

Array slice(const Operand& x, int64_t start, int64_t stop, int64_t step, int64_t axis) {
  const UserLocation here(x.location());
  if (step < 1)
    or_throw(invalid_argument(at_user_line("slice") + ": step must be positive; got " + std::to_string(step)));
  const int64_t at = normal_axis(x.array(), axis);
  const int64_t extent = x.array().shape(at);
  const auto position = [&](int64_t p) { return std::clamp<int64_t>(p < 0 ? p + extent : p, 0, extent); };
  return ops::slice_along(x, at, {position(start), std::max(position(start), position(stop)), step});
}

Arrays::Arrays(const Array& array, std::source_location line) : arrays_(unstack(Operand(array, line))) {}

Array concatenate(const Arrays& list, const ConcatenateOptions& options, Line line) {
  const UserLocation here(line);
  const std::vector<Array>& arrays = list.list();
  if (!options.axis)
    return joined("concatenate", each(arrays, [](const Array& a) { return ravel(a); }), 0, options.dtype);
  return joined("concatenate", arrays, arrays.empty() ? 0 : normal_axis(arrays[0], *options.axis), options.dtype);
}
Array concat(const Arrays& arrays, const ConcatOptions& options, Line line) {
  return concatenate(arrays, ConcatenateOptions{.axis = options.axis}, line);
}

Array stack(const Arrays& list, const StackOptions& options, Line line) {
  const UserLocation here(line);
  const std::vector<Array>& arrays = list.list();
  if (arrays.empty()) or_throw(invalid_argument(at_user_line("stack") + ": need at least one array"));
  for (const Array& a : arrays) {
    if (std::ranges::equal(a.shape(), arrays[0].shape())) continue;
    or_throw(invalid_argument(at_user_line("stack") + ": all arrays must have one shape; got " +
                              arrays[0].aval_shape().to_string() + " and " + a.aval_shape().to_string()));
  }
  const std::vector<Array> expanded = each(arrays, [&](const Array& a) { return expand_dims(a, options.axis); });
  return joined("stack", expanded, normal_axis(expanded[0], options.axis), options.dtype);
}

std::vector<Array> unstack(const Operand& x, const UnstackOptions& options) {
  const UserLocation here(x.location());
  const int64_t axis = options.axis;
  if (x.array().ndim() == 0) or_throw(invalid_argument(at_user_line("unstack") + ": a scalar has no slices"));
  const int64_t at = normal_axis(x, axis);
  std::vector<Array> out;
  for (int64_t i = 0; i < x.array().shape(at); ++i) out.push_back(squeeze(slice(x, i, i + 1, 1, at), at));
  return out;
}

Array hstack(const Arrays& tup, const DtypeOptions& options, Line line) {
  const UserLocation here(line);
  const std::vector<Array> arrays = each(tup.list(), [](const Array& a) { return atleast_1d(a); });
  return joined("hstack", arrays, !arrays.empty() && arrays[0].ndim() == 1 ? 0 : 1, options.dtype);
}
Array vstack(const Arrays& tup, const DtypeOptions& options, Line line) {
  const UserLocation here(line);
  return joined("vstack", each(tup.list(), [](const Array& a) { return atleast_2d(a); }), 0, options.dtype);
}
Array dstack(const Arrays& tup, const DtypeOptions& options, Line line) {
  const UserLocation here(line);
  return joined("dstack", each(tup.list(), [](const Array& a) { return atleast_3d(a); }), 2, options.dtype);
}
Array column_stack(const Arrays& list, Line line) {
  const UserLocation here(line);
  const std::vector<Array>& tup = list.list();
  const auto column = [](const Array& a) { return a.ndim() < 2 ? reshape(a, {-1, 1}) : a; };
  return joined("column_stack", each(tup, column), 1, std::nullopt);
}

Array block(const std::vector<Array>& row, Line line) {
  const UserLocation here(line);
  int64_t rank = 1;
  for (const Array& a : row) rank = std::max(rank, a.ndim());
  const auto padded = [&](const Array& a) { return ops::reshape(a, with_rank(a.shape(), static_cast<size_t>(rank))); };
  return joined("block", each(row, padded), rank - 1, std::nullopt);
}
Array block(const std::vector<std::vector<Array>>& rows, Line line) {
  const UserLocation here(line);
  std::vector<Array> joined_rows;
  for (const std::vector<Array>& row : rows) joined_rows.push_back(atleast_2d(block(row)));
  return joined("block", joined_rows, joined_rows.empty() ? 0 : joined_rows[0].ndim() - 2, std::nullopt);
}

Array append(const Operand& arr, const Operand& values, std::optional<int64_t> axis) {
  const UserLocation here(arr.location());
  return concatenate({arr.array(), values.array()}, axis);
}

std::vector<Array> split(const Operand& ary, const Axes& indices_or_sections, int64_t axis) {
  return split_into("split", ary, indices_or_sections, axis, indices_or_sections.is_list(), true);
}
std::vector<Array> array_split(const Operand& ary, const Axes& indices_or_sections, int64_t axis) {
  return split_into("array_split", ary, indices_or_sections, axis, indices_or_sections.is_list(), false);
}
std::vector<Array> hsplit(const Operand& ary, const Axes& indices_or_sections) {
  return split(ary, indices_or_sections, ary.array().ndim() == 1 ? 0 : 1);
}
std::vector<Array> vsplit(const Operand& ary, const Axes& indices_or_sections) {
  return split(ary, indices_or_sections, 0);
}
std::vector<Array> dsplit(const Operand& ary, const Axes& indices_or_sections) {
  return split(ary, indices_or_sections, 2);
}

}  // namespace hilo::numpy
