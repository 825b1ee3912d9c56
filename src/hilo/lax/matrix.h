// SPDX-License-Identifier: Apache-2.0
// lax/matrix.h -- algebra on the matrices in an array's last two dimensions, for rules and for hilo::linalg. No promotion,
// no broadcasting of batch dimensions.
#pragma once

#include "hilo/trace/ops.h"

namespace hilo::lax::matrix {

inline int64_t rows(const Array& x) { return x.shape(-2); }
inline int64_t columns(const Array& x) { return x.shape(-1); }

/// The dimensions before the last `inner`.
std::vector<int64_t> batch_shape(const Array& x, int64_t inner = 2);
/// `batch` with `inner` behind it.
std::vector<int64_t> joined(std::vector<int64_t> batch, std::initializer_list<int64_t> inner);

Array transposed(const Array& x);
/// Identity on real types.
Array conjugate(const Array& x);
Array adjoint(const Array& x);
/// Identity on real types.
Array real_part(const Array& x);
/// A b, with equal batch dimensions.
Array product(const Array& a, const Array& b);

/// Zero above (below) diagonal `k`.
Array tril(const Array& x, int64_t k = 0);
Array triu(const Array& x, int64_t k = 0);
/// True at column - row >= k, of `shape`'s dimensions.
Array upper_mask(const Shape& shape, int64_t k);
/// Ones on diagonal `k`; batched like `shape`, whose last two dimensions are the matrix's.
Array identity(const Shape& shape, int64_t k = 0);
/// The diagonal, and a square matrix that has one.
Array diagonal(const Array& x);
Array diagonal_matrix(const Array& v);

/// v[..., j] at every row, v[..., i] at every column, of an array of `x`'s dimensions and v's type.
Array along_rows(const Array& v, const Array& x);
Array along_columns(const Array& v, const Array& x);

inline Array scaled(const Array& x, double factor) { return ops::mul(x, ops::full_like(x, factor)); }
/// The first `count` rows (columns) from `begin` on.
Array row_range(const Array& x, int64_t begin, int64_t count);
Array column_range(const Array& x, int64_t begin, int64_t count);
/// x[..., order[..., i], :] for every i, where `order` is in bounds.
Array rows_in_order(const Array& x, const Array& order);
/// Zeros around: rows and columns behind.
Array padded(const Array& x, int64_t more_rows, int64_t more_columns);

/// The shape of `x` with another type.
inline Shape typed(const Array& x, ElementType type) { return x.aval_shape().with_element_type(type); }

}  // namespace hilo::lax::matrix
