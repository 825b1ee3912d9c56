// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/solve.h -- systems of linear equations. Units: systems.
#pragma once

#include "hilo/backend/cpu/runtime/call.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu::runtime {

/// a, b -> x with op(a) x = b, or x op(a) = b.
struct TriangularSolveProblem {
  ElementType type{};
  int64_t rows = 0, columns = 0;  ///< of b
  bool left = false, lower = false, unit_diagonal = false;
  bool transposed = false, conjugated = false;

  int64_t order() const { return left ? rows : columns; }
};

/// Diagonals dl, d, du that are all as long as the matrix, b -> x; or the same diagonals after elimination, x and info.
struct TridiagonalSolveProblem {
  ElementType type{};
  int64_t rows = 0, columns = 0;
  bool perturbed = false;  ///< pivots too small to divide by move away from zero; otherwise info is their row, from 1

  size_t scratch_bytes() const;
};

}  // namespace hilo::cpu::runtime
