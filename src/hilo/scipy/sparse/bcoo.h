// SPDX-License-Identifier: Apache-2.0
// scipy/sparse/bcoo.h -- jax.experimental.sparse.BCOO: arrays that store only some elements, with their indices.
#pragma once

#include <utility>
#include <vector>

#include "hilo/lax/dot.h"
#include "hilo/numpy/dtypes.h"
#include "hilo/tree/tree.h"

namespace hilo::scipy::sparse {

struct BCOOOptions {
  numpy::Shape shape = {};      ///< shape of the whole array, batches included
  bool indices_sorted = false;  ///< promise that the indices are sorted
  bool unique_indices = false;  ///< promise that no index occurs twice
};
struct FromDenseOptions {
  /// Number of stored elements; default: the number of nonzero elements, which must be known.
  std::optional<int64_t> nse = std::nullopt;
  int64_t n_batch = 0;  ///< number of leading batch axes; each batch has its own indices
  int64_t n_dense = 0;  ///< number of trailing dense axes, stored whole at each index
  ElementType index_dtype = ElementType::kS32;
};
struct SumDuplicatesOptions {
  std::optional<int64_t> nse =
      std::nullopt;  ///< number of stored indices; default the number of distinct indices, which must be known
};

/// A sparse array: data[b..., i, d...] is stored at the index indices[b..., i, :] of batch b. Its axes are batch axes,
/// sparse axes and dense axes, in this order. Elements stored twice count as their sum; indices out of bounds are
/// padding. A pytree of two arrays, so that jit, vmap, scan and checkpoints accept it.
/// Gradient    by data: sparse::grad. hilo::grad would also differentiate by the indices, which are integers
/// Example     const auto m = sparse::BCOO::fromdense(numpy::eye(2));
///             m.matmul(numpy::array({1.0, 2.0}))  // [1. 2.]
///             (2 * m).T().todense()  // [[2. 0.] [0. 2.]]
class BCOO {
 public:
  Array data;     ///< [batches, stored, dense axes]
  Array indices;  ///< [batches, stored, sparse axes]

  BCOO() = default;
  /// Creates a sparse array from data and indices.
  /// Shapes    data[n], indices[n, k] and a shape of k axes; or with leading batch axes and trailing dense axes
  /// Errors    INVALID_ARGUMENT for shapes that don't match, or indices that are not integers
  BCOO(const std::pair<Array, Array>& data_and_indices, const BCOOOptions& options,
       numpy::Line line = numpy::Line::current());
  /// Converts a dense array.
  /// Errors    INVALID_ARGUMENT for too many batch and dense axes; ConcretizationError for traced elements without nse
  static BCOO fromdense(const Operand& mat, const FromDenseOptions& options = {});

  numpy::Shape shape() const;
  ElementType dtype() const { return data.dtype(); }
  int64_t ndim() const { return n_batch() + std::ssize(sizes_); }
  int64_t size() const;
  int64_t nse() const { return indices.shape(-2); }  ///< number of stored elements in each batch
  int64_t n_batch() const { return indices.ndim() - 2; }
  int64_t n_sparse() const { return indices.shape(-1); }
  int64_t n_dense() const { return data.ndim() - 1 - n_batch(); }

  Array todense() const;
  /// Returns an array with the same indices and other data.
  BCOO with_data(const Array& values) const;
  BCOO astype(ElementType type) const { return with_data(numpy::astype(data, type)); }
  /// Reverses the order of axes; only without batch and dense axes.
  BCOO T() const { return transpose(); }
  BCOO transpose(const Axes& axes = std::nullopt) const;
  BCOO reshape(const numpy::Shape& shape) const;
  /// Sorts the indices and sums duplicates. Padding moves to the end.
  BCOO sum_duplicates(const SumDuplicatesOptions& options = {}) const;
  BCOO sort_indices() const;
  /// Sums over all axes, or over some; the result has the remaining axes.
  BCOO sum(const Axes& axis = std::nullopt) const;

