// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/linalg/lu_blocks.h"

#include <algorithm>

#include "hilo/backend/cpu/library/linalg/lapack_routine.h"
#include "hilo/backend/cpu/library/linalg/lu_tile.h"
#include "hilo/backend/cpu/library/linalg/triangular_solve.h"

namespace hilo::cpu {
namespace {

template <typename T>
using GemmRoutine = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                         const T*, const int*, const T*, T*, const int*);
template <typename T>
using PanelKernel = int (*)(const LuPanel<T>& panel);

/// Returns null if the instruction set has none.
const LuKernels* lu_kernels_of(Isa isa) {
  if constexpr (kIsX86) {
    if (isa == Isa::kAvx512) return &lu_kernels_avx512();
    if (isa == Isa::kAvx2) return &lu_kernels_avx2();
  }
  return nullptr;
}

template <typename T>
PanelKernel<T> panel_kernel(Isa isa) {
  const LuKernels* const kernels = lu_kernels_of(isa);
  if (kernels == nullptr) return nullptr;
  if constexpr (std::is_same_v<T, float>) return kernels->f32;
  else return kernels->f64;
}

/// Exchanges rows of `columns` columns in the order of the pivots [begin, end).
template <typename T>
void exchange_rows(T* a, int leading, int columns, const int* pivots, int begin, int end) {
  for (int64_t c = 0; c < columns; ++c) {
    T* const column = a + c * leading;
    for (int k = begin; k < end; ++k) std::swap(column[k], column[pivots[k]]);
  }
}

template <typename T>
class Factorisation {
 public:
  Factorisation(Isa isa, PanelKernel<T> panel, GemmRoutine<T>* gemm, int leading)
      : isa_(isa), panel_(panel), gemm_(gemm), leading_(leading) {}

  /// Factors the first half of the columns, solves for the columns right of it, and factors the remainder. Pivots count
  /// from 0.
  ///     first | right        L, U | L^-1 right
  ///     below | corner       L    | corner - L (L^-1 right), whose factors are computed then
  /// Precondition: columns <= rows
  int run(int rows, int columns, T* a, int* pivots) {
    if (columns <= kLuColumns) return panel_({rows, columns, a, leading_, pivots});
    const int first = (columns / 2 + kLuColumns - 1) / kLuColumns * kLuColumns, rest = columns - first;
    int info = run(rows, first, a, pivots);
    T *const right = a + int64_t{first} * leading_, *const corner = right + first;
    solve_right(first, rest, a, right, pivots);
    const int below = rows - first;
    const T minus = -1, one = 1;
    gemm_("N", "N", &below, &rest, &first, &minus, a + first, &leading_, right, &leading_, &one, corner, &leading_);
    const int later = run(below, rest, corner, pivots + first);
    for (int k = first; k < columns; ++k) pivots[k] += first;
    exchange_rows(a, leading_, first, pivots, first, columns);
    if (info == 0 && later != 0) info = first + later;
    return info;
  }

  /// Solves `columns` columns right of a triangle of `known` columns with these pivots.
  void solve_right(int known, int columns, const T* a, T* right, const int* pivots) {
    exchange_rows(right, leading_, columns, pivots, 0, known);
    solve_triangular(isa_, {'L', 'L', 'N', 'U', known, columns, a, leading_, right, leading_});
  }

 private:
  Isa isa_;
  PanelKernel<T> panel_;
  GemmRoutine<T>* gemm_;
  int leading_;
};

template <typename T>
int factor(Isa isa, GetrfRoutine<T>* getrf, int m, int n, T* a, int leading, int* pivots) {
  static auto* const gemm = lapack::routine<T, GemmRoutine<T>>("gemm");
  const PanelKernel<T> panel = panel_kernel<T>(isa);
  if (panel == nullptr || gemm == nullptr) {
    int info = 0;
    getrf(&m, &n, a, &leading, pivots, &info);
    return info;
  }
  const int square = std::min(m, n);
  Factorisation<T> factorisation(isa, panel, gemm, leading);
  const int info = factorisation.run(m, square, a, pivots);
  if (n > m && m > 0) factorisation.solve_right(m, n - m, a, a + int64_t{m} * leading, pivots);
  for (int k = 0; k < square; ++k) ++pivots[k];
  return info;
}

}  // namespace

int factor_lu(Isa isa, GetrfRoutine<float>* getrf, int m, int n, float* a, int leading, int* pivots) {
  return factor(isa, getrf, m, n, a, leading, pivots);
}
int factor_lu(Isa isa, GetrfRoutine<double>* getrf, int m, int n, double* a, int leading, int* pivots) {
  return factor(isa, getrf, m, n, a, leading, pivots);
}

}  // namespace hilo::cpu
