// SPDX-License-Identifier: Apache-2.0
// linalg/norm.cc -- norms of vectors and matrices.
#include <cmath>

#include "hilo/lax/decompositions.h"
#include "hilo/linalg/linalg.h"
#include "hilo/linalg/support.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"

namespace hilo::linalg {
namespace {

using namespace hilo::lax::matrix;  // the matrix functions that all files of linalg use

/// Returns the square root with derivative 0 at 0, where a norm is not differentiable.
Array root_of(const Array& sum) {
  const Array none = ops::eq(sum, ops::full_like(sum, 0));
  return ops::select(none, ops::full_like(sum, 0), ops::sqrt(ops::select(none, ops::full_like(sum, 1), sum)));
}

/// Sums absolute values along an axis.
Array sum_of_sizes(const Array& x, int64_t axis) { return ops::reduce_sum(ops::abs(x), {axis}); }

Array extreme(const Array& x, int64_t axis, bool greatest) {
  if (x.shape(axis) == 0 && greatest) return ops::reduce_sum(x, {axis});  // the maximum over no elements is 0
  return greatest ? ops::reduce_max(x, {axis}) : ops::reduce_min(x, {axis});
}

Array vector_norm_at(const Array& x, double ord, int64_t axis) {
  if (std::isinf(ord) && ord > 0 && x.shape(axis) == 0) return sum_of_sizes(x, axis);  // over no elements: 0
  if (std::isinf(ord)) return extreme(ops::abs(x), axis, ord > 0);
  if (ord == 2) return root_of(ops::reduce_sum(squared_size(x), {axis}));
  if (ord == 1) return sum_of_sizes(x, axis);
  const Array size = ops::abs(x);
  if (ord == 0)
    return ops::reduce_sum(ops::convert_element_type(ops::ne(size, ops::full_like(size, 0)), size.dtype()), {axis});
  const Array sum = ops::reduce_sum(ops::pow(size, ops::full_like(size, ord)), {axis});
  return ops::pow(sum, ops::full_like(sum, 1 / ord));
}

}  // namespace

namespace {

/// Returns `result`, the reduction of `axes` of x; with extent 1 in these axes if `keepdims`.
Array with_axes(const Array& result, const Array& x, const std::vector<int64_t>& axes, bool keepdims) {
  if (!keepdims) return result;
  std::vector<int64_t> shape(x.shape().begin(), x.shape().end());
  for (int64_t axis : axes) shape[axis] = 1;
  return ops::reshape(result, shape);
}

Array all_norm(const Array& x, bool keepdims) {
  const std::vector<int64_t> axes = ops::all_dimensions(x.ndim());
  return with_axes(root_of(ops::reduce_sum(squared_size(x), axes)), x, axes, keepdims);
}

/// Returns the norm of the matrices in the last two axes of a.
Array last_two_norm(const Array& a, const Ord& ord) {
  const int64_t row = a.ndim() - 2, column = a.ndim() - 1;
  if (ord.kind == Ord::Kind::kFrobenius) return root_of(ops::reduce_sum(squared_size(a), {row, column}));
  if (ord.kind == Ord::Kind::kNuclear) return ops::reduce_sum(lax::linalg::svd(a, false, false)[0], {row});
  const double value = ord.value;
  if (std::isinf(value)) return extreme(sum_of_sizes(a, column), row, value > 0);
  if (std::abs(value) == 1) return extreme(sum_of_sizes(a, row), row, value > 0);
  if (std::abs(value) == 2) return extreme(lax::linalg::svd(a, false, false)[0], row, value > 0);
  refuse("norm",
         "invalid order " + std::to_string(value) + " of a matrix; wanted 1, 2, infinity, their negatives, fro or nuc");
}

}  // namespace

Ord::Ord(const char* name) {
  const std::string_view text = name;
  if (text != "fro" && text != "nuc")
    refuse("norm", "order '" + std::string(text) + "' is unknown; wanted fro, nuc or a number");
  kind = text == "fro" ? Kind::kFrobenius : Kind::kNuclear;
}

Array norm(const Operand& x, const NormOptions& o) {
  const UserLocation here(x.location());
  const Array a = inexact(x);
  if (!o.axis && !o.ord) return all_norm(a, o.keepdims);
  const std::vector<int64_t> axes = numpy::normal_axes(a, o.axis);
  if (axes.size() == 1) {
    const Ord ord = o.ord.value_or(2);
    if (ord.kind != Ord::Kind::kNumber) refuse("norm", "a vector has no norm 'fro' or 'nuc'");
    return with_axes(vector_norm_at(a, ord.value, axes[0]), a, axes, o.keepdims);
  }
  if (axes.size() != 2) refuse("norm", "improper number of axes for norm: " + std::to_string(axes.size()));
  const Array moved = numpy::moveaxis(a, axes, {-2, -1});
  return with_axes(last_two_norm(moved, o.ord.value_or(kFrobenius)), a, axes, o.keepdims);
}

Array vector_norm(const Operand& x, const VectorNormOptions& o) {
  const UserLocation here(x.location());
  const bool exact = !is_floating(x.array().dtype()) && !is_complex(x.array().dtype());
  const Array a = exact ? ops::convert_element_type(x, default_float()) : x.array();  // f64 with x64, as in JAX
  const std::vector<int64_t> axes = numpy::normal_axes(a, o.axis);
  // Merges the axes into one at the end.
  std::vector<int64_t> last, shape = ops::without_dimensions(a.shape(), axes);
  for (size_t i = 0; i < axes.size(); ++i) last.push_back(static_cast<int64_t>(i) - std::ssize(axes));
  int64_t count = 1;
  for (int64_t axis : axes) count *= a.shape(axis);
  shape.push_back(count);
  const Array flat = ops::reshape(axes.empty() ? a : numpy::moveaxis(a, axes, last), shape);
  return with_axes(vector_norm_at(flat, o.ord, flat.ndim() - 1), a, axes, o.keepdims);
}

Array matrix_norm(const Operand& x, const MatrixNormOptions& o) {
  const UserLocation here(x.location());
  const Array a = matrix("matrix_norm", x);
  return with_axes(last_two_norm(a, o.ord), a, {a.ndim() - 2, a.ndim() - 1}, o.keepdims);
}

Array cond(const Operand& x, const std::optional<Ord>& p) {
  const UserLocation here(x.location());
  const Array a = matrix("cond", x);
  if (!p || (p->kind == Ord::Kind::kNumber && std::abs(p->value) == 2)) {
    const Array s = lax::linalg::svd(a, false, false)[0];
    const Array greatest = extreme(s, s.ndim() - 1, true), least = extreme(s, s.ndim() - 1, false);
    const Array ratio = p && p->value < 0 ? ops::div(least, greatest) : ops::div(greatest, least);
    return with_weak_type(ratio, x.array().weak_type());
  }
  return ops::mul(last_two_norm(square("cond", a), *p), last_two_norm(inv(a), *p));
}

}  // namespace hilo::linalg
