// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/matrix_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "hilo/array/refuse.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/indexing.h"
#include "hilo/lax/matrix.h"
#include "hilo/lax/shape.h"
#include "hilo/lax/slicing.h"
#include "hilo/transform/batch.h"

namespace hilo::lax::linalg {

using ops::all_dimensions;

Array symmetric_product(const Operand& a_matrix, const Operand& c_matrix, const SymmetricProductOptions& options) {
  const UserLocation here(a_matrix.location());
  const Array &a = a_matrix.array(), &c = c_matrix.array();
  if (a.ndim() < 2 || c.ndim() < 2) refuse("symmetric_product", "wanted matrices");
  return ops::add(matrix::scaled(matrix::product(a, matrix::transposed(a)), options.alpha),
                  matrix::scaled(c, options.beta));
}

Array cholesky_update(const Operand& r_matrix, const Operand& w_vector) {
  const UserLocation here(r_matrix.location());
  const Array &r = r_matrix.array(), &w = w_vector.array();
  if (r.ndim() != 2 || r.shape(0) != r.shape(1) || w.ndim() != 1 || w.shape(0) != r.shape(0) || !is_floating(r.dtype()))
    refuse("cholesky_update", fmt::format("wanted floats r[n, n] and w[n]; got {} and {}", r.aval_shape().to_string(),
                                          w.aval_shape().to_string()));
  // For each row, a rotation eliminates the next element of w.
  // Source     Golub and Van Loan, "Matrix Computations", 6.5.4
  const auto rotate = [](const std::tuple<Array, Array>& carry, const Array& row) {
    const auto& [i, rest] = carry;
    const Array pivot = dynamic_index_in_dim(row, i, 0, false), out = dynamic_index_in_dim(rest, i, 0, false);
    const Array length = ops::sqrt(ops::add(ops::mul(pivot, pivot), ops::mul(out, out)));
    const auto by = [&](const Array& factor) { return ops::broadcast_in_dim(factor, row.aval_shape(), {}); };
    const Array c = by(ops::div(pivot, length)), s = by(ops::div(out, length));
    const Array turned = ops::add(ops::mul(c, row), ops::mul(s, rest));
    const std::tuple<Array, Array> next = {ops::add(i, ops::full_like(i, 1)),
                                           ops::sub(ops::mul(c, rest), ops::mul(s, row))};
    return std::pair(next, turned);
  };
  return scan(rotate, std::tuple(ops::scalar(0, ElementType::kS32), w), r, ScanOptions{}).second;
}

Array lu_pivots_to_permutation(const Operand& pivots, int64_t permutation_size) {
  const UserLocation here(pivots.location());
  const Array& p = pivots.array();
  if (p.ndim() < 1 || !is_integer(p.dtype()) || p.shape(-1) > permutation_size)
    refuse("lu_pivots_to_permutation", fmt::format("wanted at most {} integers along the last axis; got {}",
                                                   permutation_size, p.aval_shape().to_string()));
  std::vector<int64_t> shape(p.shape().begin(), p.shape().end());
  const int64_t axis = p.ndim() - 1;
  shape.back() = permutation_size;
  Array order = ops::iota(Shape::array(ElementType::kS32, shape), axis);
  const Array place = order;
  const auto swap = [&](const Array& i, const Array& now) {
    const Array pivot = dynamic_slice_in_dim(ops::convert_element_type(p, ElementType::kS32), i, 1, axis);
    const Array here_is = dynamic_slice_in_dim(now, i, 1, axis), there_is = take_along(now, pivot, axis);
    const auto wide = [&](const Array& x) { return lax::broadcast_in_dim(x, shape, all_dimensions(p.ndim())); };
    const Array at_i =
        ops::eq(place, ops::broadcast_in_dim(ops::convert_element_type(i, ElementType::kS32), place.aval_shape(), {}));
    const Array at_pivot = ops::eq(place, wide(pivot));
    return ops::select(at_pivot, wide(here_is), ops::select(at_i, wide(there_is), now));
  };
  return fori_loop(0, p.shape(-1), swap, order);
}

}  // namespace hilo::lax::linalg
