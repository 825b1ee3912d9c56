// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/solve_tile.h -- the inner loop of triangular solves, one per instruction set. Plain data
// only: the files that include it are compiled for processors that the rest of the library may not run on.
#pragma once

#include <cstdint>

namespace hilo::cpu {

/// Rows are `lanes` numbers wide. For i = 0, 1, ... below `rows`, a multiple of kSolveRows:
///     x_i = (x_i - sum over k < i of c(k, i) x_k) inverse[i]
/// c(k, i) is at coefficients[(i / kSolveRows * rows + k) * kSolveRows + i % kSolveRows].
template <typename T>
struct SolveTile {
  const T *coefficients, *inverse;
  int64_t rows;
  T* x;
  int64_t step;  ///< distance from x_i to the next; negative to solve from the last to the first
};

inline constexpr int64_t kSolveRows = 8;

struct SolveKernels {
  int64_t f32_lanes, f64_lanes;
  void (*f32)(const SolveTile<float>& tile);
  void (*f64)(const SolveTile<double>& tile);
};

const SolveKernels& solve_kernels_avx2();
const SolveKernels& solve_kernels_avx512();

}  // namespace hilo::cpu
