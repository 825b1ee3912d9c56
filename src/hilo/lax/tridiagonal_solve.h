// SPDX-License-Identifier: Apache-2.0
// lax/tridiagonal_solve.h -- systems of linear equations with a tridiagonal matrix.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax::linalg {

struct TridiagonalSolveOptions {
  /// Increases pivots that are too small to divide by, so that solutions of singular systems are large but finite. For
  /// eigenvectors by inverse iteration.
  bool perturb_singular = false;
};
/// Solves A x = b, where A has the diagonal d, the subdiagonal dl (from dl[1] on) and the superdiagonal du (up to
/// du[n-2]). Eliminates with partial pivoting; a singular matrix gives NaN.
/// Shapes     dl, d, du [..., n], b[..., n, k] -> [..., n, k]
/// Types      floats and complex numbers
/// Errors     INVALID_ARGUMENT for shapes or types that differ
/// Gradient   of all operands, by one more solution
/// Source     LAPACK's xGTSV; with perturbation xLAGTF and xLAGTS
Array tridiagonal_solve(const Operand& dl, const Operand& d, const Operand& du, const Operand& b,
                        const TridiagonalSolveOptions& options = {});

}  // namespace hilo::lax::linalg
