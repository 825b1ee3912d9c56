// SPDX-License-Identifier: Apache-2.0
// linalg/linalg.h -- jax.numpy.linalg. Matrices are the last two dimensions; those before are batches, of equal shape in all
// operands. Half floats become f32, integers too, or f64 under jax_enable_x64.
#pragma once

#include <optional>

#include "hilo/trace/array.h"

namespace hilo::linalg {

/// The lower factor L of a = L L^H, or the upper one; NaN where `a` isn't positive definite.
Array cholesky(const Operand& a, bool upper = false, bool symmetrize_input = true);

/// x of a x = b. A vector b of one dimension is one right side.
/// Shapes    a[..., n, n], b[..., n, k] or b[n] -> as b
Array solve(const Operand& a, const Operand& b);
Array inv(const Operand& a);
/// Derivatives hold for singular matrices too: that of det is the adjugate.
/// Cost      two LU decompositions from 4 rows on
Array det(const Operand& a);
/// Of a singular matrix {0, -inf}; the derivative of the sign is zero, that of the logarithm isn't finite there.
struct SlogdetResult {
  Array sign, logabsdet;
};
SlogdetResult slogdet(const Operand& a);

enum class QrMode : uint8_t { kReduced, kComplete };
struct QrResult {
  Array q, r;
};
QrResult qr(const Operand& a, QrMode mode = QrMode::kReduced);

struct SvdResult {
  Array u, s, vh;
};
SvdResult svd(const Operand& a, bool full_matrices = true);
Array svdvals(const Operand& a);

struct EighResult {
  Array eigenvalues, eigenvectors;
};
/// Of the Hermitian part of `a`, or of the matrix with that triangle. Values ascend; vectors are columns.
EighResult eigh(const Operand& a, bool lower = true, bool symmetrize_input = true);
Array eigvalsh(const Operand& a, bool lower = true, bool symmetrize_input = true);
/// Complex values and vectors, in LAPACK's order. As in jax.numpy the vectors have no derivative: lax::linalg::eig's have.
EighResult eig(const Operand& a);
Array eigvals(const Operand& a);

struct LstsqResult {
  Array x, resid, rank, s;
};
/// The shortest x that brings a x nearest to b; singular values under `rcond` of the greatest count as zero (by default the
/// type's epsilon times the greater extent).
/// Shapes    a[m, n], b[m] or b[m, k]
LstsqResult lstsq(const Operand& a, const Operand& b, std::optional<double> rcond = {});
/// Moore and Penrose's inverse; `rtol` as in jax.numpy, by default 10 times the greater extent times epsilon.
Array pinv(const Operand& a, std::optional<double> rtol = {});
/// How many singular values are above `rtol` of the greatest, by default epsilon times the greater extent.
Array matrix_rank(const Operand& a, std::optional<double> rtol = {});
/// The greatest singular value over the least.
Array cond(const Operand& a);
/// a^n; negative powers are those of the inverse.
Array matrix_power(const Operand& a, int64_t n);

/// The order of a norm.
struct Ord {
  enum class Kind : uint8_t { kNumber, kFrobenius, kNuclear };
  Ord(double value) : value(value) {}  // NOLINT: numbers are orders
  Ord(int value) : value(value) {}     // NOLINT
  Ord(Kind kind) : kind(kind) {}       // NOLINT
  Kind kind = Kind::kNumber;
  double value = 2;  ///< infinities too
};
inline constexpr Ord::Kind kFrobenius = Ord::Kind::kFrobenius, kNuclear = Ord::Kind::kNuclear;

/// Over all elements of `x`.
Array norm(const Operand& x);
/// A vector's norm for one dimension, a matrix's for two.
Array norm(const Operand& x, const Ord& ord);
/// Over one axis.
Array vector_norm(const Operand& x, double ord = 2, int64_t axis = -1);
/// Over the last two.
Array matrix_norm(const Operand& x, const Ord& ord = kFrobenius);

Array matrix_transpose(const Operand& x);

}  // namespace hilo::linalg

namespace hilo::numpy {
namespace linalg = hilo::linalg;  // as jax.numpy has it
}  // namespace hilo::numpy
