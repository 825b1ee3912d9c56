// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/sets.h"

#include <algorithm>

#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/grad.h"

namespace hilo::numpy {
namespace {

/// Slices in ascending order, their original positions, and whether each differs from the previous one.
struct Ordered {
  Array slices, order, is_first;
};

Array differs(const Array& a, const Array& b, bool equal_nan) {
  const Array other = ops::ne(a, b);
  return equal_nan && !(a.dtype() == ElementType::kPred) ? other & ~(isnan(a) & isnan(b)) : other;
}

/// Sorts the slices of `x` along axis 0.
Ordered ordered(const Array& x, bool equal_nan) {
  const int64_t n = x.shape(0);
  if (n == 0) return {x, zeros({0}, default_integer()), zeros({0}, bool_)};
  const Array rows = reshape(x, {n, -1});
  std::vector<Array> keys;
  for (int64_t c = rows.shape(1) - 1; c >= 0; --c) keys.push_back(rows(hilo::all, c));
  const Array order = keys.empty() ? arange(n) : lexsort(keys);
  const Array sorted = take(rows, order, {.axis = 0, .mode = "promise_in_bounds"});
  const Array changed = any(differs(slice(sorted, 1, n), slice(sorted, 0, n - 1), equal_nan), 1);
  return {reshape(sorted, Shape(x.shape())), order, concatenate({ones({1}, bool_), changed})};
}

/// Returns the number of distinct slices, which must be known unless there is a size.
int64_t count_of(const Ordered& o, const std::optional<int64_t>& size) {
  return size ? *size : count_nonzero(o.is_first).item<int64_t>();
}

/// Returns the elements of a vector where a mask is true, padded or truncated as `options` specify.
Array picked(const Array& x, const Array& mask, const SizeOptions& options, const std::optional<Array>& otherwise) {
  return compress(mask, x, {.size = options.size, .fill_value = options.fill_value ? options.fill_value : otherwise});
}

/// Returns the result if there are no elements to select.
Array filled(ElementType type, const SizeOptions& options) {
  return full({options.size.value_or(0)}, options.fill_value ? *options.fill_value : Array(0), type);
}

std::optional<Array> least_of(const Array& x) {
  return x.size() == 0 ? std::optional<Array>() : std::optional<Array>(min(x));
}

std::pair<Array, Array> promote_flat(const Array& x, const Array& y) {
  const ElementType type = promote_types(x.aval(), y.aval()).shape.element_type();
  return {ops::convert_element_type(x, type), ops::convert_element_type(y, type)};
}

std::pair<Array, Array> flat_pair(const Operand& x, const Operand& y) { return promote_flat(ravel(x), ravel(y)); }

}  // namespace

UniqueAll unique_all(const Operand& operand, const UniqueOptions& options) {
  const UserLocation here(operand.location());
  // As in JAX, the values have no derivative if they determine the shape of the result.
  Array x = options.size ? operand.array() : stop_gradient(operand);
  if (is_complex(x.dtype()) && options.equal_nan) x = where(isnan(x), nan, x);  // all NaNs become nan + 0i
  const Array moved = options.axis ? moveaxis(x, normal_axis(x, *options.axis), 0) : ravel(x);
  const Ordered o = ordered(moved, options.equal_nan);
  const int64_t n = moved.shape(0), count = count_of(o, options.size);
  const ElementType index = default_integer();
  const Array borders = flatnonzero(o.is_first, {.size = count + 1, .fill_value = Array(static_cast<int>(n))});
  const Array begins = slice(borders, 0, count);
  const Array safe = minimum(begins, static_cast<int>(std::max<int64_t>(n - 1, 0)));
  const Array filled = begins >= static_cast<int>(n);
  Array values = n == 0 ? zeros(
                              [&] {
                                Shape dims(moved.shape());
                                dims[0] = count;
                                return dims;
                              }(),
                              moved.dtype())
                        : take(o.slices, safe, {.axis = 0, .mode = "promise_in_bounds"});
  if (options.size && n != 0) {
    const Array fill = options.fill_value ? *options.fill_value : slice(values, 0, 1);
    Shape thin(std::vector<int64_t>(values.shape().size(), 1));
    thin[0] = count;
    values = where(reshape(filled, thin), ops::convert_element_type(fill, values.dtype()), values);
  }
  UniqueAll out;
  out.values = options.axis ? moveaxis(values, 0, normal_axis(x, *options.axis)) : values;
  const Array order = ops::convert_element_type(o.order, index);
  out.indices = n == 0 ? zeros({count}, index) : take(order, where(filled, safe[0], safe), {.axis = 0});
  if (options.size && n != 0) out.indices = where(filled, out.indices[0], out.indices);
  const Array rank = cumsum(o.is_first, {.dtype = index}) - 1;
  Array inverse = at(zeros({n}, index), order).set(rank);
  if (!options.axis) inverse = reshape(inverse, Shape(x.shape()));
  out.inverse_indices = inverse;
  out.counts = ops::convert_element_type(diff(borders), index);
  return out;
}

namespace {
/// Returns `out` as weakly typed if x is, and is not complex: as in JAX.
Array weak_as(const Array& out, const Array& x) { return with_weak_type(out, x.weak_type() && !is_complex(x.dtype())); }
}  // namespace

Array unique(const Operand& ar, const UniqueOptions& options) {
  return weak_as(unique_all(ar, options).values, ar.array());
}
Array unique_values(const Operand& x, const UniqueOptions& options) { return unique(x, options); }
std::pair<Array, Array> unique_counts(const Operand& x, const UniqueOptions& options) {
  const UniqueAll all_of = unique_all(x, options);
  return {all_of.values, all_of.counts};
}
std::pair<Array, Array> unique_inverse(const Operand& x, const UniqueOptions& options) {
  const UniqueAll all_of = unique_all(x, options);
  return {all_of.values, all_of.inverse_indices};
}

Array isin(const Operand& element, const Operand& test_elements, const IsinOptions& options) {
  const UserLocation here(element.location());
  const auto [x, y] = promote_flat(ravel(element), ravel(test_elements));
  Array found = zeros({x.size()}, bool_);
  if (x.size() != 0 && y.size() != 0) {
    const Array sorted = sort(y);
    const Array place = minimum(searchsorted(sorted, x), static_cast<int>(y.size()) - 1);
    found = ops::eq(take(sorted, place, {.axis = 0, .mode = "promise_in_bounds"}), x);
  }
  return reshape(options.invert ? ops::bitwise_not(found) : found, Shape(element.array().shape()));
}

Array union1d(const Operand& ar1, const Operand& ar2, const SizeOptions& options) {
  const UserLocation here(ar1.location());
  const auto [x, y] = flat_pair(ar1, ar2);
  const Array out = unique(concatenate({x, y}), {.size = options.size, .fill_value = options.fill_value});
  return with_weak_type(out, ar1.array().weak_type() && ar2.array().weak_type() && !is_complex(out.dtype()));
}

Array intersect1d(const Operand& ar1, const Operand& ar2, const IntersectOptions& options) {
  const UserLocation here(ar1.location());
  const auto [x, y] = flat_pair(ar1, ar2);
  const Ordered o = ordered(x, true);
  const Array mask = o.is_first & isin(o.slices, y);
  // Without a fill value, the fill is the smallest element of the intersection, which comes first.
  const Array least = x.size() == 0 ? Array(0) : where(any(mask), o.slices[argmax(mask)], 0);
  return picked(o.slices, mask, {.size = options.size, .fill_value = options.fill_value}, least);
}

Intersection intersect1d_with_indices(const Operand& ar1, const Operand& ar2, const IntersectOptions& options) {
  const UserLocation here(ar1.location());
  const auto [x, y] = flat_pair(ar1, ar2);
  const Ordered first = ordered(x, true), second = ordered(y, true);
  const auto places = [&](const Ordered& o, const Array& other) {
    const Array missing = Array(static_cast<int>(o.slices.size()));
    return picked(o.order, o.is_first & isin(o.slices, other), {.size = options.size}, missing);
  };
  return {intersect1d(ar1, ar2, options), places(first, y), places(second, x)};
}

Array setdiff1d(const Operand& ar1, const Operand& ar2, const SetOptions& options) {
  const UserLocation here(ar1.location());
  const auto [x, y] = flat_pair(ar1, ar2);
  const SizeOptions size = {.size = options.size, .fill_value = options.fill_value};
  if (x.size() == 0) return filled(ar1.array().dtype(), size);
  const Ordered o = ordered(x, true);
  const Array mask =
      options.assume_unique ? isin(x, y, {.invert = true}) : o.is_first & isin(o.slices, y, {.invert = true});
  const Array out = picked(options.assume_unique ? x : o.slices, mask, size, Array(0));
  return weak_as(ops::convert_element_type(out, ar1.array().dtype()), ar1.array());
}

Array setxor1d(const Operand& ar1, const Operand& ar2, const SetOptions& options) {
  const UserLocation here(ar1.location());
  const auto [x, y] = flat_pair(ar1, ar2);
  const SizeOptions size = {.size = options.size, .fill_value = options.fill_value};
  const Array together = concatenate({x, y});
  if (together.size() == 0) return filled(together.dtype(), size);
  if (options.assume_unique) {  // elements that appear once in the concatenation
    const Ordered o = ordered(together, true);
    const Array next = concatenate({slice(o.is_first, 1, together.size()), ones({1}, bool_)});
    return picked(o.slices, o.is_first & next, size, least_of(o.slices));
  }
  const Array in_both = concatenate({isin(x, y), isin(y, x)});
  const Ordered o = ordered(together, true);
  const Array is_one = ~take(in_both, o.order, {.axis = 0});
  return picked(o.slices, o.is_first & is_one, size, least_of(o.slices));
}

}  // namespace hilo::numpy
