// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/lu_tile.h -- LU factors of a few columns, one function per instruction set. Plain data
// only: the files that include it are compiled for processors that the rest of the library may not run on.
#pragma once

#include <cstdint>

namespace hilo::cpu {

inline constexpr int kLuColumns = 16;  ///< maximum number of columns of a panel

/// Columns of a column-major matrix, with at least as many rows as columns.
template <typename T>
struct LuPanel {
  int rows, columns;
  T* a;
  int leading;
  int* pivots;  ///< output, from 0: row j was exchanged with row pivots[j] when column j was factored
};

/// The panel becomes L below its diagonal and U on and above it. The pivot is the first element of the greatest
/// magnitude, as in LAPACK. Returns the number, from 1, of the first pivot that is zero; 0 if no pivot is zero.
struct LuKernels {
  int (*f32)(const LuPanel<float>& panel);
  int (*f64)(const LuPanel<double>& panel);
};

const LuKernels& lu_kernels_avx2();
const LuKernels& lu_kernels_avx512();

}  // namespace hilo::cpu
