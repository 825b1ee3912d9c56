// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/factor.h -- factorizations of row-major matrices. Units: matrices.
#pragma once

#include "hilo/backend/cpu/runtime/call.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu::runtime {

/// x -> factor, and info if the call has a third buffer: the row, from 1, whose diagonal isn't positive, or 0.
struct CholeskyProblem {
  ElementType type{};
  int64_t n = 0;
  bool lower = false;
  bool has_info = false;  ///< otherwise the other triangle becomes zero, and failures become NaN

  size_t scratch_bytes() const;
};

/// x -> L and U, pivots from 1, info: the first zero on U's diagonal, from 1, or 0.
struct LuProblem {
  ElementType type{};
  int64_t rows = 0, columns = 0;

  size_t scratch_bytes() const;
};

/// x -> R and reflections below it, their factors.
struct QrProblem {
  ElementType type{};
  int64_t rows = 0, columns = 0;

  size_t scratch_bytes() const;
};

/// Reflections and their factors -> the first columns of their product.
struct ReflectionsProblem {
  ElementType type{};
  int64_t rows = 0, columns = 0, count = 0;

  size_t scratch_bytes() const;
};

/// Reflections of q, their factors, c -> q c, or c q, or with q's adjoint.
struct ApplyReflectionsProblem {
  ElementType type{};
  int64_t rows = 0, columns = 0;  ///< of c
  int64_t count = 0, stride = 0;  ///< of the reflections, and of the rows of their matrix
  bool left = false, adjoint = false;

  int64_t order() const { return left ? rows : columns; }
  size_t scratch_bytes() const;
};

/// Exchanges of rows, from 0 -> a permutation.
struct PermutationProblem {
  int64_t pivots = 0, rows = 0;
};

}  // namespace hilo::cpu::runtime
