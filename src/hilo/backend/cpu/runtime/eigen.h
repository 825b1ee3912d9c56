// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/eigen.h -- eigenvalues of Hermitian matrices and singular values. Units: matrices.
#pragma once

#include "hilo/backend/cpu/runtime/call.h"
#include "hilo/types/element_type.h"

namespace hilo::cpu::runtime {

/// info of a matrix with elements that aren't finite, and of one whose iterations don't converge.
inline constexpr int32_t kNotFinite = -4, kNotConverged = 1;

/// x -> vectors in columns, values in ascending order, info.
struct EighProblem {
  ElementType type{};
  int64_t n = 0;
  bool lower = false;  ///< the triangle that is read
  bool has_vectors = false;

  size_t scratch_bytes() const;
};

/// x -> reflections, the diagonal and the one next to it, factors, info: the first step of the above.
struct TridiagonalProblem {
  ElementType type{};
  int64_t n = 0;
  bool lower = false;  ///< the triangle that is read, and whose other side of the diagonals keeps the reflections

  size_t scratch_bytes() const;
};

/// x -> x, singular values in descending order, u, v^H, info.
struct SvdProblem {
  ElementType type{};
  int64_t rows = 0, columns = 0;
  bool has_vectors = false;
  bool is_full = false;  ///< u and v are square

  size_t scratch_bytes() const;
};

}  // namespace hilo::cpu::runtime
