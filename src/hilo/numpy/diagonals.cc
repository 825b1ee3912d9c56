// SPDX-License-Identifier: Apache-2.0
// numpy/diagonals.cc -- diagonals and triangles of matrices.
#include <algorithm>

#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

/// Returns a mask, pred [rows, columns]: true at and below the k-th diagonal.
Array lower_mask(const Array& m, int64_t k) {
  const Shape dims = {m.shape(-2), m.shape(-1)};
  const hilo::Shape matrix = shape_of(ElementType::kS32, dims);
  return ops::ge(ops::add(ops::iota(matrix, 0), ops::full(matrix, static_cast<double>(k))), ops::iota(matrix, 1));
}

Array triangle(const char* function, const Operand& m, int64_t k, bool lower) {
  const UserLocation here(m.location());
  const Array& a = m.array();
  if (a.ndim() < 2)
    or_throw(invalid_argument(at_user_line(function) + ": wanted two dimensions or more; got " +
                              a.aval_shape().to_string()));
  const Array mask = spread_to(lower_mask(a, lower ? k : k - 1), a.shape());
  const Array zero = ops::full_like(a, 0);
  return lower ? ops::select(mask, a, zero) : ops::select(mask, zero, a);
}

std::vector<Array> triangle_indices(int64_t n, int64_t k, std::optional<int64_t> m, bool lower) {
  const int64_t columns = m.value_or(n);
  std::vector<int32_t> i, j;
  for (int64_t row = 0; row < n; ++row) {
    const int64_t first = lower ? 0 : std::clamp<int64_t>(row + k, 0, columns);
    const int64_t last = lower ? std::clamp<int64_t>(row + k + 1, 0, columns) : columns;
    for (int64_t column = first; column < last; ++column) {
      i.push_back(static_cast<int32_t>(row));
      j.push_back(static_cast<int32_t>(column));
    }
  }
  const int64_t count = i.size();
  const auto positions = [&](const std::vector<int32_t>& v) {
    return ops::convert_element_type(Array::from_vector(v, {count}), default_integer());
  };
  return {positions(i), positions(j)};
}

void check_matrix(const char* function, const Array& a) {
  if (a.ndim() != 2)
    or_throw(invalid_argument(at_user_line(function) + ": wanted a matrix; got " + a.aval_shape().to_string()));
}

}  // namespace

Array diag(const Operand& v, int64_t k) {
  const UserLocation here(v.location());
  const Array& a = v.array();
  if (a.ndim() == 2) return diagonal(a, k);
  if (a.ndim() != 1)
    or_throw(
        invalid_argument(at_user_line("diag") + ": wanted a vector or a matrix; got " + a.aval_shape().to_string()));
  const int64_t n = a.size() + std::abs(k);
  const Array padded = ops::pad(a, ops::scalar(0, a.dtype()), {{std::max<int64_t>(0, k), std::max<int64_t>(0, -k), 0}});
  const Array zeros = ops::full(hilo::Shape::array(a.dtype(), {n, n}), 0);
  const Array out = ops::select(eye(n, n, k, bool_), spread_to(padded, std::vector<int64_t>{n, n}), zeros);
  return out;
}
Array diagflat(const Operand& v, int64_t k) {
  const UserLocation here(v.location());
  return diag(ravel(v), k);
}

Array diagonal(const Operand& a, int64_t offset, int64_t axis1, int64_t axis2) {
  const UserLocation here(a.location());
  if (a.array().ndim() < 2)
    or_throw(invalid_argument(at_user_line("diagonal") + ": wanted two dimensions or more; got " +
                              a.array().aval_shape().to_string()));
  const Array m = moveaxis(a, {axis1, axis2}, {-2, -1});
  const int64_t rows = m.shape(-2), columns = m.shape(-1);
  const int64_t count =
      std::max<int64_t>(0, std::min(rows + std::min<int64_t>(offset, 0), columns - std::max<int64_t>(offset, 0)));
  const Array i = arange(count, int32);
  const Array out = at(m, ellipsis, i + std::max<int64_t>(-offset, 0), i + std::max<int64_t>(offset, 0))
                        .get({.mode = "promise_in_bounds"});
  return not_weak(out);
}

Array fill_diagonal(const Operand& a, const Operand& val, const FillDiagonalOptions& options) {
  const UserLocation here(a.location());
  const Array& x = a.array();
  if (options.inplace)
    or_throw(invalid_argument(at_user_line("fill_diagonal") +
                              ": arrays are immutable. Hint: pass inplace=false and use the result"));
  if (options.wrap)
    or_throw(unimplemented(at_user_line("fill_diagonal") + ": wrap=True is not implemented, as in JAX"));
  if (x.ndim() < 2)
    or_throw(invalid_argument(at_user_line("fill_diagonal") + ": wanted two dimensions or more; got " +
                              x.aval_shape().to_string()));
  if (x.ndim() > 2 && std::ranges::adjacent_find(x.shape(), std::not_equal_to<>()) != x.shape().end())
    or_throw(invalid_argument(at_user_line("fill_diagonal") + ": all dimensions must be of equal length"));
  const int64_t n = std::ranges::min(x.shape());
  const Array i = arange(n, int32);
  const Array values =
      val.array().ndim() == 0
          ? val.array()
          : tile(ravel(val), (n + val.array().size() - 1) / std::max<int64_t>(1, val.array().size()))(hilo::range(n));
  return IndexedPlaces(Operand(x, a.location()), std::vector<Indexer>(x.ndim(), Indexer(i))).set(values);
}

Array tril(const Operand& m, int64_t k) { return triangle("tril", m, k, true); }
Array triu(const Operand& m, int64_t k) { return triangle("triu", m, k, false); }

std::vector<Array> diag_indices(int64_t n, int64_t ndim, Line line) {
  const UserLocation here(line);
  if (n < 0 || ndim < 0) or_throw(invalid_argument(at_user_line("diag_indices") + ": n and ndim must not be negative"));
  return std::vector<Array>(ndim, arange(n));
}
std::vector<Array> diag_indices_from(const Operand& arr) {
  const UserLocation here(arr.location());
  const Array& a = arr.array();
  if (a.ndim() < 2 || std::ranges::adjacent_find(a.shape(), std::not_equal_to<>()) != a.shape().end())
    or_throw(invalid_argument(at_user_line("diag_indices_from") +
                              ": wanted two dimensions or more of equal length; got " + a.aval_shape().to_string()));
  return diag_indices(a.shape(0), a.ndim());
}
ArrayTuple<2> tril_indices(int64_t n, int64_t k, std::optional<int64_t> m, Line line) {
  const UserLocation here(line);
  return triangle_indices(n, k, m, true);
}
ArrayTuple<2> triu_indices(int64_t n, int64_t k, std::optional<int64_t> m, Line line) {
  const UserLocation here(line);
  return triangle_indices(n, k, m, false);
}
ArrayTuple<2> mask_indices(int64_t n, const std::function<Array(const Array&, int64_t)>& mask_func, int64_t k,
                           Line line) {
  const UserLocation here(line);
  return nonzero(mask_func(ones({n, n}), k));
}
ArrayTuple<2> tril_indices_from(const Operand& arr, int64_t k) {
  const UserLocation here(arr.location());
  check_matrix("tril_indices_from", arr);
  return tril_indices(arr.array().shape(0), k, arr.array().shape(1));
}
ArrayTuple<2> triu_indices_from(const Operand& arr, int64_t k) {
  const UserLocation here(arr.location());
  check_matrix("triu_indices_from", arr);
  return triu_indices(arr.array().shape(0), k, arr.array().shape(1));
}

}  // namespace hilo::numpy
