// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/contractions.h"

#include <algorithm>

#include "hilo/array/refuse.h"
#include "hilo/lax/dot.h"
#include "hilo/numpy/axes.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/trace/ops.h"

namespace hilo::numpy {
namespace {

/// Returns both operands in one type, and whether their product is weakly typed: both are, and no type is requested.
std::tuple<Array, Array, bool> in_one_type(const Operand& x, const Operand& y, const Dtype& preferred) {
  const Aval type = promote_types(x.array().aval(), y.array().aval());
  const ElementType t = type.weak_type ? default_of_kind(type.shape.element_type()) : type.shape.element_type();
  return {ops::convert_element_type(x.array(), t), ops::convert_element_type(y.array(), t),
          type.weak_type && !preferred};
}

/// Multiplies by a scalar, computed in the requested type.
Array scaled(const Array& a, const Array& b, bool weak, const Dtype& preferred) {
  if (!preferred) return with_weak_type(a * b, weak);
  const ElementType type = requested_type("dot", *preferred);
  return ops::convert_element_type(a, type) * ops::convert_element_type(b, type);
}

Array product(const Array& a, const Array& b, const ops::DotDimensions& d, const ProductOptions& options) {
  return lax::dot_general(a, b, {{d.lhs_contracting, d.rhs_contracting}, {d.lhs_batch, d.rhs_batch}},
                          {.precision = options.precision, .preferred_element_type = options.preferred_element_type});
}

[[noreturn]] void refuse_shapes(const char* function, const char* requirement, const Array& a, const Array& b) {
  throw Error(invalid_argument(at_user_line(function) + ": " + requirement + "; got " + a.aval_shape().to_string() +
                               " and " + b.aval_shape().to_string()));
}

/// Component i along the last axis.
Array component(const Array& x, int64_t i) { return x(ellipsis, i); }

std::vector<int64_t> normal_list(const Array& x, const std::vector<int64_t>& axes) {
  std::vector<int64_t> out;
  for (const int64_t a : axes) out.push_back(normal_axis(x, a));
  return out;
}

}  // namespace

Array matmul(const Operand& x, const Operand& y, const ProductOptions& options) {
  const UserLocation here(x.location());
  auto [a, b, weak] = in_one_type(x, y, options.preferred_element_type);
  if (a.ndim() == 0 || b.ndim() == 0)
    or_throw(invalid_argument(at_user_line("matmul") + ": operands must not be scalars"));
  const int64_t batch = std::max(a.ndim(), b.ndim()) - 2;
  ops::DotDimensions d;
  d.lhs_contracting = {a.ndim() - 1};
  d.rhs_contracting = {std::max<int64_t>(b.ndim() - 2, 0)};
  if (a.ndim() > 2 && b.ndim() > 2) {
    const std::vector<int64_t> common = broadcast_shapes(a.shape().first(a.ndim() - 2), b.shape().first(b.ndim() - 2));
    const auto spread = [&](const Array& m) {
      Shape dims(common);
      dims.insert(dims.end(), m.shape().end() - 2, m.shape().end());
      return spread_to(m, dims);
    };
    a = spread(a);
    b = spread(b);
    d.lhs_batch = d.rhs_batch = ops::all_dimensions(batch);
    d.lhs_contracting = {a.ndim() - 1};
    d.rhs_contracting = {b.ndim() - 2};
    return product(a, b, d, options);
  }
  const Array out = product(a, b, d, options);
  if (b.ndim() <= 2) return with_weak_type(out, weak);
  // A matrix times a stack of matrices: dot puts the rows of the left operand first, NumPy the axes of the stack.
  const int64_t rows = a.ndim() == 2 ? 1 : 0;
  std::vector<int64_t> order;
  for (int64_t i = 0; i < batch; ++i) order.push_back(rows + i);
  if (rows == 1) order.push_back(0);
  order.push_back(out.ndim() - 1);
  return ops::transpose(out, order);
}

Array dot(const Operand& x, const Operand& y, const ProductOptions& options) {
  const UserLocation here(x.location());
  const auto [a, b, weak] = in_one_type(x, y, options.preferred_element_type);
  if (a.ndim() == 0 || b.ndim() == 0) return scaled(a, b, weak, options.preferred_element_type);
  return with_weak_type(product(a, b, {{a.ndim() - 1}, {std::max<int64_t>(b.ndim() - 2, 0)}, {}, {}}, options), weak);
}

Array vdot(const Operand& a, const Operand& b, const ProductOptions& options) {
  const UserLocation here(a.location());
  return dot(conj(ravel(a)), ravel(b), options);
}

Array inner(const Operand& x, const Operand& y, const ProductOptions& options) {
  const UserLocation here(x.location());
  const auto [a, b, weak] = in_one_type(x, y, options.preferred_element_type);
  if (a.ndim() == 0 || b.ndim() == 0) return scaled(a, b, weak, options.preferred_element_type);
  if (a.shape(-1) != b.shape(-1)) refuse_shapes("inner", "the last axes must be of equal length", a, b);
  return with_weak_type(product(a, b, {{a.ndim() - 1}, {b.ndim() - 1}, {}, {}}, options), weak);
}

Array outer(const Operand& a, const Operand& b) {
  const UserLocation here(a.location());
  return reshape(a, {-1, 1}) * reshape(b, {1, -1});
}

Array vecdot(const Operand& x1, const Operand& x2, const VecdotOptions& options) {
  const UserLocation here(x1.location());
  const int64_t axis = options.axis;
  auto [a, b, weak] = in_one_type(x1, x2, options.preferred_element_type);
  if (a.ndim() == 0 || b.ndim() == 0) refuse_shapes("vecdot", "operands must not be scalars", a, b);
  if (a.shape(axis) != b.shape(axis)) refuse_shapes("vecdot", "the axis must be of equal length in both", a, b);
  a = moveaxis(a, axis, -1);
  b = moveaxis(b, axis, -1);
  const Array row = expand_dims(conj(a), -2), column = expand_dims(b, -1);
  const ProductOptions product = {.precision = options.precision,
                                  .preferred_element_type = options.preferred_element_type};
  return with_weak_type(squeeze(matmul(row, column, product), {-2, -1}), weak);
}

Array matvec(const Operand& x1, const Operand& x2) {
  const UserLocation here(x1.location());
  if (x1.array().ndim() < 2 || x2.array().ndim() < 1) refuse_shapes("matvec", "wanted matrices and vectors", x1, x2);
  return squeeze(matmul(x1, expand_dims(x2, -1)), -1);
}
Array vecmat(const Operand& x1, const Operand& x2) {
  const UserLocation here(x1.location());
  if (x1.array().ndim() < 1 || x2.array().ndim() < 2) refuse_shapes("vecmat", "wanted vectors and matrices", x1, x2);
  return squeeze(matmul(expand_dims(conj(x1), -2), x2), -2);
}

Array tensordot(const Operand& x, const Operand& y, const TensordotOptions& options) {
  const UserLocation here(x.location());
  const auto [a, b, weak] = in_one_type(x, y, options.preferred_element_type);
  std::vector<int64_t> left, right;
  if (const std::optional<int64_t> count = options.axes.count()) {
    if (*count < 0 || *count > std::min(a.ndim(), b.ndim()))
      refuse("tensordot", "the number of axes must be between 0 and the ranks; got " + std::to_string(*count));
    for (int64_t i = 0; i < *count; ++i) {
      left.push_back(a.ndim() - *count + i);
      right.push_back(i);
    }
  } else {
    left = normal_list(a, options.axes.pairs().first);
    right = normal_list(b, options.axes.pairs().second);
  }
  if (left.size() != right.size())
    refuse("tensordot", "both operands need the same number of axes; got " + dimensions_to_string(left) + " and " +
                            dimensions_to_string(right));
  const ProductOptions of_product = {options.precision, options.preferred_element_type};
  return with_weak_type(product(a, b, {left, right, {}, {}}, of_product), weak);
}

Array kron(const Operand& x, const Operand& y) {
  const UserLocation here(x.location());
  const auto [p, q] = std::pair(x.array(), y.array());
  const size_t rank = std::max(p.ndim(), q.ndim());
  const std::vector<int64_t> left = with_rank(p.shape(), rank), right = with_rank(q.shape(), rank);
  Shape wide_left, wide_right, whole;
  for (size_t d = 0; d < rank; ++d) {
    wide_left.insert(wide_left.end(), {left[d], 1});
    wide_right.insert(wide_right.end(), {1, right[d]});
    whole.push_back(left[d] * right[d]);
  }
  return reshape(reshape(p, wide_left) * reshape(q, wide_right), whole);
}

Array cross(const Operand& x, const Operand& y, const CrossOptions& options) {
  const UserLocation here(x.location());
  const Array a = moveaxis(x, options.axis.value_or(options.axisa), -1);
  const Array b = moveaxis(y, options.axis.value_or(options.axisb), -1);
  const auto fits = [](const Array& v) { return v.shape(-1) == 2 || v.shape(-1) == 3; };
  if (!fits(a) || !fits(b)) refuse_shapes("cross", "both arrays need 2 or 3 elements along the axis", x, y);
  const auto z = [&] { return component(a, 0) * component(b, 1) - component(a, 1) * component(b, 0); };
  if (a.shape(-1) == 2 && b.shape(-1) == 2) return not_weak(z());
  const auto third = [](const Array& v) { return v.shape(-1) == 3 ? component(v, 2) : zeros_like(component(v, 0)); };
  const Array a2 = third(a), b2 = third(b);
  const Array out =
      stack({component(a, 1) * b2 - a2 * component(b, 1), a2 * component(b, 0) - component(a, 0) * b2, z()}, -1);
  return moveaxis(not_weak(out), -1, options.axis.value_or(options.axisc));
}

Array trace(const Operand& a, const TraceOptions& options) {
  const UserLocation here(a.location());
  const Array d = diagonal(a, options.offset, options.axis1, options.axis2);
  return sum(d, {.axis = -1, .dtype = options.dtype});
}

}  // namespace hilo::numpy
