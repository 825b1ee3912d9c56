// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/matrix.h"

#include <algorithm>
#include <utility>

namespace hilo::lax::matrix {
namespace {

using namespace hilo::ops;  // algebra over these wrappers

std::vector<int64_t> range_of(int64_t count) { return all_dimensions(count); }

}  // namespace

std::vector<int64_t> batch_shape(const Array& x, int64_t inner) { return {x.shape().begin(), x.shape().end() - inner}; }

std::vector<int64_t> joined(std::vector<int64_t> batch, std::initializer_list<int64_t> inner) {
  batch.insert(batch.end(), inner);
  return batch;
}

Array transposed(const Array& x) {
  std::vector<int64_t> permutation = range_of(x.ndim());
  std::swap(permutation[permutation.size() - 2], permutation.back());
  return ops::transpose(x, permutation);
}

Array conjugate(const Array& x) {
  if (!is_complex(x.dtype())) return x;
  return ops::complex(real(x), neg(imag(x)));
}

Array adjoint(const Array& x) { return conjugate(transposed(x)); }
Array real_part(const Array& x) { return is_complex(x.dtype()) ? real(x) : x; }

Array product(const Array& a, const Array& b) {
  const int64_t batch = a.ndim() - 2;
  return ops::dot_general(a, b, {{batch + 1}, {batch}, range_of(batch), range_of(batch)});
}

Array upper_mask(const Shape& shape, int64_t k) {
  const Shape numbers = shape.with_element_type(ElementType::kS32);
  const Array row = ops::iota(numbers, shape.rank() - 2), column = ops::iota(numbers, shape.rank() - 1);
  return ops::ge(column, add(row, ops::full(numbers, static_cast<double>(k))));
}

Array tril(const Array& x, int64_t k) { return select(upper_mask(x.aval_shape(), k + 1), ops::full_like(x, 0), x); }
Array triu(const Array& x, int64_t k) { return select(upper_mask(x.aval_shape(), k), x, ops::full_like(x, 0)); }

Array identity(const Shape& shape, int64_t k) {
  const Array mask = bitwise_and(upper_mask(shape, k), bitwise_not(upper_mask(shape, k + 1)));
  return select(mask, ops::full(shape, 1), ops::full(shape, 0));
}

Array diagonal(const Array& x) {
  const int64_t least = std::min(rows(x), columns(x));
  const Array square = column_range(row_range(x, 0, least), 0, least);
  const Shape shape = square.aval_shape();
  const Array mask = bitwise_and(upper_mask(shape, 0), bitwise_not(upper_mask(shape, 1)));
  return ops::reduce_sum(select(mask, square, ops::full_like(square, 0)), {square.ndim() - 1});
}

Array diagonal_matrix(const Array& v) {
  const Shape shape = or_throw(Shape::make_array(v.dtype(), joined(batch_shape(v, 1), {v.shape(-1), v.shape(-1)})));
  const Array mask = bitwise_and(upper_mask(shape, 0), bitwise_not(upper_mask(shape, 1)));
  std::vector<int64_t> dimensions = range_of(shape.rank() - 2);
  dimensions.push_back(shape.rank() - 1);
  return select(mask, ops::broadcast_in_dim(v, shape, dimensions), ops::full(shape, 0));
}

Array along_rows(const Array& v, const Array& x) {
  std::vector<int64_t> dimensions = range_of(x.ndim() - 2);
  dimensions.push_back(x.ndim() - 1);
  return ops::broadcast_in_dim(v, typed(x, v.dtype()), dimensions);
}

Array along_columns(const Array& v, const Array& x) {
  return ops::broadcast_in_dim(v, typed(x, v.dtype()), range_of(x.ndim() - 1));
}

Array row_range(const Array& x, int64_t begin, int64_t count) {
  if (begin == 0 && count == rows(x)) return x;
  return slice_along(x, x.ndim() - 2, {begin, begin + count, 1});
}

Array column_range(const Array& x, int64_t begin, int64_t count) {
  if (begin == 0 && count == columns(x)) return x;
  return slice_along(x, x.ndim() - 1, {begin, begin + count, 1});
}

Array rows_in_order(const Array& x, const Array& order) {
  hlo::GatherAttributes g;
  for (int64_t d = 0; d < x.ndim() - 2; ++d) {
    g.operand_batching_dims.push_back(d);
    g.start_indices_batching_dims.push_back(d);
    g.slice_sizes.push_back(std::min<int64_t>(x.shape(d), 1));
  }
  g.offset_dims = {x.ndim() - 1};
  g.collapsed_slice_dims = {x.ndim() - 2};
  g.start_index_map = {x.ndim() - 2};
  g.index_vector_dim = order.ndim();
  g.slice_sizes.insert(g.slice_sizes.end(), {std::min<int64_t>(rows(x), 1), columns(x)});
  g.index_mode = IndexMode::kPromiseInBounds;
  return ops::gather(x, order, g);
}

Array padded(const Array& x, int64_t more_rows, int64_t more_columns) {
  if (more_rows == 0 && more_columns == 0) return x;
  std::vector<hlo::PaddingDimension> padding(x.ndim());
  padding[padding.size() - 2].high = more_rows;
  padding.back().high = more_columns;
  return ops::pad(x, scalar(0, x.dtype()), padding);
}

}  // namespace hilo::lax::matrix
