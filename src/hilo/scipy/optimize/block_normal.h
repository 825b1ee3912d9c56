// SPDX-License-Identifier: Apache-2.0
// scipy/optimize/block_normal.h -- the normal equations of residual blocks, by a Schur complement. Not for users.
#pragma once

#include <optional>

#include "hilo/scipy/optimize/block_least_squares.h"

namespace hilo::scipy::optimize {

/// One array [blocks, size] per kind of parameters.
using Kinds = std::vector<Array>;

/// Residuals at some parameters.
struct BlockLinear {
  Array value;             ///< [m, r]
  std::vector<Array> jac;  ///< [m, r, size], one per block that a residual reads
};
using BlockLinears = std::vector<BlockLinear>;

Array block_values(const ResidualBlocks& residuals, const Kinds& x);
BlockLinear block_linear(const ResidualBlocks& residuals, const Kinds& x);

/// Returns J' v, for v with one array [m, r] per entry of residuals.
Kinds block_transposed(const std::vector<ResidualBlocks>& residuals, const BlockLinears& linear,
                       const std::vector<Array>& v, const Kinds& like);
/// Returns the diagonal of J' J.
Kinds block_diagonal(const std::vector<ResidualBlocks>& residuals, const BlockLinears& linear, const Kinds& like);

/// J' J + diag(weights) in factors.
struct BlockFactors {
  std::optional<int64_t> eliminated;  ///< its matrix is block diagonal
  std::vector<int64_t> rest;          ///< the other kinds
  Array root;                         ///< [blocks, size, size]: its product with its transpose is the inverse of those
  std::optional<Array> lower;         ///< Cholesky factor of the Schur complement, if there are other kinds
};
BlockFactors block_factors(const std::vector<ResidualBlocks>& residuals, const BlockLinears& linear,
                           const Kinds& weights);
/// Returns the solution of (J' J + diag(weights)) x = right.
Kinds block_solve(const std::vector<ResidualBlocks>& residuals, const BlockLinears& linear, const BlockFactors& factors,
                  const Kinds& right);

}  // namespace hilo::scipy::optimize
