// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/sorting.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "hilo/lax/sorting.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

std::vector<Array> sort_together(const std::vector<Array>& arrays, int64_t axis) {
  return lax::sort(arrays, {.dimension = axis});
}

/// Returns the positions 0, 1, ... along an axis.
Array positions_of(const Array& a, int64_t axis) {
  return ops::iota(a.aval_shape().with_element_type(default_integer()), axis);
}

/// Returns positions in ascending order of the last key, ties by the previous keys.
Array order_of(const std::vector<Array>& keys, int64_t axis) {
  Array order = positions_of(keys[0], axis);
  for (const Array& key : keys) {
    // A stable sort by a more important key preserves the order by the lesser keys.
    const Array arranged = take_along_axis(key, order, axis, "promise_in_bounds");
    order = sort_together({arranged, order}, axis)[1];
  }
  return order;
}

/// Returns the sort keys of one array: two for complex numbers.
std::vector<Array> keys_of(const Array& a) {
  if (is_complex(a.dtype())) return {ops::imag(a), ops::real(a)};
  if (a.dtype() == ElementType::kPred) return {ops::convert_element_type(a, ElementType::kU8)};
  return {a};
}

Array flattened(const Operand& a, std::optional<int64_t> axis) { return axis ? a.array() : ravel(a); }

int64_t checked_axis(const char* function, const Array& a, int64_t axis) {
  if (a.ndim() == 0) or_throw(invalid_argument(at_user_line(function) + ": a scalar has no axis to sort along"));
  return normal_axis(a, axis);
}

int64_t checked_kth(const char* function, int64_t kth, int64_t extent) {
  const int64_t k = kth < 0 ? kth + extent : kth;
  if (k < 0 || k >= extent)
    or_throw(invalid_argument(at_user_line(function) + ": kth " + std::to_string(kth) + " is out of range for " +
                              std::to_string(extent) + " elements"));
  return k;
}

/// Returns the first k + 1 elements in ascending order and the others in descending order, as jax.numpy does.
Array partitioned(const Array& sorted, int64_t k, int64_t axis) {
  const int64_t n = sorted.shape(axis);
  return concatenate({slice(sorted, 0, k + 1, 1, axis), flip(slice(sorted, k + 1, n, 1, axis), axis)}, axis);
}

/// Compares x < y, with NaN greater than all numbers.
Array before(const Array& x, const Array& y) {
  if (!is_floating(x.dtype())) return less(x, y);
  return ops::bitwise_or(ops::lt(x, y), ops::bitwise_and(isnan(y), ops::bitwise_not(isnan(x))));
}

}  // namespace

Array sort(const Operand& a, const SortOptions& options) {
  const UserLocation here(a.location());
  const Array x = flattened(a, options.axis);
  const int64_t at = checked_axis("sort", x, options.axis.value_or(0));
  if (is_complex(x.dtype()) || x.dtype() == ElementType::kPred) {
    const Array order = order_of(keys_of(x), at);
    const Array sorted = take_along_axis(x, order, at, "promise_in_bounds");
    return options.descending ? flip(sorted, at) : sorted;
  }
  const Array sorted = sort_together({x}, at)[0];
  return options.descending ? flip(sorted, at) : sorted;
}

Array argsort(const Operand& a, const ArgsortOptions& options) {
  const UserLocation here(a.location());
  if (options.dtype) {
    const ElementType type = requested_type("argsort", *options.dtype);
    return astype(argsort(a, {.axis = options.axis, .stable = options.stable, .descending = options.descending}), type);
  }
  const Array x = flattened(a, options.axis);
  const int64_t at = checked_axis("argsort", x, options.axis.value_or(0));
  if (!options.descending) {
    return is_complex(x.dtype()) || x.dtype() == ElementType::kPred ? order_of(keys_of(x), at)
                                                                    : sort_together({x, positions_of(x, at)}, at)[1];
  }
  if (!options.stable) return flip(argsort(a, {.axis = options.axis}), at);  // as in JAX
  // To keep the order of equal elements, sorts the flipped array and flips the positions back.
  const Array order = argsort(flip(x, at), {.axis = at});
  return ops::sub(ops::full_like(order, static_cast<double>(x.shape(at) - 1)), flip(order, at));
}

Array lexsort(const Arrays& list, int64_t axis, Line line) {
  const UserLocation here(line);
  const std::vector<Array>& keys = list.list();
  if (keys.empty()) or_throw(invalid_argument(at_user_line("lexsort") + ": need sequence of keys with len > 0"));
  std::vector<Array> flat;
  for (const Array& key : keys) {
    if (!std::ranges::equal(key.shape(), keys[0].shape()))
      or_throw(invalid_argument(at_user_line("lexsort") + ": all keys need to be the same shape; got " +
                                keys[0].aval_shape().to_string() + " and " + key.aval_shape().to_string()));
    for (const Array& part : keys_of(key)) flat.push_back(part);
  }
  if (keys[0].ndim() == 0) return ops::scalar(0, default_integer());
  return order_of(flat, normal_axis(keys[0], axis));
}

