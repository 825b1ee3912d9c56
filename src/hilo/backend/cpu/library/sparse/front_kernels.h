// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/sparse/front_kernels.h -- the numeric part of sparse factorizations, once per instruction set. A
// single matrix is a call with 1 lane. Several matrices of one pattern, or right sides of one matrix, are computed
// together, one per lane. Plain data only: the files that include it are compiled for processors that the rest of the
// library may not run on.
#pragma once

#include <cstdint>

#include "hilo/base/sparse/plan.h"

namespace hilo::cpu {

/// Element e of lane l is at [e * lanes + l] in every list.
template <typename T>
struct FactorTask {
  const sparse_direct::Plan* plan;
  const T* values;       ///< [entries]
  T* factor;             ///< [factor_size], as in plan.h
  int32_t* pivots;       ///< [size]: the row of the front that became row k
  int32_t* info;         ///< [2]: 1 + the column of the matrix without a pivot, or 0; 1 if solutions need refinement
  T* stack;              ///< [stack_size]: scratch memory, as is the rest
  T* largest;            ///< [size]
  T* panel;              ///< [kPanel * largest_front]
  const uint32_t* stop;  ///< the factorization ends early once this is not 0; may be null
};
inline constexpr int64_t kPanel = 32;  ///< columns of a front that are eliminated before the others change

/// x is [size], the permuted right side, and becomes the solution. With a factor per lane, that of lane l is at
/// factor + l * factor_size, and its pivots are at pivots + l * size.
template <typename T>
struct SolveTask {
  const sparse_direct::Plan* plan;
  const T* factor;
  const int32_t* pivots;
  T *x, *scratch;  ///< scratch[largest_front]
  bool transposed;
};

template <typename T>
struct FrontKernelsOf {
  int64_t lanes;
  void (*factor)(const FactorTask<T>& task);
  void (*factor_lanes)(const FactorTask<T>& task);
  void (*solve)(const SolveTask<T>& task);        ///< one right side
  void (*solve_sides)(const SolveTask<T>& task);  ///< a right side per lane, one factor
  void (*solve_lanes)(const SolveTask<T>& task);  ///< a factor and a right side per lane
  /// Reorders [lanes][count], with that distance between lanes, to [count][lanes], and back.
  void (*pack)(const T* from, int64_t distance, int64_t count, T* to);
  void (*unpack)(const T* from, int64_t count, T* to, int64_t distance);
};
struct FrontKernels {
  FrontKernelsOf<float> f32;
  FrontKernelsOf<double> f64;
};

const FrontKernels& front_kernels_sse2();
const FrontKernels& front_kernels_avx2();
const FrontKernels& front_kernels_avx512();

}  // namespace hilo::cpu
