// SPDX-License-Identifier: Apache-2.0
// scipy/sparse/bcoo.h -- jax.experimental.sparse.BCOO: arrays of which only some elements are stored, each beside its place.
#pragma once

#include <utility>
#include <vector>

#include "hilo/lax/dot.h"
#include "hilo/numpy/dtypes.h"
#include "hilo/tree/tree.h"

namespace hilo::scipy::sparse {

struct BCOOOptions {
  numpy::Shape shape = {};      ///< of the whole array, batches too
  bool indices_sorted = false;  ///< the caller's promise
  bool unique_indices = false;  ///< the caller's promise
};
struct FromDenseOptions {
  /// How many elements are stored; by default those that aren't 0, whose number must be known then.
  std::optional<int64_t> nse = std::nullopt;
  int64_t n_batch = 0;  ///< leading axes: each batch has its own places
  int64_t n_dense = 0;  ///< trailing axes: stored whole at each place
  ElementType index_dtype = ElementType::kS32;
};
struct SumDuplicatesOptions {
  std::optional<int64_t> nse =
      std::nullopt;  ///< places that are kept; by default as many as differ, which must be known then
};

/// A sparse array: data[b..., i, d...] is stored at the place indices[b..., i, :] of batch b. Its axes are batches, then those
/// with places, then dense ones. Places that are stored twice count as their sum; what lies outside is padding. A tree of
/// two arrays: it goes through jit, vmap, scan and checkpoints.
/// Gradient    of data: sparse::grad. grad itself wants the places, which are integers, too
/// Example     const auto m = sparse::BCOO::fromdense(numpy::eye(3));  m.matmul(x);  (2 * m).T().todense();
class BCOO {
 public:
  Array data;     ///< [batches, stored, dense axes]
  Array indices;  ///< [batches, stored, axes with places]

  BCOO() = default;
  /// Shapes    data[n], indices[n, k] and a shape of k axes; or with batches before and dense axes behind
  /// Errors    INVALID_ARGUMENT for shapes that don't fit, or places that aren't integers
  BCOO(const std::pair<Array, Array>& data_and_indices, const BCOOOptions& options,
       numpy::Line line = numpy::Line::current());
  /// Errors    INVALID_ARGUMENT for more axes than there are; ConcretizationError without nse where elements aren't known
  static BCOO fromdense(const Operand& mat, const FromDenseOptions& options = {});

  numpy::Shape shape() const;
  ElementType dtype() const { return data.dtype(); }
  int64_t ndim() const { return n_batch() + std::ssize(sizes_); }
  int64_t size() const;
  int64_t nse() const { return indices.shape(-2); }  ///< elements that are stored, of each batch
  int64_t n_batch() const { return indices.ndim() - 2; }
  int64_t n_sparse() const { return indices.shape(-1); }
  int64_t n_dense() const { return data.ndim() - 1 - n_batch(); }

  Array todense() const;
  /// The same places with other data.
  BCOO with_data(const Array& values) const;
  BCOO astype(ElementType type) const { return with_data(numpy::astype(data, type)); }
  /// The axes in another order; of an array without batches and dense axes.
  BCOO T() const { return transpose(); }
  BCOO transpose(const Axes& axes = std::nullopt) const;
  BCOO reshape(const numpy::Shape& shape) const;
  /// Places in order, each once. Padding goes to the end.
  BCOO sum_duplicates(const SumDuplicatesOptions& options = {}) const;
  BCOO sort_indices() const;
  /// Over all axes, or some: what is left has the places that are left.
  BCOO sum(const Axes& axis = std::nullopt) const;

  /// Products with dense arrays, as matmul; the result is dense. x.T() x for matrices from the left: lmatmul.
  Array matmul(const Operand& b) const;
  Array dot(const Operand& b) const { return matmul(b); }

  HILO_TREE(data, indices, sizes_, indices_sorted_, unique_indices_)

 private:
  friend Array bcoo_dot_general(const BCOO& lhs, const Operand& rhs, const lax::DotDimensionNumbers& dimension_numbers);
  friend BCOO operator+(const BCOO& a, const BCOO& b);

  std::vector<int64_t> sizes_;  ///< of the axes behind the batches
  bool indices_sorted_ = false, unique_indices_ = false;
};

/// Contracts axes that have places with axes of a dense array: lax::dot_general. The result is dense.
/// Shapes      of dot_general
/// Errors      UNIMPLEMENTED for batches and dense axes of lhs: vmap over those
/// Cost        of stored elements times what each meets
Array bcoo_dot_general(const BCOO& lhs, const Operand& rhs, const lax::DotDimensionNumbers& dimension_numbers);
struct BcooDotOptions {
  lax::DotDimensionNumbers dimension_numbers;
};
template <int = 0>
Array bcoo_dot_general(const BCOO& lhs, const Operand& rhs, const BcooDotOptions& options) {
  return bcoo_dot_general(lhs, rhs, options.dimension_numbers);
}

/// Element by element with a dense array or a number that broadcasts to the shape: the places stay.
BCOO operator*(const BCOO& a, const Operand& b);
BCOO operator*(const Operand& a, const BCOO& b);
BCOO operator/(const BCOO& a, const Operand& b);
BCOO operator-(const BCOO& a);
/// All that is stored in either. Errors    INVALID_ARGUMENT for other shapes
BCOO operator+(const BCOO& a, const BCOO& b);
BCOO operator-(const BCOO& a, const BCOO& b);

// JAX's names of these as functions.
inline BCOO bcoo_fromdense(const Operand& mat, const FromDenseOptions& options = {}) {
  return BCOO::fromdense(mat, options);
}
inline Array bcoo_todense(const BCOO& mat) { return mat.todense(); }
inline Array todense(const BCOO& mat) { return mat.todense(); }
Array bcoo_extract(const BCOO& places, const Operand& mat);  ///< the elements of a dense array at the places
inline BCOO bcoo_multiply_dense(const BCOO& a, const Operand& b) { return a * b; }
inline BCOO bcoo_reduce_sum(const BCOO& mat, const Axes& axes) { return mat.sum(axes); }
inline BCOO bcoo_sum_duplicates(const BCOO& mat, const SumDuplicatesOptions& options = {}) {
  return mat.sum_duplicates(options);
}
/// Nothing is stored; ones on the diagonal.
BCOO empty(const numpy::Shape& shape, numpy::Dtype dtype = std::nullopt);
BCOO eye(int64_t N, std::optional<int64_t> M = std::nullopt, int64_t k = 0, numpy::Dtype dtype = std::nullopt);
std::ostream& operator<<(std::ostream& out, const BCOO& mat);  ///< "BCOO(f32[3, 4], nse=2)"

}  // namespace hilo::scipy::sparse

namespace hilo::numpy {
/// A dense array times a sparse one, or the other way round; the result is dense.
Array matmul(const scipy::sparse::BCOO& a, const Operand& b);
Array matmul(const Operand& a, const scipy::sparse::BCOO& b);
}  // namespace hilo::numpy

namespace hilo {
namespace sparse = scipy::sparse;  ///< as `from jax.experimental import sparse` has it
namespace experimental {
namespace sparse = scipy::sparse;
}  // namespace experimental
}  // namespace hilo
