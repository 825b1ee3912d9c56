// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/solve_tile.h -- the inner loops of triangular solves, for each instruction set. Plain
// data only: the files that include it are compiled for processors that the rest of the library may not run on.
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
inline constexpr int64_t kMaxSubstituted = 128;  ///< unknowns

/// A triangle of at most kMaxSubstituted unknowns and one right side, whose numbers are neighbours.
template <typename T>
struct Substitution {
  const T* a;  ///< the coefficient of unknown k in equation i: a[k * leading + i] by columns, else a[i * leading + k]
  int64_t leading, unknowns;
  bool by_columns, forward, unit_diagonal;
  T* x;  ///< the right side; replaced by the unknowns
};

template <typename T>
struct SolveKernel {
  int64_t lanes;
  void (*tile)(const SolveTile<T>& tile);
  void (*substitute)(const Substitution<T>& one);
};

struct SolveKernels {
  SolveKernel<float> f32;
  SolveKernel<double> f64;
};

const SolveKernels& solve_kernels_avx2();
const SolveKernels& solve_kernels_avx512();

}  // namespace hilo::cpu
