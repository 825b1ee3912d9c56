// SPDX-License-Identifier: Apache-2.0
// lax/matrix_functions.h -- what jax.lax.linalg has beside decompositions: tridiagonal systems, products, updates.
#pragma once

#include "hilo/trace/array.h"

namespace hilo::lax::linalg {

struct TridiagonalSolveOptions {
  bool perturb_singular = false;  ///< true is refused
};
/// x with A x = b, where A has d on its diagonal, dl below it (from dl[1] on) and du above it (up to du[n-2]). By elimination
/// without pivoting: a zero pivot gives NaN.
///   Shapes     dl, d, du [..., n], b[..., n, k] -> [..., n, k]
///   Errors     INVALID_ARGUMENT for shapes or types that differ; UNIMPLEMENTED for perturb_singular
///   Gradient   of all
Array tridiagonal_solve(const Operand& dl, const Operand& d, const Operand& du, const Operand& b,
                        const TridiagonalSolveOptions& options = {});

struct SymmetricProductOptions {
  double alpha = 1, beta = 0;
  bool symmetrize_output = false;  ///< JAX's flag; both triangles are computed in any case
};
/// alpha A A^T + beta C
/// Shapes    a_matrix[..., n, k], c_matrix[..., n, n]
Array symmetric_product(const Operand& a_matrix, const Operand& c_matrix, const SymmetricProductOptions& options = {});

/// The upper triangular R' with R'^T R' = R^T R + w w^T.
/// Shapes    r_matrix[n, n], w_vector[n]. Real types
Array cholesky_update(const Operand& r_matrix, const Operand& w_vector);

/// The order of rows after swapping row i with row pivots[i], for each i in turn.
/// Shapes    pivots s32[..., k] -> s32[..., permutation_size]
Array lu_pivots_to_permutation(const Operand& pivots, int64_t permutation_size);

}  // namespace hilo::lax::linalg
