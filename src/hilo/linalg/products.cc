// SPDX-License-Identifier: Apache-2.0
// linalg/products.cc -- products of matrices and tensors, and the solvers for tensors.
#include <algorithm>
#include <limits>

#include "hilo/linalg/linalg.h"
#include "hilo/linalg/support.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"

namespace hilo::linalg {

Array cross(const Operand& x1, const Operand& x2, const AxisOption& o) {
  const UserLocation here(x1.location());
  const auto is_three = [&](const Array& x) {
    const int64_t axis = o.axis < 0 ? o.axis + x.ndim() : o.axis;
    return axis >= 0 && axis < x.ndim() && x.shape(axis) == 3;
  };
  if (!is_three(x1.array()) || !is_three(x2.array()))
    refuse("cross", "both arrays must be 3-dimensional vectors; got " + x1.array().aval_shape().to_string() + " and " +
                        x2.array().aval_shape().to_string());
  return numpy::cross(x1, x2, {.axis = o.axis});
}
Array outer(const Operand& x1, const Operand& x2) {
  const UserLocation here(x1.location());
  if (x1.array().ndim() != 1 || x2.array().ndim() != 1)
    refuse("outer", "input arrays must be one-dimensional; got " + x1.array().aval_shape().to_string() + " and " +
                        x2.array().aval_shape().to_string());
  return numpy::outer(x1, x2);
}
Array matmul(const Operand& x1, const Operand& x2, const ProductOptions& options) {
  return numpy::matmul(x1, x2, {.preferred_element_type = options.preferred_element_type});
}
Array vecdot(const Operand& x1, const Operand& x2, const VecdotOptions& o) {
  return numpy::vecdot(x1, x2, {.axis = o.axis, .preferred_element_type = o.preferred_element_type});
}
Array TensordotAxes::product(const Operand& x1, const Operand& x2) const {
  return pairs_ ? numpy::tensordot(x1, x2, *pairs_) : numpy::tensordot(x1, x2, count_);
}
Array tensordot(const Operand& x1, const Operand& x2, const TensordotOptions& o) {
  const UserLocation here(x1.location());
  if (!o.preferred_element_type) return o.axes.product(x1, x2);
  const ElementType type = numpy::type_or("tensordot", o.preferred_element_type, x1.array().dtype());
  const auto wide = [&](const Array& x) { return numpy::astype(x, numpy::result_type(x, type)); };
  return numpy::astype(o.axes.product(wide(x1), wide(x2)), type);
}
Array diagonal(const Operand& x, const DiagonalOptions& o) { return numpy::diagonal(x, o.offset, -2, -1); }
Array trace(const Operand& x, const TraceOptions& o) {
  return numpy::trace(x, {.offset = o.offset, .axis1 = -2, .axis2 = -1, .dtype = o.dtype});
}

namespace {

/// Returns, for each range of matrices of sizes p[i] x p[i + 1], where to split it so that the products cost least.
/// Source    Cormen et al., "Introduction to algorithms", matrix-chain multiplication
std::vector<std::vector<size_t>> cheapest_parts(const std::vector<int64_t>& p) {
  const size_t n = p.size() - 1;
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
  std::vector<std::vector<size_t>> part(n, std::vector<size_t>(n, 0));
  for (size_t length = 1; length < n; ++length) {
    for (size_t i = 0; i + length < n; ++i) {
      const size_t j = i + length;
      cost[i][j] = std::numeric_limits<double>::infinity();
      for (size_t k = i; k < j; ++k) {
        const double own = static_cast<double>(p[i]) * static_cast<double>(p[k + 1]) * static_cast<double>(p[j + 1]);
        const double total = cost[i][k] + cost[k + 1][j] + own;
        if (total >= cost[i][j]) continue;
        cost[i][j] = total;
        part[i][j] = k;
      }
    }
  }
  return part;
}

}  // namespace

Array multi_dot(const std::vector<Array>& arrays, const MultiDotOptions&, numpy::Line line) {
  const UserLocation here(line);
  const size_t n = arrays.size();
  if (n < 2) refuse("multi_dot", "wanted two arrays or more; got " + std::to_string(n));
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < n; ++i) {
    const Array& x = arrays[i];
    const bool end = i == 0 || i + 1 == n;
    if (x.ndim() != 2 && !(end && x.ndim() == 1))
      refuse("multi_dot", "wanted matrices, or vectors first and last; got " + x.aval_shape().to_string());
    sizes.push_back(x.ndim() == 1 && i == 0 ? 1 : x.shape(0));
  }
  sizes.push_back(arrays.back().ndim() == 1 ? 1 : arrays.back().shape(1));
  const auto parts = cheapest_parts(sizes);
  const std::function<Array(size_t, size_t)> product = [&](size_t i, size_t j) {
    if (i == j) return arrays[i];
    return numpy::matmul(product(i, parts[i][j]), product(parts[i][j] + 1, j));
  };
  return product(0, n - 1);
}

Array tensorinv(const Operand& a, int64_t ind) {
  const UserLocation here(a.location());
  const Array& x = a.array();
  if (ind <= 0 || ind > x.ndim())
    refuse("tensorinv", "ind must be positive and not above the rank; got " + std::to_string(ind) + " for " +
                            x.aval_shape().to_string());
  const std::vector<int64_t> shape(x.shape().begin(), x.shape().end());
  std::vector<int64_t> turned(shape.begin() + ind, shape.end());
  turned.insert(turned.end(), shape.begin(), shape.begin() + ind);
  int64_t rows = 1;
  for (int64_t d = 0; d < ind; ++d) rows *= shape[d];
  if (rows * rows != x.size())
    refuse("tensorinv", "the first " + std::to_string(ind) + " axes must have as many elements as the others; got " +
                            x.aval_shape().to_string());
  return numpy::reshape(inv(numpy::reshape(x, {rows, rows})), turned);
}

Array tensorsolve(const Operand& a, const Operand& b, const TensorsolveOptions& o) {
  const UserLocation here(a.location());
  Array x = a;
  if (o.axes) {
    std::vector<int64_t> last;
    const int64_t count = (*o.axes).size();
    for (int64_t k = 0; k < count; ++k) last.push_back(x.ndim() - count + k);
    x = numpy::moveaxis(x, o.axes, last);
  }
  const Array& right = b.array();
  if (right.ndim() > x.ndim() || x.size() != right.size() * right.size())
    refuse("tensorsolve", "a must have the square of b's elements; got " + x.aval_shape().to_string() + " and " +
                              right.aval_shape().to_string());
  const Dimensions rest(x.shape().begin() + right.ndim(), x.shape().end());
  return numpy::reshape(solve(numpy::reshape(x, {right.size(), right.size()}), numpy::ravel(right)), rest);
}

}  // namespace hilo::linalg
