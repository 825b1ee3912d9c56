// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/small_cholesky.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hilo::cpu {
namespace {

template <typename T>
struct Lanes {
  typedef T Vector __attribute__((vector_size(64)));
};

/// Element (row, column) of the lower factor, in all lanes; column <= row.
constexpr size_t place(int row, int column) {
  return static_cast<size_t>(row) * static_cast<size_t>(row + 1) / 2 + static_cast<size_t>(column);
}

template <typename V>
using Triangle = std::array<V, place(kLargestSmallCholesky, 0)>;

/// Calls move(element of the triangle, element of the matrix) for the lower triangle of each matrix, or for the transpose of
/// its upper one.
template <typename T, typename V, typename Move>
void for_triangle(T* matrices, int n, bool lower, size_t count, Triangle<V>& triangle, const Move& move) {
  for (size_t lane = 0; lane < count; ++lane) {
    T* const matrix = matrices + lane * static_cast<size_t>(n) * static_cast<size_t>(n);
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column <= row; ++column)
        move(triangle[place(row, column)], lane, matrix[lower ? row * n + column : column * n + row]);
    }
  }
}

}  // namespace

template <typename T>
void factor_small(T* matrices, int n, bool lower, std::span<bool> failed) {
  using V = typename Lanes<T>::Vector;
  Triangle<V> factor;
  for (int row = 0; row < n; ++row) {  // lanes without a matrix factor the identity
    for (int column = 0; column <= row; ++column) factor[place(row, column)] = V{} + T(row == column);
  }
  for_triangle(matrices, n, lower, failed.size(), factor,
               [](V& element, size_t lane, const T& value) { element[lane] = value; });
  std::fill(failed.begin(), failed.end(), false);
  for (int row = 0; row < n; ++row) {
    const V* const left = &factor[place(row, 0)];
    for (int column = 0; column < row; ++column) {
      const V* const above = &factor[place(column, 0)];
      V sum = left[column];
      for (int k = 0; k < column; ++k) sum -= left[k] * above[k];
      factor[place(row, column)] = sum / above[column];
    }
    V& diagonal = factor[place(row, row)];
    for (int k = 0; k < row; ++k) diagonal -= left[k] * left[k];
    for (size_t lane = 0; lane < failed.size(); ++lane) failed[lane] |= !(diagonal[lane] > 0);
    for (size_t lane = 0; lane < static_cast<size_t>(kCholeskyLanes<T>); ++lane)
      diagonal[lane] = std::sqrt(diagonal[lane]);
  }
  for_triangle(matrices, n, lower, failed.size(), factor,
               [](const V& element, size_t lane, T& value) { value = element[lane]; });
}

template void factor_small<float>(float*, int, bool, std::span<bool>);
template void factor_small<double>(double*, int, bool, std::span<bool>);

}  // namespace hilo::cpu