Array partition(const Operand& a, int64_t kth, int64_t axis) {
  const UserLocation here(a.location());
  const int64_t at = checked_axis("partition", a, axis);
  if (is_complex(a.array().dtype()))
    or_throw(unimplemented(at_user_line("partition") + ": complex numbers are not implemented, as in JAX"));
  return partitioned(sort(a, at), checked_kth("partition", kth, a.array().shape(at)), at);
}
Array argpartition(const Operand& a, int64_t kth, int64_t axis) {
  const UserLocation here(a.location());
  const int64_t at = checked_axis("argpartition", a, axis);
  if (is_complex(a.array().dtype()))
    or_throw(unimplemented(at_user_line("argpartition") + ": complex numbers are not implemented, as in JAX"));
  const Array& x = a.array();
  const int64_t n = x.shape(at), k = checked_kth("argpartition", kth, n);
  // As in JAX: the first positions are sorted by value, the others are in their original order.
  const Array first = slice(ops::convert_element_type(argsort(a, at), ElementType::kS32), 0, k + 1, 1, at);
  const Array selected = put_along_axis(zeros(Shape(x.shape()), bool_), first, true, at);
  const Array others = slice(ops::convert_element_type(argsort(selected, at), ElementType::kS32), 0, n - k - 1, 1, at);
  return with_weak_type(concatenate({first, others}, at), x.weak_type());  // weakly typed as in JAX
}
namespace {

/// Maps real numbers to others in the reverse order.
Array reversed_order(const Array& x) { return is_floating(x.dtype()) ? ops::neg(x) : ops::bitwise_not(x); }

}  // namespace

std::pair<Array, Array> top_k(const Operand& a, int64_t k, const TopKOptions& options) {
  const UserLocation here(a.location());
  const Array& x = a.array();
  const std::string_view mode = options.mode;
  if (is_complex(x.dtype()) || (mode != "largest" && mode != "smallest"))
    refuse("top_k", "got " + x.aval_shape().to_string() + " and mode \"" + std::string(mode) +
                        "\"; wanted real numbers, and largest or smallest");
  const bool largest = mode == "largest";
  const Array keys = x.dtype() == ElementType::kPred ? ops::convert_element_type(x, ElementType::kU8) : x;
  const lax::TopK found = lax::top_k(Operand(largest ? keys : reversed_order(keys), a.location()), k, options.axis);
  const Array values = largest ? found.values : reversed_order(found.values);
  return {ops::convert_element_type(values, x.dtype()), found.indices};
}

Array sort_complex(const Operand& a) {
  const UserLocation here(a.location());
  const ElementType type = is_complex(a.array().dtype())                             ? a.array().dtype()
                           : promote_inexact(a.array()).dtype() == ElementType::kF64 ? ElementType::kC128
                                                                                     : ElementType::kC64;
  return sort(ops::convert_element_type(a.array(), type), -1);
}

Array searchsorted(const Operand& a, const Operand& v, const SearchOptions& options) {
  const UserLocation here(a.location());
  const std::string_view side = options.side;
  if (side != "left" && side != "right")
    or_throw(
        invalid_argument(at_user_line("searchsorted") + ": side is left or right; got \"" + std::string(side) + "\""));
  if (a.array().ndim() != 1)
    or_throw(invalid_argument(at_user_line("searchsorted") + ": a should be 1-dimensional; got " +
                              a.array().aval_shape().to_string()));
  const Array ordered = options.sorter ? take(a, *options.sorter, {.axis = 0}) : a.array();
  const ElementType type = promote_types(ordered.aval(), v.array().aval()).shape.element_type();
  const Array sorted = ops::convert_element_type(ordered, type), queries = ops::convert_element_type(v.array(), type);
  const int64_t n = sorted.size();
  const Shape dims(queries.shape());
  Array low = zeros(dims, int32);
  if (n == 0) return low;
  Array high = full(dims, n, int32);
  for (int64_t left = n; left > 0; left /= 2) {  // one iteration for each bit of n
    const Array open = ops::lt(low, high);
    const Array middle = ops::shift_right_logical(ops::add(low, high), ops::full_like(low, 1));
    const Array value = take(sorted, middle, {.axis = 0, .mode = "clip"});
    const Array is_before = side == "left" ? before(value, queries) : ops::bitwise_not(before(queries, value));
    const Array up = ops::bitwise_and(open, is_before);
    high = ops::select(ops::bitwise_and(open, ops::bitwise_not(is_before)), middle, high);
    low = ops::select(up, ops::add(middle, ops::full_like(low, 1)), low);
  }
  return low;
}

Array digitize(const Operand& x, const Operand& bins, const DigitizeOptions& options) {
  const UserLocation here(x.location());
  const Array& b = bins.array();
  if (b.ndim() != 1)
    or_throw(invalid_argument(at_user_line("digitize") + ": bins must be a vector; got " + b.aval_shape().to_string()));
  if (b.size() == 0) return zeros(Shape(x.array().shape()), int32);
  const char* side = options.right ? "left" : "right";
  const Array up = searchsorted(b, x, {.side = side});
  const Array down = static_cast<int>(b.size()) - searchsorted(flip(b), x, {.side = side});
  return ops::select(broadcast_to(b[-1] >= b[0], Shape(up.shape())), up, ops::convert_element_type(down, up.dtype()));
}

}  // namespace hilo::numpy
