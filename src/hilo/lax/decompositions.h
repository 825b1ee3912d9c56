// SPDX-License-Identifier: Apache-2.0
// lax/decompositions.h -- the decompositions of jax.lax.linalg that LAPACK computes, over the last two dimensions.
// hlo/ops/ext/linalg.h defines their results.
//   Types     f32, f64, c64, c128
//   Errors    INVALID_ARGUMENT for other types, and for shapes that don't fit
// If LAPACK fails, also for operands with NaN, results are NaN.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "hilo/array/array.h"

namespace hilo::lax::linalg {

struct LuResult {
  Array lu, pivots, permutation;
};
/// Computes x[permutation] = L U, both in `lu`: U on and above the diagonal, L below, with ones on its diagonal.
LuResult lu(const Operand& x);

struct QrResult {
  Array q, r;
};
/// Computes x = q r: q has orthonormal columns, r is upper triangular. Without full_matrices, q has at most as many
/// columns as x.
QrResult qr(const Operand& x, bool full_matrices = true);
struct PivotedQrResult {
  Array q, r, p;
};
/// Computes x[:, p] = q r with column pivoting: the absolute values on the diagonal of r don't increase.
/// Gradient   as for qr, of the columns in that order
PivotedQrResult qr_with_pivoting(const Operand& x, bool full_matrices = true);

struct ReflectorsResult {
  Array a, taus;
};
/// Computes qr in LAPACK's form: r, and below its diagonal the reflectors whose product is q.
ReflectorsResult geqrf(const Operand& x);
/// Computes x = Q H Q^H with zeros below the first subdiagonal of H, and Q as reflectors below it.
ReflectorsResult hessenberg(const Operand& x);
/// Computes Q from the reflectors that geqrf and hessenberg return.
Array householder_product(const Operand& a, const Operand& taus);
/// Multiplies by the Q of reflectors: op(Q) c, or c op(Q) if left is false. `transpose` selects the adjoint.
Array ormqr(const Operand& a, const Operand& taus, const Operand& c, bool left = true, bool transpose = false);

struct Geqp3Result {
  Array a, jpvt, taus;
};
/// Computes qr with column pivoting in LAPACK's form. Columns whose `jpvt` is 0 may move; the result's jpvt counts from
/// 1.
Geqp3Result geqp3(const Operand& x, const Operand& jpvt);

struct EighResult {
  Array v, w;  ///< eigenvectors; eigenvalues in ascending order
};
/// Computes eigenvectors and eigenvalues of a Hermitian matrix: jax.lax.linalg.eigh. With symmetrize_input it
/// decomposes (x + x^H) / 2; otherwise it reads one triangle.
/// Gradient   that of Hermitian matrices, as in JAX: without symmetrize_input, x and its tangent should be Hermitian.
///            For equal eigenvalues see docs/numerics.md.
/// Example    eigh(numpy::array({{2.0f, 1.0f}, {1.0f, 2.0f}})).w  // [1. 3.]
EighResult eigh(const Operand& x, bool lower = true, bool symmetrize_input = true);

struct TridiagonalResult {
  Array a, d, e, taus;
};
/// Computes a Hermitian x = Q T Q^H: T is tridiagonal with diagonal d and subdiagonal e; Q is given by reflectors in
/// `a` with `taus`.
TridiagonalResult tridiagonal(const Operand& x, bool lower = true);

/// Computes the singular value decomposition: jax.lax.linalg.svd. Returns {u, s, vh}, or {s} without compute_uv.
/// Example    svd(numpy::array({{3.0f, 0.0f}, {0.0f, -4.0f}}), true, false)[0]  // [4. 3.]
std::vector<Array> svd(const Operand& x, bool full_matrices = true, bool compute_uv = true);
/// Computes eigenvalues, and left and right eigenvectors if requested: jax.lax.linalg.eig. Vectors are LAPACK's: of
/// length 1, their largest component real.
/// Errors     UNIMPLEMENTED if vectors are differentiated without `enable_eigvec_derivs`
/// Gradient   of the vectors: correct only for distinct eigenvalues and a unique largest component, which can't be
///            checked; `enable_eigvec_derivs` accepts this
std::vector<Array> eig(const Operand& x, bool compute_left_eigenvectors = true, bool compute_right_eigenvectors = true,
                       bool enable_eigvec_derivs = false);
/// Computes the Schur decomposition: returns {t, z}, or {t} without compute_schur_vectors.
std::vector<Array> schur(const Operand& x, bool compute_schur_vectors = true);

// The overloads below take JAX's keyword arguments. `implementation` and `algorithm` are JAX's choices; hilo uses
// LAPACK. `subset_by_index` selects the eigenvalues from its first index to before its last, and their vectors.
// Errors     INVALID_ARGUMENT for a subset out of bounds, and for options that belong to another function
enum class EighImplementation : uint8_t { QR, JACOBI, QDWH };
enum class EigImplementation : uint8_t { CUSOLVER, MAGMA, LAPACK };
enum class SvdAlgorithm : uint8_t { DEFAULT, QR, JACOBI, POLAR, DIVIDE_AND_CONQUER };
/// A half-open range of indices, or none: {.subset_by_index = {0, 2}}.
class IndexRange {
 public:
  IndexRange(std::nullopt_t = std::nullopt) {}  // implicit, as None in JAX
  IndexRange(int64_t first, int64_t last) : numbers_(std::pair(first, last)) {}
  explicit operator bool() const { return numbers_.has_value(); }
  int64_t first() const { return numbers_->first; }
  int64_t last() const { return numbers_->second; }

