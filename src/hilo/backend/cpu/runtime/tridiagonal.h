// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/tridiagonal.h -- tridiagonal systems that may be singular, as in inverse iteration. Elimination
// with row exchanges; pivots too small to divide by are moved away from zero, as in LAPACK's xLAGTF and xLAGTS.
#pragma once

#include "hilo/backend/cpu/runtime/matrix.h"

namespace hilo::cpu::runtime {

template <typename T>
struct TridiagonalSystem {
  int64_t size, columns;
  const T *lower, *diagonal,
      *upper;  ///< all as long as the matrix; the first of lower and the last of upper are unused
  const T* right;
  T* x;
  int64_t row_stride, column_stride;  ///< of `right` and `x`
  const T& b(int64_t row, int64_t column) const { return right[row * row_stride + column * column_stride]; }
  T& z(int64_t row, int64_t column) const { return x[row * row_stride + column * column_stride]; }
};

/// A row of the triangle: the pivot and the two elements right of it.
template <typename T>
struct TriangleRow {
  T pivot{}, next{}, after{};
  RealOf<T> largest() const { return std::max({magnitude(pivot), magnitude(next), magnitude(after)}); }
};

/// Reduces the system to a triangle and x to its right side. Returns the largest element of the triangle.
template <typename T>
RealOf<T> eliminate(const TridiagonalSystem<T>& s, std::span<TriangleRow<T>> rows) {
  using R = RealOf<T>;
  rows[0] = {s.diagonal[0], s.size > 1 ? s.upper[0] : T{}, T{}};
  R scale = magnitude(rows[0].pivot) + magnitude(rows[0].next), largest = rows[0].largest();
  for (int64_t c = 0; c < s.columns; ++c) s.z(0, c) = s.b(0, c);
  for (int64_t k = 0; k + 1 < s.size; ++k) {
    TriangleRow<T>& upper = rows[static_cast<size_t>(k)];
    TriangleRow<T>& row = rows[static_cast<size_t>(k + 1)];
    const bool has_after = k + 2 < s.size;
    const T below = s.lower[k + 1], pivot = s.diagonal[k + 1], next = has_after ? s.upper[k + 1] : T{};
    const R own_scale = magnitude(below) + magnitude(pivot) + magnitude(next);
    const R upper_weight = magnitude(upper.pivot) == 0 ? R{} : magnitude(upper.pivot) / scale;
    if (magnitude(below) == 0 || magnitude(below) / own_scale <= upper_weight) {
      const T factor = magnitude(below) == 0 ? T{} : below / upper.pivot;
      row = {pivot - factor * upper.next, next, T{}};
      for (int64_t c = 0; c < s.columns; ++c) s.z(k + 1, c) = s.b(k + 1, c) - factor * s.z(k, c);
      scale = own_scale;
    } else {  // the rows are exchanged
      const T factor = upper.pivot / below;
      row = {upper.next - factor * pivot, -factor * next, T{}};
      upper = {below, pivot, next};
      for (int64_t c = 0; c < s.columns; ++c) {
        const T z = s.z(k, c);
        s.z(k + 1, c) = z - factor * s.b(k + 1, c);
        s.z(k, c) = s.b(k + 1, c);
      }
      scale = magnitude(row.pivot) + magnitude(row.next);
    }
    if (has_after) largest = std::max(largest, upper.largest());
  }
  return std::max(largest, magnitude(rows.back().pivot));
}

/// Moves a pivot by `step`, twice that, ... if dividing the row of x by it would overflow; or scales both.
template <typename T>
T usable_pivot(T pivot, RealOf<T> step, const TridiagonalSystem<T>& s, int64_t row) {
  using R = RealOf<T>;
  const R least = std::numeric_limits<R>::min(), most = R(1) / least;
  R size = magnitude(pivot), largest = 0;
  if (size >= R(1)) return pivot;
  for (int64_t c = 0; c < s.columns; ++c) largest = std::max(largest, magnitude(s.z(row, c)));
  step = std::copysign(std::max(step, least), real(pivot));
  while (size < R(1)) {
    if (size >= least && largest <= size * most) return pivot;
    if (size < least && size != R(0) && largest * least <= size) {
      for (int64_t c = 0; c < s.columns; ++c) s.z(row, c) = most * s.z(row, c);
      return most * pivot;
    }
    pivot += T(step);
    step *= R(2);
    size = magnitude(pivot);
    if (size != size) return pivot;
  }
  return pivot;
}

/// Computes x from the triangle. `step` is the least distance by which a pivot moves; 0: pivots stay as they are.
template <typename T>
void substitute(const TridiagonalSystem<T>& s, std::span<const TriangleRow<T>> rows, RealOf<T> step) {
  for (int64_t k = s.size - 1; k >= 0; --k) {
    const TriangleRow<T>& row = rows[static_cast<size_t>(k)];
    for (int64_t c = 0; c < s.columns; ++c) {
      if (k + 1 < s.size) s.z(k, c) -= row.next * s.z(k + 1, c);
      if (k + 2 < s.size) s.z(k, c) -= row.after * s.z(k + 2, c);
    }
    const T inverse = T(1) / (step > 0 ? usable_pivot(row.pivot, step, s, k) : row.pivot);
    for (int64_t c = 0; c < s.columns; ++c) s.z(k, c) = inverse * s.z(k, c);
  }
}

/// Solves a system whose pivots may move. `rows` has its size.
template <typename T>
void solve_perturbed(const TridiagonalSystem<T>& s, std::span<TriangleRow<T>> rows) {
  const RealOf<T> largest = eliminate(s, rows);
  substitute<T>(s, rows, std::numeric_limits<RealOf<T>>::epsilon() * largest);
}

}  // namespace hilo::cpu::runtime
