// SPDX-License-Identifier: Apache-2.0
// numpy/shape.cc -- creation, and functions that rearrange.
#include <algorithm>

#include "hilo/numpy/axes.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

hilo::Shape shape_of(ElementType type, const Shape& shape) {
  StatusOr<hilo::Shape> made = hilo::Shape::make_array(type, shape);
  if (!made.ok()) or_throw(made.status().with_context(at_user_line("shape")));
  return *made;
}

/// `values` in the type that was asked for.
Array from_doubles(const std::vector<double>& values, const Shape& shape, const Dtype& type) {
  const ElementType wanted = type_or("array", type, default_float());
  return ops::convert_element_type(Array::from_vector(values, shape), wanted);
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

Array zeros(const Shape& shape, Dtype type, Line line) {
  const UserLocation here(line);
  return ops::full(shape_of(type_or("zeros", type, default_float()), shape), 0);
}
Array ones(const Shape& shape, Dtype type, Line line) {
  const UserLocation here(line);
  return ops::full(shape_of(type_or("ones", type, default_float()), shape), 1);
}
Array full(const Shape& shape, const Operand& value) {
  const UserLocation here(value.location());
  return spread_to(with_weak_type(value.array(), false), shape);
}
Array full(const Shape& shape, const Operand& value, ElementType type) {
  const UserLocation here(value.location());
  return spread_to(ops::convert_element_type(value.array(), requested_type("full", type)), shape);
}
Array zeros_like(const Operand& x) {
  const UserLocation here(x.location());
  return ops::full_like(x.array(), 0);
}
Array ones_like(const Operand& x) {
  const UserLocation here(x.location());
  return ops::full_like(x.array(), 1);
}
Array arange(int64_t n, Dtype type, Line line) {
  const UserLocation here(line);
  const ElementType wanted = type_or("arange", type, default_integer());
  if (wanted == ElementType::kPred)
    or_throw(invalid_argument(at_user_line("arange") + ": wanted a type of numbers; got pred"));
  return ops::iota(shape_of(wanted, {std::max<int64_t>(n, 0)}), 0);
}

Array linspace(double start, double stop, int64_t count, Dtype type, Line line) {
  const UserLocation here(line);
  if (count < 0)
    or_throw(invalid_argument(at_user_line("linspace") + ": the number of samples must not be negative; got " +
                              std::to_string(count)));
  const ElementType wanted = type_or("linspace", type, default_float());
  const ElementType computed = is_floating(wanted) || is_complex(wanted) ? wanted : default_float();
  const auto in_type = [&](const Array& points) {
    return ops::convert_element_type(is_integer(wanted) ? ops::floor(points) : points, wanted);
  };
  if (count < 2) return in_type(ops::full(shape_of(computed, {count}), start));
  const hilo::Shape steps = shape_of(real_type_of(computed), {count - 1});
  const Array share = ops::div(ops::iota(steps, 0), ops::full(steps, static_cast<double>(count - 1)));
  const Array t = ops::convert_element_type(share, computed);
  const Array before_last = ops::add(ops::mul(ops::full_like(t, start), ops::sub(ops::full_like(t, 1), t)),
                                     ops::mul(ops::full_like(t, stop), t));
  // The last point is `stop` itself, also if `start` is infinite.
  return in_type(ops::concatenate(std::vector<Array>{before_last, ops::full(shape_of(computed, {1}), stop)}, 0));
}

Array eye(int64_t n, Dtype type, Line line) {
  const UserLocation here(line);
  const ElementType wanted = type_or("eye", type, default_float());
  const hilo::Shape square = shape_of(ElementType::kS32, {n, n});
  return ops::convert_element_type(ops::eq(ops::iota(square, 0), ops::iota(square, 1)), wanted);
}

Array array(std::initializer_list<double> values, Dtype type, Line line) {
  const UserLocation here(line);
  return from_doubles(values, {static_cast<int64_t>(values.size())}, type);
}

Array array(std::initializer_list<std::initializer_list<double>> rows, Dtype type, Line line) {
  const UserLocation here(line);
  std::vector<double> values;
  for (const auto& row : rows) {
    if (row.size() != rows.begin()->size())
      or_throw(invalid_argument(at_user_line("array") + ": rows have different lengths"));
    values.insert(values.end(), row.begin(), row.end());
  }
  const int64_t columns = rows.size() == 0 ? 0 : static_cast<int64_t>(rows.begin()->size());
  return from_doubles(values, {static_cast<int64_t>(rows.size()), columns}, type);
}

Array reshape(const Operand& x, const Shape& shape) {
  const UserLocation here(x.location());
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
  return ops::reshape(x.array(), dims);
}

Array ravel(const Operand& x) { return reshape(x, {-1}); }

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

Array expand_dims(const Operand& x, int64_t axis) {
  const UserLocation here(x.location());
  const int64_t rank = x.array().ndim() + 1;
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank)
    or_throw(invalid_argument(at_user_line("expand_dims") + ": axis " + std::to_string(axis) + " is out of range"));
  Shape dims(x.array().shape().begin(), x.array().shape().end());
  dims.insert(dims.begin() + at, 1);
  return ops::reshape(x.array(), dims);
}

