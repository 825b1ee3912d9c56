// SPDX-License-Identifier: Apache-2.0
// lax/matrix_functions.h -- what jax.lax.linalg has beside decompositions and solvers: products, updates, orders.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax::linalg {

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
