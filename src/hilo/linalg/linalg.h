// SPDX-License-Identifier: Apache-2.0
// linalg/linalg.h -- jax.numpy.linalg. Matrices are in the last two dimensions; leading dimensions are batches, which
// broadcast. Integers become floats. Decompositions accept f32, f64 and complex numbers, but no 16-bit floats, as in
// JAX.
#pragma once

#include <optional>
#include <string_view>

#include "hilo/lax/decompositions.h"
#include "hilo/lax/precision.h"
#include "hilo/numpy/contractions.h"
#include "hilo/numpy/dtypes.h"

namespace hilo::linalg {

struct CholeskyOptions {
  bool upper = false;
  bool symmetrize_input = true;
};
/// Returns the Cholesky factor: the lower triangular L with a = L L^H, or the upper one. NaN if `a` is not positive
/// definite.
/// Shapes     [..., n, n] -> [..., n, n]
/// Example    cholesky(numpy::array({{4.0, 2.0}, {2.0, 5.0}}))  // [[2. 0.] [1. 2.]]
Array cholesky(const Operand& a, const CholeskyOptions& options = {});

/// Solves a x = b for x. A one-dimensional b is one right-hand side.
/// Shapes     a[..., n, n], b[..., n, k] or b[n] -> as b
/// Cost       one LU decomposition, O(n^3)
/// Example    solve(numpy::array({{2.0, 0.0}, {0.0, 4.0}}), numpy::array({2.0, 8.0}))  // [1. 2.]
Array solve(const Operand& a, const Operand& b);
/// Returns the inverse of a matrix. To solve a system, use solve, which is faster and more accurate.
/// Example    inv(numpy::array({{2.0, 0.0}, {0.0, 4.0}}))  // [[0.5 0. ] [0. 0.25]]
Array inv(const Operand& a);
/// Returns the determinant.
/// Gradient   correct also for singular matrices: the adjugate
/// Cost       two LU decompositions for 4 rows and more
/// Example    det(numpy::array({{1.0, 2.0}, {3.0, 4.0}}))  // -2.0
Array det(const Operand& a);
struct SlogdetOptions {
  std::optional<const char*> method = std::nullopt;  ///< "lu" (default) or "qr"
};
struct SlogdetResult {
  Array sign, logabsdet;
};
/// Returns the sign and the logarithm of the absolute value of the determinant; {0, -inf} for a singular matrix.
/// Gradient   zero for the sign; not finite for the logarithm of a singular matrix
SlogdetResult slogdet(const Operand& a, const SlogdetOptions& options = {});

struct QrOptions {
  /// "reduced" (or "full", its old name), "complete" or "raw"; for JAX's mode "r", use qr(a).r
  const char* mode = "reduced";
};
struct QrResult {
  Array q, r;
};
/// Computes the QR decomposition a = q r. Mode "raw" returns LAPACK's result: q has the reflectors and r, transposed,
/// and r has the factors of the reflectors.
/// Errors     INVALID_ARGUMENT for an unknown mode
/// Example    qr(numpy::ones({3, 2})).q.shape()  // (3, 2)
QrResult qr(const Operand& a, const QrOptions& options = {});
template <int = 0>
QrResult qr(const Operand& a, const char* mode) {
  return qr(a, QrOptions{.mode = mode});
}

struct SvdOptions {
  bool full_matrices = true;
  bool compute_uv = true;  ///< false is rejected: use svdvals
  bool hermitian = false;  ///< whether a is Hermitian: then the decomposition is computed from its eigenvectors
  /// Range of singular values to return: [first, end).
  lax::linalg::IndexRange subset_by_index = std::nullopt;
};
struct SvdResult {
  Array u, s, vh;
  operator Array() const = delete;  // svd(a, {.compute_uv = false}) is svdvals(a)
};
/// Computes the singular value decomposition a = u diag(s) vh. Singular values are in descending order.
/// Errors     INVALID_ARGUMENT for compute_uv = false
/// Example    svd(numpy::array({{3.0, 0.0}, {0.0, 4.0}})).s  // [4. 3.]
///            svd(numpy::ones({3, 2}), false).u.shape()  // (3, 2)
SvdResult svd(const Operand& a, const SvdOptions& options = {});
template <std::same_as<bool> T>
SvdResult svd(const Operand& a, T full_matrices) {
  return svd(a, SvdOptions{.full_matrices = full_matrices});
}
/// Returns the singular values, in descending order.
Array svdvals(const Operand& a);

struct EighOptions {
  /// The triangle that is read if the input is not symmetrized: "L" (default) or "U".
  std::optional<const char*> UPLO = std::nullopt;
  bool symmetrize_input = true;
};
struct EighResult {
  Array eigenvalues, eigenvectors;
};
/// Computes the eigenvalues, in ascending order, and the eigenvectors, as columns, of a Hermitian matrix. By default,
/// uses the Hermitian part of `a`; otherwise only one triangle.
/// Example    eigh(numpy::array({{2.0, 1.0}, {1.0, 2.0}})).eigenvalues  // [1. 3.]
EighResult eigh(const Operand& a, const EighOptions& options = {});
/// Returns the eigenvalues of a Hermitian matrix, in ascending order.
/// Example    eigvalsh(numpy::array({{2.0, 1.0}, {1.0, 2.0}}))  // [1. 3.]
Array eigvalsh(const Operand& a, const EighOptions& options = {});
/// Computes the complex eigenvalues and eigenvectors of a general matrix, in LAPACK's order.
/// Gradient   of the eigenvalues only, as in jax.numpy; lax::linalg::eig has that of the eigenvectors
EighResult eig(const Operand& a);
/// Returns the complex eigenvalues of a general matrix, in LAPACK's order.
Array eigvals(const Operand& a);

struct LstsqOptions {
  std::optional<double> rcond = std::nullopt;
  bool numpy_resid =
      false;  ///< if true, no residuals where NumPy returns none: rank below the number of columns, or m <= n
};
struct LstsqResult {
  Array x, resid, rank, s;
};
/// Solves min |a x - b| in the least-squares sense; of all solutions, returns the shortest. Singular values below
/// `rcond` times the greatest count as zero; default epsilon * max(m, n).
/// Shapes     a[m, n], b[m] or b[m, k]
/// Example    const Array a = numpy::array({{1.0, 0.0}, {1.0, 1.0}, {1.0, 2.0}});
///            lstsq(a, numpy::array({1.0, 3.0, 5.0})).x  // [1. 2.]
LstsqResult lstsq(const Operand& a, const Operand& b, const LstsqOptions& options = {});
struct PinvOptions {
  std::optional<Array> rtol = std::nullopt;
  bool hermitian = false;
  std::optional<Array> rcond = std::nullopt;  ///< old name of rtol
};
struct MatrixRankOptions {
  std::optional<Array> rtol = std::nullopt;
  bool hermitian = false;
  std::optional<Array> tol = std::nullopt;  ///< old name of rtol
};
/// Returns the Moore-Penrose pseudo-inverse. Singular values below `rtol` times the greatest count as zero; default 10
/// * max(m, n) * epsilon.
Array pinv(const Operand& a, const PinvOptions& options = {});
/// Returns the number of singular values above `rtol` times the greatest; default max(m, n) * epsilon.
Array matrix_rank(const Operand& M, const MatrixRankOptions& options = {});
/// Raises a matrix to the power of n; a negative power inverts it.
/// Example    matrix_power(numpy::array({{1, 1}, {0, 1}}), 3)  // [[1 3] [0 1]]
Array matrix_power(const Operand& a, int64_t n);

/// The order of a norm: a number, "fro" or "nuc".
struct Ord {
  enum class Kind : uint8_t { kNumber, kFrobenius, kNuclear };
  Ord(double value) : value(value) {}  // implicit: numbers convert
  Ord(int value) : value(value) {}
  Ord(Kind kind) : kind(kind) {}
  Ord(const char* name);  // "fro" or "nuc"
  Kind kind = Kind::kNumber;
  double value = 2;  ///< may be infinite
};
inline constexpr Ord::Kind kFrobenius = Ord::Kind::kFrobenius, kNuclear = Ord::Kind::kNuclear;

struct NormOptions {
  numpy::Named named = numpy::Named();
  std::optional<Ord> ord = std::nullopt;
  numpy::Axes axis = std::nullopt;
  bool keepdims = false;
};
/// Returns a norm: of all elements by default, of vectors for one axis, or of matrices for two axes.
/// Errors     INVALID_ARGUMENT for an unknown order, or more than two axes with an order
/// Example    norm(numpy::array({3.0, 4.0}))  // 5.0
///            norm(numpy::array({3.0, -4.0}), 1)  // 7.0
Array norm(const Operand& x, const NormOptions& options = {});
template <int = 0>
Array norm(const Operand& x, const std::optional<Ord>& ord, const numpy::Axes& axis = std::nullopt,
           bool keepdims = false) {
  return norm(x, NormOptions{.ord = ord, .axis = axis, .keepdims = keepdims});
}
struct VectorNormOptions {
  numpy::Axes axis = std::nullopt;  ///< default: all elements
  bool keepdims = false;
  double ord = 2;
};
/// Returns the norm of vectors along an axis.
Array vector_norm(const Operand& x, const VectorNormOptions& options = {});
struct MatrixNormOptions {
  bool keepdims = false;
  Ord ord = kFrobenius;
};
/// Returns the norm of the matrices in the last two axes.
Array matrix_norm(const Operand& x, const MatrixNormOptions& options = {});
/// Returns the condition number: by default, the ratio of the greatest and the least singular value. With an order, the
/// product of the norms of the matrix and of its inverse.
/// Example    cond(numpy::array({{3.0, 0.0}, {0.0, 1.0}}))  // 3.0
Array cond(const Operand& x, const std::optional<Ord>& p = std::nullopt);

Array matrix_transpose(const Operand& x);  ///< last two axes exchanged
struct AxisOption {
  int64_t axis = -1;
};
/// Computes the cross product of vectors with three components along an axis.
Array cross(const Operand& x1, const Operand& x2, const AxisOption& options = {});
/// Computes the outer product of two vectors.
/// Errors    INVALID_ARGUMENT for other ranks
Array outer(const Operand& x1, const Operand& x2);
/// The type of the result. `precision` has no effect: products are always exact to the operands' type.
struct ProductOptions {
  lax::PrecisionLike precision = std::nullopt;
  numpy::Dtype preferred_element_type = std::nullopt;
};
/// Multiplies matrices; see numpy::matmul.
Array matmul(const Operand& x1, const Operand& x2, const ProductOptions& options = {});
struct VecdotOptions {
  int64_t axis = -1;
  lax::PrecisionLike precision = std::nullopt;
  numpy::Dtype preferred_element_type = std::nullopt;
};
/// Computes dot products of conj(x1) and x2 along an axis; the other axes broadcast.
Array vecdot(const Operand& x1, const Operand& x2, const VecdotOptions& options = {});
/// The summed axes of tensordot: a count n (the last n axes of x1 and the first n of x2), or pairs of axes: {{0, 1},
/// {1, 0}}.
class TensordotAxes {
 public:
  TensordotAxes(int64_t count) : count_(count) {}  // implicit: both convert
  TensordotAxes(std::vector<int64_t> of_x1, std::vector<int64_t> of_x2)
      : pairs_(std::pair(std::move(of_x1), std::move(of_x2))) {}
  Array product(const Operand& x1, const Operand& x2) const;