Array squeeze(const Operand& x, const Axes& axes) {
  const UserLocation here(x.location());
  std::vector<int64_t> removed;
  for (int64_t a : normal_axes(x.array(), axes)) {
    if (x.array().shape(a) == 1) removed.push_back(a);
    else if (axes)
      or_throw(invalid_argument(at_user_line("squeeze") + ": axis " + std::to_string(a) + " of " +
                                x.array().aval_shape().to_string() + " isn't 1"));
  }
  return ops::reshape(x.array(), ops::without_dimensions(x.array().shape(), removed));
}

Array broadcast_to(const Operand& x, const Shape& shape) {
  const UserLocation here(x.location());
  return spread_to(x.array(), shape);
}

Array concatenate(const std::vector<Array>& arrays, int64_t axis, Line line) {
  const UserLocation here(line);
  if (arrays.empty()) or_throw(invalid_argument(at_user_line("concatenate") + ": need at least one array"));
  Aval type = arrays[0].aval();
  for (const Array& a : arrays) type = promote_types(type, a.aval());
  std::vector<Array> same;
  for (const Array& a : arrays) same.push_back(ops::convert_element_type(a, type.shape.element_type()));
  return ops::concatenate(same, normal_axis(arrays[0], axis));
}

Array stack(const std::vector<Array>& arrays, int64_t axis, Line line) {
  const UserLocation here(line);
  if (arrays.empty()) or_throw(invalid_argument(at_user_line("stack") + ": need at least one array"));
  for (const Array& a : arrays) {
    if (std::ranges::equal(a.shape(), arrays[0].shape())) continue;
    or_throw(invalid_argument(at_user_line("stack") + ": all arrays must have one shape; got " +
                              arrays[0].aval_shape().to_string() + " and " + a.aval_shape().to_string()));
  }
  std::vector<Array> expanded;
  for (const Array& a : arrays) expanded.push_back(expand_dims(a, axis));
  return concatenate(expanded, axis);
}

Array flip(const Operand& x, const Axes& axes) {
  const UserLocation here(x.location());
  return ops::reverse(x.array(), normal_axes(x.array(), axes));
}

Array slice(const Operand& x, int64_t start, int64_t stop, int64_t step, int64_t axis) {
  const UserLocation here(x.location());
  if (step < 1)
    or_throw(invalid_argument(at_user_line("slice") + ": step must be positive; got " + std::to_string(step)));
  const int64_t at = normal_axis(x.array(), axis);
  const int64_t extent = x.array().shape(at);
  const auto position = [&](int64_t p) { return std::clamp<int64_t>(p < 0 ? p + extent : p, 0, extent); };
  std::vector<hlo::SliceRange> ranges;
  for (int64_t d : x.array().shape()) ranges.push_back({0, d, 1});
  ranges[static_cast<size_t>(at)] = {position(start), std::max(position(start), position(stop)), step};
  return ops::slice(x.array(), ranges);
}

Array astype(const Operand& x, ElementType type) {
  const UserLocation here(x.location());
  return ops::convert_element_type(x.array(), requested_type("astype", type));
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

}  // namespace hilo::numpy