  /// Multiplies by a dense array, as matmul; the result is dense. To multiply matrices from the left, use lmatmul.
  Array matmul(const Operand& b) const;
  Array dot(const Operand& b) const { return matmul(b); }

  HILO_TREE(data, indices, sizes_, indices_sorted_, unique_indices_)

 private:
  friend Array bcoo_dot_general(const BCOO& lhs, const Operand& rhs, const lax::DotDimensionNumbers& dimension_numbers);
  friend BCOO operator+(const BCOO& a, const BCOO& b);

  std::vector<int64_t> sizes_;  ///< sizes of the axes behind the batch axes
  bool indices_sorted_ = false, unique_indices_ = false;
};

/// Contracts sparse axes with axes of a dense array, as lax::dot_general; the result is dense.
/// Shapes      those of dot_general
/// Errors      UNIMPLEMENTED for batch and dense axes of lhs: use vmap
/// Cost        proportional to the stored elements times the free elements of rhs
Array bcoo_dot_general(const BCOO& lhs, const Operand& rhs, const lax::DotDimensionNumbers& dimension_numbers);
struct BcooDotOptions {
  lax::DotDimensionNumbers dimension_numbers;
};
template <int = 0>
Array bcoo_dot_general(const BCOO& lhs, const Operand& rhs, const BcooDotOptions& options) {
  return bcoo_dot_general(lhs, rhs, options.dimension_numbers);
}

/// Multiplies elementwise by a dense array or a number that broadcasts to the shape; the indices stay the same.
BCOO operator*(const BCOO& a, const Operand& b);
BCOO operator*(const Operand& a, const BCOO& b);
BCOO operator/(const BCOO& a, const Operand& b);
BCOO operator-(const BCOO& a);
/// Adds two sparse arrays; the result stores the elements of both.
/// Errors    INVALID_ARGUMENT for different shapes
BCOO operator+(const BCOO& a, const BCOO& b);
BCOO operator-(const BCOO& a, const BCOO& b);

// JAX's names of these functions.
inline BCOO bcoo_fromdense(const Operand& mat, const FromDenseOptions& options = {}) {
  return BCOO::fromdense(mat, options);
}
inline Array bcoo_todense(const BCOO& mat) { return mat.todense(); }
inline Array todense(const BCOO& mat) { return mat.todense(); }
Array bcoo_extract(const BCOO& places, const Operand& mat);  ///< elements of a dense array at the indices
inline BCOO bcoo_multiply_dense(const BCOO& a, const Operand& b) { return a * b; }
inline BCOO bcoo_reduce_sum(const BCOO& mat, const Axes& axes) { return mat.sum(axes); }
inline BCOO bcoo_sum_duplicates(const BCOO& mat, const SumDuplicatesOptions& options = {}) {
  return mat.sum_duplicates(options);
}
/// Returns an array without stored elements.
BCOO empty(const numpy::Shape& shape, numpy::Dtype dtype = std::nullopt);
/// Returns the sparse identity matrix, with ones on the k-th diagonal.
BCOO eye(int64_t N, std::optional<int64_t> M = std::nullopt, int64_t k = 0, numpy::Dtype dtype = std::nullopt);
std::ostream& operator<<(std::ostream& out, const BCOO& mat);  ///< Prints "BCOO(f32[3, 4], nse=2)".

}  // namespace hilo::scipy::sparse

namespace hilo::numpy {
/// Multiplies a sparse and a dense array; the result is dense.
Array matmul(const scipy::sparse::BCOO& a, const Operand& b);
Array matmul(const Operand& a, const scipy::sparse::BCOO& b);
}  // namespace hilo::numpy

namespace hilo {
namespace sparse = scipy::sparse;  ///< as in `from jax.experimental import sparse`
namespace experimental {
namespace sparse = scipy::sparse;
}  // namespace experimental
}  // namespace hilo