 private:
  int64_t count_ = 0;
  std::optional<std::pair<std::vector<int64_t>, std::vector<int64_t>>> pairs_;
};
struct TensordotOptions {
  TensordotAxes axes = 2;
  lax::PrecisionLike precision = std::nullopt;
  numpy::Dtype preferred_element_type = std::nullopt;
};
/// Sums products over axes of both operands; see numpy::tensordot.
Array tensordot(const Operand& x1, const Operand& x2, const TensordotOptions& options = {});
template <int = 0>
Array tensordot(const Operand& x1, const Operand& x2, const TensordotAxes& axes) {
  return tensordot(x1, x2, TensordotOptions{.axes = axes});
}
struct DiagonalOptions {
  int64_t offset = 0;
};
/// Returns the diagonals of the matrices in the last two axes.
Array diagonal(const Operand& x, const DiagonalOptions& options = {});
struct TraceOptions {
  int64_t offset = 0;
  numpy::Dtype dtype = std::nullopt;
};
/// Returns the sums of the diagonals of the matrices in the last two axes.
Array trace(const Operand& x, const TraceOptions& options = {});
struct MultiDotOptions {
  lax::PrecisionLike precision = std::nullopt;  ///< no effect: products are always exact to the operands' type
};
/// Multiplies matrices in the cheapest order. The first and the last operand may be vectors.
/// Errors    INVALID_ARGUMENT for fewer than two operands, or shapes that don't match
Array multi_dot(const std::vector<Array>& arrays, const MultiDotOptions& options = {},
                numpy::Line line = numpy::Line::current());
/// Returns the tensor b with tensordot(b, a, ind) = identity, for the first `ind` axes of a.
Array tensorinv(const Operand& a, int64_t ind = 2);
struct TensorinvOptions {
  int64_t ind = 2;
};
template <int = 0>
Array tensorinv(const Operand& a, const TensorinvOptions& options) {
  return tensorinv(a, options.ind);
}
struct TensorsolveOptions {
  numpy::Axes axes = std::nullopt;  ///< axes of a that are moved to the end first
};
/// Solves tensordot(a, x, x.ndim) = b for x.
Array tensorsolve(const Operand& a, const Operand& b, const TensorsolveOptions& options = {});

}  // namespace hilo::linalg

namespace hilo::numpy {
namespace linalg = hilo::linalg;  // as in jax.numpy
}  // namespace hilo::numpy
