// SPDX-License-Identifier: Apache-2.0
// scipy/sparse/direct.h -- direct solvers of sparse linear systems: LU, LDL^T and Cholesky factorizations whose order
// and memory are computed once per pattern.
#pragma once

#include <functional>

#include "hilo/scipy/sparse/bcsr.h"
#include "hilo/transform/sparse_jacobian.h"

namespace hilo::scipy::sparse::linalg {

enum class Factorization : uint8_t {
  kLu,        ///< any matrix; rows are exchanged within dense blocks
  kLdl,       ///< symmetric matrices that need no exchanges, for example quasi-definite ones
  kCholesky,  ///< symmetric positive definite matrices
};

struct SolveOptions {
  /// 'N' solves A x = b, 'T' or 'H' solves A^T x = b.
  char trans = 'N';
};

namespace detail {
struct Analyzed;
}  // namespace detail

/// The factors of a matrix: scipy.sparse.linalg.SuperLU.
class Factors {
 public:
  /// Solves A x = b.
  /// Shapes     b [n] or [n, k]
  /// Types      the common type of matrix and b, f32 or f64
  /// Cost       proportional to nnz() * k; factors that lost digits cost one more solution per step of refinement
  /// Gradient   with respect to the stored elements of A and to b, by one solution with the transposed factors; the
  ///            gradient with respect to A has A's pattern
  Array solve(const Operand& b, const SolveOptions& options = {}) const;
  /// 0, or 1 + the number of a column: there, a singular matrix has no pivot, or one that is not positive definite has
  /// none above 0. Solutions are then NaN. s32.
  Array info() const;
  numpy::Shape shape() const;
  int64_t nnz() const;  ///< number of elements of both factors

 private:
  friend class Symbolic;
  std::shared_ptr<const detail::Analyzed> analyzed_;
  Array data_, factor_, pivots_, info_;
};

/// The order of elimination and the fill of all matrices of one pattern.
class Symbolic {
 public:
  /// Factors the matrix with these elements, in the order of the pattern's entries.
  /// Shapes     data [entries]
  /// Types      f32, f64; other real types are converted to f32
  /// Errors     INVALID_ARGUMENT for another shape or complex elements; FAILED_PRECONDITION if a known matrix is
  ///            singular, or not positive definite for kCholesky. If elements are traced, Factors::info() is nonzero
  /// Gradient   see Factors::solve
  Factors factor(const Operand& data) const;
  /// Factors the matrix, and solves A x = b.
  Array solve(const Operand& data, const Operand& b, const SolveOptions& options = {}) const;

  numpy::Shape shape() const;
  int64_t nnz() const;        ///< number of elements of both factors
  int64_t blocks() const;     ///< number of diagonal blocks of the block triangular form
  double operations() const;  ///< number of multiplications of one factorization

 private:
  friend Symbolic analyzed(const std::vector<int32_t>&, const std::vector<int32_t>&, int64_t, Factorization,
                           const std::optional<Array>&);
  std::shared_ptr<const detail::Analyzed> analyzed_;
};

struct AnalyzeOptions {
  Factorization factorization = Factorization::kLu;
  /// Elements of a typical matrix. kLu then prefers large elements as pivots. Default: elements on the diagonal.
  std::optional<Array> sample = std::nullopt;
};

/// Computes the order of elimination for a pattern. Programs with traced elements of known positions do this outside of
/// jit, vmap and grad, or at trace time. Equal patterns are analyzed once; the last 16 are retained.
/// Types      the indices must be known: not arguments of jit or vmap
/// Errors     INVALID_ARGUMENT if the matrix is not square; if all matrices of the pattern are singular; if the pattern
///            is not symmetric, except for kLu. ConcretizationError for traced indices
/// Source     minimum degree: Amestoy, Davis and Duff (1996); pivots: Duff and Koster (2001); block triangular form:
///            Tarjan (1972); fronts: Duff and Reid (1983)
/// Example    const auto symbolic = sparse::linalg::analyze(SparsityPattern::banded(3, 3, 1));
///            const Array data = numpy::array({2.0f, 1.0f, 1.0f, 2.0f, 1.0f, 1.0f, 2.0f});
///            const auto solve = [&](Array d) { return symbolic.solve(d, numpy::ones({3})); };
///            jit(vmap(solve))(numpy::stack({data, 2 * data}))  // [[0.5 0. 0.5 ] [0.25 0. 0.25]]
Symbolic analyze(const SparsityPattern& pattern, const AnalyzeOptions& options = {});
Symbolic analyze(const BCOO& mat, const AnalyzeOptions& options = {});
Symbolic analyze(const BCSR& mat, const AnalyzeOptions& options = {});
Symbolic analyze(const SparseMatrix& mat, const AnalyzeOptions& options = {});

/// Factors a sparse matrix: scipy.sparse.linalg.splu. Its indices must be known; its elements may be traced.
/// Errors     as analyze() and Symbolic::factor()
/// Differs    from SciPy: rows are exchanged only within dense blocks, which are chosen without the values. If small
///            pivots cost digits, solutions are refined. If that fails, they are NaN.
/// Example    const auto a = sparse::BCOO::fromdense(numpy::array({{4.0f, 1.0f}, {2.0f, 3.0f}}));
///            sparse::linalg::splu(a).solve(numpy::array({6.0f, 8.0f}))  // [1. 2.]
Factors splu(const BCOO& A);
Factors splu(const BCSR& A);
Factors splu(const SparseMatrix& A);

/// Factors a symmetric positive definite sparse matrix with both triangles stored: half of the work of splu.
/// Errors     as splu()
/// Example    const auto a = sparse::BCOO::fromdense(numpy::array({{4.0f, 1.0f}, {1.0f, 3.0f}}));
///            sparse::linalg::cholesky(a).solve(numpy::array({6.0f, 7.0f}))  // [1. 2.]
Factors cholesky(const BCOO& A);
Factors cholesky(const BCSR& A);
Factors cholesky(const SparseMatrix& A);

/// Solves A x = b: scipy.sparse.linalg.spsolve.
/// Shapes     b [n] or [n, k]
/// Errors     as splu()
/// Gradient   with respect to A's elements (sparse::grad) and b
/// Example    const auto a = sparse::BCOO::fromdense(numpy::array({{4.0f, 1.0f}, {2.0f, 3.0f}}));
///            sparse::linalg::spsolve(a, numpy::array({6.0f, 8.0f}))  // [1. 2.]
Array spsolve(const BCOO& A, const Operand& b);
Array spsolve(const BCSR& A, const Operand& b);
Array spsolve(const SparseMatrix& A, const Operand& b);

/// Factors A, and returns the function that solves A x = b: scipy.sparse.linalg.factorized.
/// Errors     as splu()
/// Example    const auto solve = sparse::linalg::factorized(sparse::eye(2));
///            solve(numpy::array({1.0f, 2.0f}))  // [1. 2.]
std::function<Array(const Array&)> factorized(const BCOO& A);
std::function<Array(const Array&)> factorized(const BCSR& A);
std::function<Array(const Array&)> factorized(const SparseMatrix& A);

}  // namespace hilo::scipy::sparse::linalg
