// SPDX-License-Identifier: Apache-2.0
// hlo/ops/ext/linalg.h -- the decompositions of jax.lax.linalg for which HLO has no op. They apply to the last two
// dimensions; each becomes a custom call of LAPACK. Where LAPACK fails, results are NaN.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

// lu(x[m,n]) -> (factors [m,n], pivots s32[k], permutation s32[m]), k = min(m, n); x[permutation] = L U
// geqrf(x[m,n]) -> (reflectors and R [m,n], taus[k])
// hessenberg(x[n,n]) -> (H and reflectors [n,n], taus[n-1])
// geqp3(x[m,n], s32 pivots[n]) -> (reflectors and R, s32 pivots[n] from 1, taus[k]): columns with pivot 0 may move
// householder_product(reflectors[m,n], taus[k]) -> Q [m,n]

/// ormqr(reflectors[m,n], taus[k], c) -> op(Q) c, or c op(Q)
struct OrmqrAttributes : Attributes {
  bool left = true;
  bool transpose = false;  ///< the conjugate transpose
};

/// qr(x[m,n]) -> (Q [m,k], R [k,n]), with full matrices (Q [m,m], R [m,n])
struct QrAttributes : Attributes {
  bool full_matrices = true;
};

/// eigh(x[n,n]) -> (vectors [n,n], real values [n] ascending): of the Hermitian matrix with that triangle
/// tridiagonal(x[n,n]) -> (reflectors [n,n], d[n], e[n-1], taus[n-1])
struct TriangleAttributes : Attributes {
  bool lower = true;
};

/// svd(x[m,n]) -> (real s[k] descending, U, V^H), or s alone
struct SvdAttributes : Attributes {
  bool full_matrices = true;
  bool compute_uv = true;
};

/// eig(x[n,n]) -> (complex values[n], and complex left, right vectors [n,n] if requested)
struct EigAttributes : Attributes {
  bool compute_left_eigenvectors = true;
  bool compute_right_eigenvectors = true;
  bool enable_eigvec_derivs = false;  ///< allows derivatives of the vectors; doesn't affect values
};

/// schur(x[n,n]) -> (T [n,n], and Z [n,n] if requested): x = Z T Z^H
struct SchurAttributes : Attributes {
  bool compute_schur_vectors = true;
};

/// Returns c64 for f32, c128 for f64.
ElementType complex_type_of(ElementType type);

}  // namespace hilo::hlo
