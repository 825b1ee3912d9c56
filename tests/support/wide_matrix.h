// SPDX-License-Identifier: Apache-2.0
// tests/support/wide_matrix.h -- dense matrices of wide numbers, by plain loops, for checking samples of linear
// algebra.
#pragma once

#include <vector>

#include "tests/support/number.h"

namespace hilo::tests {

struct WideMatrix {
  int64_t rows = 0, columns = 0;
  std::vector<Wide> elements;  ///< row by row

  WideMatrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), elements(static_cast<size_t>(rows * columns)) {}
  Wide& operator()(int64_t i, int64_t j) { return elements[static_cast<size_t>(i * columns + j)]; }
  const Wide& operator()(int64_t i, int64_t j) const { return elements[static_cast<size_t>(i * columns + j)]; }
};

/// Item `item` of a batch with `batch_rank` dimensions in front: a matrix, or a vector as one column.
WideMatrix matrix_at(const Literal& batch, int64_t batch_rank, int64_t item);

WideMatrix identity_matrix(int64_t rows, int64_t columns);
WideMatrix diagonal_matrix(const WideMatrix& column);
WideMatrix product(const WideMatrix& a, const WideMatrix& b);
WideMatrix adjoint(const WideMatrix& a);
/// The first rows and columns; zeros beyond the matrix.
WideMatrix corner(const WideMatrix& a, int64_t rows, int64_t columns);
/// Column j is column `from[j]`.
WideMatrix columns_in_order(const WideMatrix& a, const std::vector<int64_t>& from);
/// The elements where column - row >= k, else 0.
WideMatrix upper_part(const WideMatrix& a, int64_t k = 0);

/// The maximum magnitude of the elements; infinity if one is NaN.
long double greatest(const WideMatrix& a);
/// The maximum difference of two elements; infinity for different sizes.
long double distance(const WideMatrix& a, const WideMatrix& b);

}  // namespace hilo::tests