 private:
  std::optional<std::pair<int64_t, int64_t>> numbers_;
};
struct QrOptions {
  bool pivoting = false;  ///< true selects qr_with_pivoting
  bool full_matrices = true;
};
struct PivotedQrOptions {
  bool full_matrices = true;
};
struct OrmqrOptions {
  bool left = true, transpose = false;
};
struct EighOptions {
  bool lower = true, symmetrize_input = true;
  bool sort_eigenvalues = true;  ///< ignored; eigenvalues are always sorted
  IndexRange subset_by_index = std::nullopt;
  std::optional<EighImplementation> implementation = std::nullopt;
};
struct TridiagonalOptions {
  bool lower = true;
};
struct SvdOptions {
  bool full_matrices = true, compute_uv = true;
  IndexRange subset_by_index = std::nullopt;
  std::optional<SvdAlgorithm> algorithm = std::nullopt;
};
struct EigOptions {
  bool compute_left_eigenvectors = true, compute_right_eigenvectors = true, enable_eigvec_derivs = false;
  std::optional<EigImplementation> implementation = std::nullopt;
};
struct SchurOptions {
  bool compute_schur_vectors = true;
  bool sort_eig_vals = false;  ///< ignored, as in JAX
};
namespace detail {
QrResult qr(const Operand& x, const QrOptions& options);
EighResult eigh(const Operand& x, const EighOptions& options);
std::vector<Array> svd(const Operand& x, const SvdOptions& options);
}  // namespace detail
template <int = 0>
QrResult qr(const Operand& x, const QrOptions& options) {
  return detail::qr(x, options);
}
template <int = 0>
PivotedQrResult qr_with_pivoting(const Operand& x, const PivotedQrOptions& options) {
  return qr_with_pivoting(x, options.full_matrices);
}
template <int = 0>
Array ormqr(const Operand& a, const Operand& taus, const Operand& c, const OrmqrOptions& options) {
  return ormqr(a, taus, c, options.left, options.transpose);
}
template <int = 0>
EighResult eigh(const Operand& x, const EighOptions& options) {
  return detail::eigh(x, options);
}
template <int = 0>
TridiagonalResult tridiagonal(const Operand& x, const TridiagonalOptions& options) {
  return tridiagonal(x, options.lower);
}
template <int = 0>
std::vector<Array> svd(const Operand& x, const SvdOptions& options) {
  return detail::svd(x, options);
}
template <int = 0>
std::vector<Array> eig(const Operand& x, const EigOptions& options) {
  return eig(x, options.compute_left_eigenvectors, options.compute_right_eigenvectors, options.enable_eigvec_derivs);
}
template <int = 0>
std::vector<Array> schur(const Operand& x, const SchurOptions& options) {
  return schur(x, options.compute_schur_vectors);
}

}  // namespace hilo::lax::linalg
