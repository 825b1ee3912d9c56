// SPDX-License-Identifier: Apache-2.0
// hlo/ops/linalg.h -- cholesky and triangular-solve, over batches of matrices.
#pragma once

#include "hilo/hlo/ir/instruction.h"

namespace hilo::hlo {

/// Computes a = L L^H (lower) or U^H U for Hermitian matrices. Only that triangle of `a` is read. The other triangle of
/// the result is zero; a matrix that isn't positive definite gives NaN.
struct CholeskyAttributes : Attributes {
  bool lower = false;
};

enum class MatrixTranspose : uint8_t { kInvalid, kNoTranspose, kTranspose, kAdjoint };

/// Solves op(a) x = b (left_side) or x op(a) = b for x. Only the named triangle of `a` is read, without its diagonal if
/// unit_diagonal is set.
struct TriangularSolveAttributes : Attributes {
  bool left_side = false;
  bool lower = false;
  bool unit_diagonal = false;
  MatrixTranspose transpose_a = MatrixTranspose::kInvalid;
};

}  // namespace hilo::hlo
