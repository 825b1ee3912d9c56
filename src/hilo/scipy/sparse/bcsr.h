// SPDX-License-Identifier: Apache-2.0
// scipy/sparse/bcsr.h -- jax.experimental.sparse.BCSR: sparse matrices stored by rows.
#pragma once

#include <tuple>

#include "hilo/scipy/sparse/bcoo.h"

namespace hilo::scipy::sparse {

struct BCSROptions {
  numpy::Shape shape = {};      ///< [rows, columns]
  bool indices_sorted = false;  ///< promise that the indices are sorted
  bool unique_indices = false;  ///< promise that no index occurs twice
};

/// A sparse matrix by rows: row r has the elements data[indptr[r]] to data[indptr[r + 1] - 1], in the columns of
/// `indices`. Elements behind the last row, or out of bounds, are padding. A pytree of three arrays.
/// Gradient    by data: sparse::grad
class BCSR {
 public:
  Array data;     ///< [stored]
  Array indices;  ///< [stored]: columns
  Array indptr;   ///< [rows + 1]

  BCSR() = default;
  /// Creates a matrix from its three arrays.
  /// Errors    INVALID_ARGUMENT for shapes that don't match, or indices that are not integers
  BCSR(const std::tuple<Array, Array, Array>& data_indices_indptr, const BCSROptions& options,
       numpy::Line line = numpy::Line::current());
  /// Converts a dense matrix.
  /// Errors    ConcretizationError for traced elements without nse
  static BCSR fromdense(const Operand& mat, const FromDenseOptions& options = {});
  static BCSR from_bcoo(const BCOO& mat);  ///< for a matrix without batch and dense axes

  numpy::Shape shape() const { return {indptr.size() - 1, columns_}; }
  ElementType dtype() const { return data.dtype(); }
  int64_t ndim() const { return 2; }
  int64_t nse() const { return data.size(); }

  BCOO to_bcoo() const;
  Array todense() const { return to_bcoo().todense(); }
  BCSR with_data(const Array& values) const;
  BCSR astype(ElementType type) const { return with_data(numpy::astype(data, type)); }
  BCSR T() const { return from_bcoo(to_bcoo().T()); }
  BCSR sum_duplicates(const SumDuplicatesOptions& options = {}) const {
    return from_bcoo(to_bcoo().sum_duplicates(options));
  }
  Array matmul(const Operand& b) const { return to_bcoo().matmul(b); }
  Array dot(const Operand& b) const { return matmul(b); }

  HILO_TREE(data, indices, indptr, columns_, indices_sorted_, unique_indices_)

 private:
  int64_t columns_ = 0;
  bool indices_sorted_ = false, unique_indices_ = false;
};

/// Multiplies elementwise by a dense array or a number that broadcasts to the shape; the indices stay the same.
BCSR operator*(const BCSR& a, const Operand& b);
BCSR operator*(const Operand& a, const BCSR& b);
BCSR operator-(const BCSR& a);
inline BCSR bcsr_fromdense(const Operand& mat, const FromDenseOptions& options = {}) {
  return BCSR::fromdense(mat, options);
}
inline Array bcsr_todense(const BCSR& mat) { return mat.todense(); }
std::ostream& operator<<(std::ostream& out, const BCSR& mat);  ///< Prints "BCSR(f32[3, 4], nse=2)".

}  // namespace hilo::scipy::sparse

namespace hilo::numpy {
/// Multiplies a sparse and a dense array; the result is dense.
inline Array matmul(const scipy::sparse::BCSR& a, const Operand& b) { return matmul(a.to_bcoo(), b); }
inline Array matmul(const Operand& a, const scipy::sparse::BCSR& b) { return matmul(a, b.to_bcoo()); }
}  // namespace hilo::numpy
