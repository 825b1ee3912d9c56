// SPDX-License-Identifier: Apache-2.0
// lax/linalg.h -- the decompositions of jax.lax.linalg, over the last two dimensions of their operands.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax::linalg {

/// L with x = L L^H, zero above its diagonal. With `symmetrize_input`, of (x + x^H) / 2; else only the lower triangle is
/// read. Not positive definite: NaN.
/// Shapes    x[..., n, n] -> [..., n, n]
/// Types     floats and complex numbers
/// Gradient  that of Hermitian matrices, as in JAX: without `symmetrize_input` x and its tangent should be
Array cholesky(const Operand& x, bool symmetrize_input = true);

struct CholeskyOptions {
  bool symmetrize_input = true;
};
template <int = 0>
Array cholesky(const Operand& x, const CholeskyOptions& options) {
  return cholesky(x, options.symmetrize_input);
}

struct TriangularSolveOptions {
  bool left_side = false, lower = false, transpose_a = false, conjugate_a = false, unit_diagonal = false;
};
/// x of op(a) x = b, or, not on the left side, of x op(a) = b; one triangle of `a` is read.
/// Shapes    a[..., n, n], b[..., n, k] (left side) or [..., k, n]; or vectors b[..., n]
Array triangular_solve(const Operand& a, const Operand& b, const TriangularSolveOptions& options = {});

}  // namespace hilo::lax::linalg
