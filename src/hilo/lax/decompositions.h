// SPDX-License-Identifier: Apache-2.0
// lax/decompositions.h -- the decompositions of jax.lax.linalg that are LAPACK's, over the last two dimensions. What they
// compute stands in hlo/ops/ext/linalg.h.
//   Types     f32, f64, c64, c128
//   Errors    INVALID_ARGUMENT for other types, and for shapes that don't fit
// Where LAPACK fails, also for operands with NaN, results are NaN.
#pragma once

#include "hilo/trace/array.h"

namespace hilo::lax::linalg {

struct LuResult {
  Array lu, pivots, permutation;
};
/// x[permutation] = L U, both in `lu`: L below the diagonal, which is one.
LuResult lu(const Operand& x);

struct QrResult {
  Array q, r;
};
QrResult qr(const Operand& x, bool full_matrices = true);

struct ReflectorsResult {
  Array a, taus;
};
ReflectorsResult geqrf(const Operand& x);
ReflectorsResult hessenberg(const Operand& x);
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
EighResult eigh(const Operand& x, bool lower = true, bool symmetrize_input = true);

struct TridiagonalResult {
  Array a, d, e, taus;
};
TridiagonalResult tridiagonal(const Operand& x, bool lower = true);

/// {s, u, vh}, or {s}
std::vector<Array> svd(const Operand& x, bool full_matrices = true, bool compute_uv = true);
/// {values, then left and right vectors where asked for}. Vectors are LAPACK's: of length 1, their greatest component real.
/// Their derivatives hold only of distinct values and where no two components are greatest, which can't be checked: they
/// are for those who say `enable_eigvec_derivs`.
/// Errors    UNIMPLEMENTED where vectors are differentiated without it
std::vector<Array> eig(const Operand& x, bool compute_left_eigenvectors = true, bool compute_right_eigenvectors = true,
                       bool enable_eigvec_derivs = false);
/// {t, then z where asked for}
std::vector<Array> schur(const Operand& x, bool compute_schur_vectors = true);

}  // namespace hilo::lax::linalg
