// SPDX-License-Identifier: Apache-2.0
// lax/decompositions.h -- the decompositions of jax.lax.linalg that are LAPACK's, over the last two dimensions. What they
// compute stands in hlo/ops/ext/linalg.h.
//   Types     f32, f64, c64, c128
//   Errors    INVALID_ARGUMENT for other types, and for shapes that don't fit
// Where LAPACK fails, also for operands with NaN, results are NaN.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "hilo/array/array.h"

namespace hilo::lax::linalg {

struct LuResult {
  Array lu, pivots, permutation;
};
/// x[permutation] = L U, both in `lu`: L below the diagonal, which is one.
LuResult lu(const Operand& x);

struct QrResult {
  Array q, r;
};
/// x = q r: q has orthonormal columns, r is upper triangular. Not full: no more columns of q than x has.
QrResult qr(const Operand& x, bool full_matrices = true);
struct PivotedQrResult {
  Array q, r, p;
};
/// x[:, p] = q r, where p brings the greatest of the columns that are left forward: the diagonal of r falls in size.
/// Gradient  as for qr, of the columns in that order
PivotedQrResult qr_with_pivoting(const Operand& x, bool full_matrices = true);

struct ReflectorsResult {
  Array a, taus;
};
/// As LAPACK keeps it: r of qr, and below its diagonal the reflectors whose product is q.
ReflectorsResult geqrf(const Operand& x);
/// x = Q H Q^H with zeros below the first subdiagonal of H; Q as reflectors below it.
ReflectorsResult hessenberg(const Operand& x);
/// Q of the reflectors that geqrf and hessenberg give.
Array householder_product(const Operand& a, const Operand& taus);
/// op(Q) c, or c op(Q); transposed means the adjoint.
Array ormqr(const Operand& a, const Operand& taus, const Operand& c, bool left = true, bool transpose = false);

struct Geqp3Result {
  Array a, jpvt, taus;
};
/// QR with column pivoting: columns whose `jpvt` is 0 may move; the result's counts from 1.
Geqp3Result geqp3(const Operand& x, const Operand& jpvt);

struct EighResult {
  Array v, w;  ///< vectors, ascending values
};
/// Of (x + x^H) / 2, or, not symmetrized, of the matrix that has that triangle.
/// Gradient  that of Hermitian matrices, as in JAX: not symmetrized, x and its tangent should be; at equal
///           values as docs/numerics.md says
EighResult eigh(const Operand& x, bool lower = true, bool symmetrize_input = true);

struct TridiagonalResult {
  Array a, d, e, taus;
};
/// A Hermitian x = Q T Q^H: T has diagonal d and e beside it, Q is reflectors in `a` with `taus`.
TridiagonalResult tridiagonal(const Operand& x, bool lower = true);

/// {u, s, vh}, or {s}
std::vector<Array> svd(const Operand& x, bool full_matrices = true, bool compute_uv = true);
/// {values, then left and right vectors where asked for}. Vectors are LAPACK's: of length 1, their greatest component real.
/// Their derivatives hold only of distinct values and where no two components are greatest, which can't be checked: they
/// are for those who say `enable_eigvec_derivs`.
/// Errors    UNIMPLEMENTED where vectors are differentiated without it
std::vector<Array> eig(const Operand& x, bool compute_left_eigenvectors = true, bool compute_right_eigenvectors = true,
                       bool enable_eigvec_derivs = false);
/// {t, then z where asked for}
std::vector<Array> schur(const Operand& x, bool compute_schur_vectors = true);

// The same with what JAX takes by keyword. `implementation` and `algorithm` are JAX's choices; hilo has LAPACK's.
// `subset_by_index` asks for the values with numbers from its first to before its last, and their vectors.
// Errors    INVALID_ARGUMENT for a subset that doesn't lie in what there is, and for options that another function is for
enum class EighImplementation : uint8_t { QR, JACOBI, QDWH };
enum class EigImplementation : uint8_t { CUSOLVER, MAGMA, LAPACK };
enum class SvdAlgorithm : uint8_t { DEFAULT, QR, JACOBI, POLAR, DIVIDE_AND_CONQUER };
/// Two numbers of what is in order, or none: {.subset_by_index = {0, 2}}.
class IndexRange {
 public:
  IndexRange(std::nullopt_t = std::nullopt) {}  // converts as in JAX
  IndexRange(int64_t first, int64_t last) : numbers_(std::pair(first, last)) {}
  explicit operator bool() const { return numbers_.has_value(); }
  int64_t first() const { return numbers_->first; }
  int64_t last() const { return numbers_->second; }

 private:
  std::optional<std::pair<int64_t, int64_t>> numbers_;
};
struct QrOptions {
  bool pivoting = false;  ///< true is qr_with_pivoting
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
  bool sort_eigenvalues = true;  ///< they are sorted in any case
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
  bool sort_eig_vals = false;  ///< says nothing, as in JAX
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
