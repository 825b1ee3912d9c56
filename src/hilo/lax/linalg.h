// SPDX-License-Identifier: Apache-2.0
// lax/linalg.h -- decompositions of jax.lax.linalg over the last two dimensions.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax::linalg {

/// Computes the lower triangular L with x = L L^H: jax.lax.linalg.cholesky. With `symmetrize_input` it decomposes (x +
/// x^H) / 2; otherwise it reads only the lower triangle. If the matrix isn't positive definite, the result is NaN.
/// Shapes     x[..., n, n] -> [..., n, n]
/// Types      floats and complex numbers
/// Gradient   that of Hermitian matrices, as in JAX: without `symmetrize_input`, x and its tangent should be Hermitian
/// Example    cholesky(numpy::array({{4.0f, 2.0f}, {2.0f, 5.0f}}))  // [[2. 0.] [1. 2.]]
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
/// Solves op(a) x = b, or x op(a) = b if left_side is false; reads one triangle of `a`:
/// jax.lax.linalg.triangular_solve.
/// Shapes     a[..., n, n], b[..., n, k] (left side) or [..., k, n]; or vectors b[..., n]
/// Example    const Array a = numpy::array({{2.0f, 0.0f}, {1.0f, 4.0f}});
///            triangular_solve(a, numpy::array({{2.0f}, {9.0f}}), {.left_side = true, .lower = true})  // [[1.] [2.]]
Array triangular_solve(const Operand& a, const Operand& b, const TriangularSolveOptions& options = {});

}  // namespace hilo::lax::linalg
