// SPDX-License-Identifier: Apache-2.0
// lax/matrix_functions.h -- functions of jax.lax.linalg other than decompositions and solvers: products, updates,
// permutations.
#pragma once

#include "hilo/array/array.h"

namespace hilo::lax::linalg {

struct SymmetricProductOptions {
  double alpha = 1, beta = 0;
  bool symmetrize_output = false;  ///< ignored; both triangles are always computed
};
/// Computes alpha A A^T + beta C.
/// Shapes     a_matrix[..., n, k], c_matrix[..., n, n]
Array symmetric_product(const Operand& a_matrix, const Operand& c_matrix, const SymmetricProductOptions& options = {});

/// Computes the upper triangular R' with R'^T R' = R^T R + w w^T.
/// Shapes     r_matrix[n, n], w_vector[n]
/// Types      real types
Array cholesky_update(const Operand& r_matrix, const Operand& w_vector);

/// Returns the order of rows after row i is swapped with row pivots[i], for each i in turn.
/// Shapes     pivots s32[..., k] -> s32[..., permutation_size]
Array lu_pivots_to_permutation(const Operand& pivots, int64_t permutation_size);

}  // namespace hilo::lax::linalg
