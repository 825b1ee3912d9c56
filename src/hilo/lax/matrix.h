// SPDX-License-Identifier: Apache-2.0
// lax/matrix.h -- algebra on matrices in the last two dimensions, for rules and hilo::linalg. No promotion, no
// broadcasting of batch dimensions.
#pragma once

#include "hilo/trace/ops.h"

namespace hilo::lax::matrix {

inline int64_t rows(const Array& x) { return x.shape(-2); }
inline int64_t columns(const Array& x) { return x.shape(-1); }

/// Returns the dimensions before the last `inner`.
std::vector<int64_t> batch_shape(const Array& x, int64_t inner = 2);
/// Returns `batch` followed by `inner`.
std::vector<int64_t> joined(std::vector<int64_t> batch, std::initializer_list<int64_t> inner);

Array transposed(const Array& x);
/// Conjugates; identity on real types.
Array conjugate(const Array& x);
Array adjoint(const Array& x);
/// Returns the real part; identity on real types.
Array real_part(const Array& x);
/// Returns A B, with equal batch dimensions.
Array product(const Array& a, const Array& b);

/// Sets elements above (below) diagonal `k` to zero.
Array tril(const Array& x, int64_t k = 0);
Array triu(const Array& x, int64_t k = 0);
/// Returns a mask that is true where column - row >= k, with `shape`'s dimensions.
Array upper_mask(const Shape& shape, int64_t k);
/// Returns ones on diagonal `k`, batched like `shape`, whose last two dimensions are the matrix's.
Array identity(const Shape& shape, int64_t k = 0);
/// Return the diagonal, and a square matrix with this diagonal.
Array diagonal(const Array& x);
Array diagonal_matrix(const Array& v);

/// Broadcast v[..., j] to every row, and v[..., i] to every column, of an array with `x`'s dimensions and v's type.
Array along_rows(const Array& v, const Array& x);
Array along_columns(const Array& v, const Array& x);

inline Array scaled(const Array& x, double factor) { return ops::mul(x, ops::full_like(x, factor)); }
/// Return `count` rows (columns) from `begin` on.
Array row_range(const Array& x, int64_t begin, int64_t count);
Array column_range(const Array& x, int64_t begin, int64_t count);
/// Returns x[..., order[..., i], :] for every i; `order` is in bounds.
Array rows_in_order(const Array& x, const Array& order);
/// Appends rows and columns of zeros.
Array padded(const Array& x, int64_t more_rows, int64_t more_columns);

/// Returns the shape of `x` with another type.
inline Shape typed(const Array& x, ElementType type) { return x.aval_shape().with_element_type(type); }

}  // namespace hilo::lax::matrix
