// SPDX-License-Identifier: Apache-2.0
// linalg/norm.cc -- norms of vectors and matrices.
#include <cmath>

#include "hilo/lax/decompositions.h"
#include "hilo/linalg/linalg.h"
#include "hilo/linalg/support.h"

namespace hilo::linalg {
namespace {

using namespace hilo::lax::matrix;  // NOLINT: algebra over these

/// Sum of sizes along an axis.
Array sum_of_sizes(const Array& x, int64_t axis) { return ops::reduce_sum(ops::abs(x), {axis}); }

Array extreme(const Array& x, int64_t axis, bool greatest) {
  return greatest ? ops::reduce_max(x, {axis}) : ops::reduce_min(x, {axis});
}

Array vector_norm_at(const Array& x, double ord, int64_t axis) {
  if (std::isinf(ord)) return extreme(ops::abs(x), axis, ord > 0);
  if (ord == 2) return ops::sqrt(ops::reduce_sum(squared_size(x), {axis}));
  if (ord == 1) return sum_of_sizes(x, axis);
  const Array size = ops::abs(x);
  if (ord == 0)
    return ops::reduce_sum(ops::convert_element_type(ops::ne(size, ops::full_like(size, 0)), size.dtype()), {axis});
  const Array sum = ops::reduce_sum(ops::pow(size, ops::full_like(size, ord)), {axis});
  return ops::pow(sum, ops::full_like(sum, 1 / ord));
}

}  // namespace

Array norm(const Operand& x) {
  const UserLocation here(x.location());
  const Array a = inexact(x);
  return ops::sqrt(ops::reduce_sum(squared_size(a), ops::all_dimensions(a.ndim())));
}

Array norm(const Operand& x, const Ord& ord) {
  const UserLocation here(x.location());
  const int64_t rank = x.array().ndim();
  if (rank == 2) return matrix_norm(x, ord);
  if (rank != 1 || ord.kind != Ord::Kind::kNumber)
    refuse("norm", "improper number of axes for this order; got " + x.array().aval_shape().to_string());
  return vector_norm(x, ord.value);
}

Array vector_norm(const Operand& x, double ord, int64_t axis) {
  const UserLocation here(x.location());
  const Array a = inexact(x);
  const int64_t place = axis < 0 ? axis + a.ndim() : axis;
  if (place < 0 || place >= a.ndim())
    refuse("vector_norm", "axis " + std::to_string(axis) + " is out of bounds for " + a.aval_shape().to_string());
  return vector_norm_at(a, ord, place);
}

Array matrix_norm(const Operand& x, const Ord& ord) {
  const UserLocation here(x.location());
  const Array a = matrix("matrix_norm", x);
  const int64_t row = a.ndim() - 2, column = a.ndim() - 1;
  if (ord.kind == Ord::Kind::kFrobenius) return ops::sqrt(ops::reduce_sum(squared_size(a), {row, column}));
  if (ord.kind == Ord::Kind::kNuclear) return ops::reduce_sum(lax::linalg::svd(a, false, false)[0], {a.ndim() - 2});
  const double value = ord.value;
  if (std::isinf(value)) return extreme(sum_of_sizes(a, column), a.ndim() - 2, value > 0);
  if (std::abs(value) == 1) return extreme(sum_of_sizes(a, row), a.ndim() - 2, value > 0);
  if (std::abs(value) == 2) return extreme(lax::linalg::svd(a, false, false)[0], a.ndim() - 2, value > 0);
  refuse("matrix_norm", "invalid order " + std::to_string(value) +
                            "; wanted 1, 2, infinity, their negatives, "
                            "kFrobenius or kNuclear");
}

}  // namespace hilo::linalg
