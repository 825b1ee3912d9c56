// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/linked_lapack.h -- LAPACK and BLAS for large matrices, if a program links them next to
// libhilo_rt.a. Matrices of LAPACK are column-major: a row-major matrix is the transpose of one.
#pragma once

#include <type_traits>

#include "hilo/backend/cpu/runtime/matrix.h"

namespace hilo::cpu::runtime {

/// Smaller matrices are left to hilo's own functions. On an AMD EPYC with OpenBLAS, one thread, both take the same time
/// between 16 and 48. At 128, LAPACK takes a third (LU, QR, Hermitian eigenvalues) to a fortieth (singular values).
inline constexpr int64_t kLinkedMin = 32;
/// Columns of a block in LAPACK's workspaces.
inline constexpr int64_t kLinkedBlock = 64;

/// Routines for a type; null if they aren't linked. libhilo.so has none: jit calls LAPACK in another way.
template <typename T>
struct LinkedLapack {
  using R = RealOf<T>;
  using Size = const int*;
  using Letter = const char*;
  template <typename Real, typename ComplexOne>
  using OfType = std::conditional_t<kIsComplex<T>, ComplexOne, Real>*;

  void (*gemm)(Letter, Letter, Size, Size, Size, const T*, const T*, Size, const T*, Size, const T*, T*, Size);
  void (*trsm)(Letter, Letter, Letter, Letter, Size, Size, const T*, const T*, Size, T*, Size);
  void (*potrf)(Letter, Size, T*, Size, int*);
  void (*getrf)(Size, Size, T*, Size, int*, int*);
  void (*geqrf)(Size, Size, T*, Size, T*, T*, Size, int*);
  void (*orgqr)(Size, Size, Size, T*, Size, const T*, T*, Size, int*);
  OfType<void(Letter, Letter, Size, T*, Size, R*, T*, Size, int*, Size, int*),
         void(Letter, Letter, Size, T*, Size, R*, T*, Size, R*, Size, int*, Size, int*)>
      syevd;
  OfType<void(Letter, Size, Size, T*, Size, R*, T*, Size, T*, Size, T*, Size, int*, int*),
         void(Letter, Size, Size, T*, Size, R*, T*, Size, T*, Size, T*, Size, R*, int*, int*)>
      gesdd;
};

template <typename T>
LinkedLapack<T> linked_lapack();

/// Whether LAPACK may have such a matrix: all numbers are finite, because some routines lose NaN or don't return.
template <typename T>
bool fits_linked(const T* x, int64_t rows, int64_t columns) {
  return std::min(rows, columns) >= kLinkedMin && std::max(rows, columns) <= std::numeric_limits<int>::max() / 4 &&
         largest_part(x, rows * columns) <= std::numeric_limits<RealOf<T>>::max();
}
inline bool may_be_linked(int64_t rows, int64_t columns) { return std::min(rows, columns) >= kLinkedMin; }

/// Copies the transpose.
template <typename From, typename T>
void copy_transposed(const Matrix<From>& from, T* to) {
  constexpr int64_t kTile = 16;
  for (int64_t first = 0; first < from.rows; first += kTile) {
    for (int64_t j = 0; j < from.columns; ++j) {
      for (int64_t i = first; i < std::min(first + kTile, from.rows); ++i) to[j * from.rows + i] = from(i, j);
    }
  }
}

}  // namespace hilo::cpu::runtime
