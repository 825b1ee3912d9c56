// SPDX-License-Identifier: Apache-2.0
// lax/tridiagonal_solve.h -- systems of equations whose matrix has a diagonal and one beside it on either side.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax::linalg {

struct TridiagonalSolveOptions {
  /// Pivots that are too small to divide by grow by a little: solutions of singular systems are great, but finite. For
  /// eigenvectors by inverse iteration.
  bool perturb_singular = false;
};
/// x with A x = b, where A has d on its diagonal, dl below it (from dl[1] on) and du above it (up to du[n-2]). By elimination
/// with partial pivoting; a singular matrix gives NaN.
///   Shapes     dl, d, du [..., n], b[..., n, k] -> [..., n, k]
///   Types      floats and complex numbers
///   Errors     INVALID_ARGUMENT for shapes or types that differ
///   Gradient   of all, by one more solution
///   Source     LAPACK's xGTSV; perturbed its xLAGTF and xLAGTS
Array tridiagonal_solve(const Operand& dl, const Operand& d, const Operand& du, const Operand& b,
                        const TridiagonalSolveOptions& options = {});

}  // namespace hilo::lax::linalg
