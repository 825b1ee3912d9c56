// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/linalg/tridiagonal.cc -- tridiagonal_solve_perturbed_ffi: tridiagonal systems that may be
// singular, as in inverse iteration. Elimination with row exchanges; pivots too small to divide by are moved away from
// zero, as in LAPACK's xLAGTF and xLAGTS.
#include <cmath>

#include "hilo/backend/cpu/library/linalg/lapack.h"
#include "hilo/backend/cpu/library/linalg/lapack_routine.h"

namespace hilo::cpu::lapack {
namespace {

template <typename T>
struct System {
  int size, columns;
  const T *lower, *diagonal,
      *upper;      ///< all as long as the matrix; the first of lower and the last of upper are unused
  const T* right;  ///< column-major, like x
  T* x;
  const T& b(int row, int column) const { return right[static_cast<int64_t>(column) * size + row]; }
  T& z(int row, int column) const { return x[static_cast<int64_t>(column) * size + row]; }
};

/// A row of the triangle: the pivot and the two elements right of it.
template <typename T>
struct Row {
  T pivot{}, next{}, after{};
  Real<T> largest() const { return std::max({std::abs(pivot), std::abs(next), std::abs(after)}); }
};

/// Reduces the system to a triangle and x to its right side. Returns the largest element of the triangle.
template <typename T>
Real<T> eliminate(const System<T>& s, std::vector<Row<T>>& rows) {
  rows[0] = {s.diagonal[0], s.size > 1 ? s.upper[0] : T{}, T{}};
  Real<T> scale = std::abs(rows[0].pivot) + std::abs(rows[0].next), largest = rows[0].largest();
  for (int c = 0; c < s.columns; ++c) s.z(0, c) = s.b(0, c);
  for (int k = 0; k + 1 < s.size; ++k) {
    Row<T>& upper = rows[k];
    Row<T>& row = rows[k + 1];
    const bool has_after = k + 2 < s.size;
    const T below = s.lower[k + 1], pivot = s.diagonal[k + 1], next = has_after ? s.upper[k + 1] : T{};
    const Real<T> own_scale = std::abs(below) + std::abs(pivot) + std::abs(next);
    const Real<T> upper_weight = upper.pivot == T{} ? Real<T>{} : std::abs(upper.pivot) / scale;
    if (below == T{} || std::abs(below) / own_scale <= upper_weight) {
      const T factor = below == T{} ? T{} : below / upper.pivot;
      row = {pivot - factor * upper.next, next, T{}};
      for (int c = 0; c < s.columns; ++c) s.z(k + 1, c) = s.b(k + 1, c) - factor * s.z(k, c);
      scale = own_scale;
    } else {  // the rows are exchanged
      const T factor = upper.pivot / below;
      row = {upper.next - factor * pivot, -factor * next, T{}};
      upper = {below, pivot, next};
      for (int c = 0; c < s.columns; ++c) {
        const T z = s.z(k, c);
        s.z(k + 1, c) = z - factor * s.b(k + 1, c);
        s.z(k, c) = s.b(k + 1, c);
      }
      scale = std::abs(row.pivot) + std::abs(row.next);
    }
    if (has_after) largest = std::max(largest, upper.largest());
  }
  return std::max(largest, std::abs(rows.back().pivot));
}

/// Moves a pivot by `step`, twice that, ... if dividing the row of x by it would overflow; or scales both.
template <typename T>
T usable_pivot(T pivot, Real<T> step, const System<T>& s, int row) {
  using R = Real<T>;
  const R least = std::numeric_limits<R>::min(), most = R(1) / least;
  R size = std::abs(pivot), largest = 0;
  if (size >= R(1)) return pivot;
  for (int c = 0; c < s.columns; ++c) largest = std::max(largest, std::abs(s.z(row, c)));
  step = std::copysign(std::max(step, least), std::real(pivot));
  while (size < R(1)) {
    if (size >= least && largest <= size * most) return pivot;
    if (size < least && size != R(0) && largest * least <= size) {
      for (int c = 0; c < s.columns; ++c) s.z(row, c) *= most;
      return pivot * most;
    }
    pivot += step;
    step *= R(2);
    size = std::abs(pivot);
    if (std::isnan(size)) return pivot;
  }
  return pivot;
}

template <typename T>
void solve(const System<T>& s, std::vector<Row<T>>& rows) {
  const Real<T> step = std::numeric_limits<Real<T>>::epsilon() * eliminate(s, rows);
  for (int k = s.size - 1; k >= 0; --k) {
    const Row<T>& row = rows[k];
    for (int c = 0; c < s.columns; ++c) {
      if (k + 1 < s.size) s.z(k, c) -= row.next * s.z(k + 1, c);
      if (k + 2 < s.size) s.z(k, c) -= row.after * s.z(k + 2, c);
    }
    const T inverse = T(1) / usable_pivot(row.pivot, step, s, k);
    for (int c = 0; c < s.columns; ++c) s.z(k, c) *= inverse;
  }
}

template <typename T>
Status solve_all(const CustomCallFrame& frame) {
  Batch<T> diagonals[3];
  for (size_t k = 0; k < 3; ++k) {
    HILO_ASSIGN_OR_RETURN(diagonals[k], batch_of<T>(operand(frame, k), 1));
  }
  HILO_ASSIGN_OR_RETURN(const Batch<T> right, batch_of<T>(operand(frame, 3), 2));
  HILO_ASSIGN_OR_RETURN(const Batch<T> x, batch_of<T>(result(frame, 0), 2));
  for (const Batch<T>& diagonal : diagonals)
    HILO_RETURN_IF_ERROR(check_fits(frame, diagonal.rows == x.rows && diagonal.count == x.count));
  HILO_RETURN_IF_ERROR(check_fits(frame, right.rows == x.rows && right.columns == x.columns && right.count == x.count));
  if (x.rows == 0) return ok_status();
  for_batch(x.count, 8.0 * static_cast<double>(x.size()), [&](int64_t begin, int64_t end) {
    std::vector<Row<T>> rows(x.rows);
    for (int64_t i = begin; i < end; ++i) {
      solve<T>({x.rows, x.columns, diagonals[0].item(i), diagonals[1].item(i), diagonals[2].item(i), right.item(i),
                x.item(i)},
               rows);
    }
  });
  return ok_status();
}

}  // namespace

Status tridiagonal_solve_perturbed(const CustomCallFrame& frame) {
  return for_element_type(frame, operand(frame, 3), [&]<typename T>() { return solve_all<T>(frame); });
}

}  // namespace hilo::cpu::lapack
