// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/small_lanes.h -- factors and solutions of as many small matrices as a vector has lanes,
// one matrix per lane; one function per instruction set. Plain data only: the files that include it are compiled for
// processors that the rest of the library may not run on.
#pragma once

#include <cstdint>

namespace hilo::cpu {

/// Element (r, c) of lane l is a[(c * rows + r) * lanes + l]; its pivot k, counted from 0, is pivots[k * lanes + l].
template <typename T>
struct LaneLu {
  int rows, columns;
  T* a;
  int *pivots, *info;  ///< outputs
};

/// Element (r, c) of lane l is a[(r * row_step + c * column_step) * lanes + l].
template <typename T>
struct LaneCholesky {
  int n, row_step, column_step;
  T* a;
  int* info;  ///< output: the number, from 1, of the row at which lane l fails; 0 if none does
};

/// Unknown k has the coefficient a[(k * known_step + i * step) * lanes + l] in equation i. Unknown i of right-hand side
/// o is x[(i * unknown_step + o * other_step) * lanes + l].
template <typename T>
struct LaneSolve {
  int unknowns, others;
  const T* a;
  int known_step, step;
  T* x;
  int unknown_step, other_step;
  bool goes_forward, has_unit_diagonal;
};

/// Elements as in LaneLu. Reflector k of lane l is 1 in row k, the elements below it, and tau[k * lanes + l].
template <typename T>
struct LaneQr {
  int rows, columns;
  T *a, *tau;
  int* is_extreme;  ///< output: whether lane l has numbers for which squares aren't exact enough; then a is undefined
};

/// The product of `count` reflectors of LaneQr replaces them: its first columns.
template <typename T>
struct LaneReflections {
  int rows, columns, count;
  T* a;
  const T* tau;
};

template <typename T>
struct LaneKernels {
  int lanes;
  /// Copies `count` consecutive matrices of `size` elements into lanes, element e of lane l to to[e * lanes + l], and
  /// back. Lanes without a matrix contain the first one.
  void (*load)(const T* matrices, int size, int count, T* to);
  void (*store)(const T* from, int size, int count, T* matrices);
  /// As LuKernels: the pivot is the first element of the greatest magnitude, and NaN is the greatest.
  void (*factor_lu)(const LaneLu<T>& matrices);
  void (*factor_cholesky)(const LaneCholesky<T>& matrices);
  void (*solve)(const LaneSolve<T>& systems);
  void (*factor_qr)(const LaneQr<T>& matrices);
  void (*multiply_reflections)(const LaneReflections<T>& matrices);
};

struct SmallLanes {
  LaneKernels<float> f32;
  LaneKernels<double> f64;
};

const SmallLanes& small_lanes_sse2();
const SmallLanes& small_lanes_avx2();
const SmallLanes& small_lanes_avx512();

}  // namespace hilo::cpu
