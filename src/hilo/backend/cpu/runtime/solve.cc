// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/runtime/solve.h"

#include <cstring>
#include <utility>

#include "hilo/backend/cpu/runtime/functions.h"
#include "hilo/backend/cpu/runtime/linked_lapack.h"
#include "hilo/backend/cpu/runtime/matrix.h"
#include "hilo/backend/cpu/runtime/tridiagonal.h"

namespace hilo::cpu::runtime {
namespace {

/// The triangle of op(a).
template <typename T>
struct Triangle {
  Matrix<const T> a;
  bool transposed, conjugated;

  T operator()(int64_t i, int64_t j) const {
    const T value = transposed ? a(j, i) : a(i, j);
    return conjugated ? conjugate(value) : value;
  }
};

/// Solves op(a) x = b for rows of x, in place.
template <typename T>
void solve_left(const Triangle<T>& a, const Matrix<T>& x, bool is_lower, bool has_units) {
  for (int64_t step = 0; step < x.rows; ++step) {
    const int64_t i = is_lower ? step : x.rows - 1 - step;
    for (int64_t done = 0; done < step; ++done) {
      const int64_t k = is_lower ? done : x.rows - 1 - done;
      subtract_row(x.row(i), a(i, k), x.row(k), x.columns);
    }
    if (has_units) continue;
    const T pivot = a(i, i);
    for (int64_t j = 0; j < x.columns; ++j) x(i, j) = x(i, j) / pivot;
  }
}

/// Solves x op(a) = b for columns of x, in place.
template <typename T>
void solve_right(const Triangle<T>& a, const Matrix<T>& x, bool is_lower, bool has_units) {
  for (int64_t row = 0; row < x.rows; ++row) {
    for (int64_t step = 0; step < x.columns; ++step) {
      const int64_t j = is_lower ? x.columns - 1 - step : step;
      if (!has_units) x(row, j) = x(row, j) / a(j, j);
      const int64_t from = is_lower ? 0 : j + 1, to = is_lower ? j : x.columns;
      for (int64_t k = from; k < to; ++k) x(row, k) -= x(row, j) * a(j, k);
    }
  }
}

/// Solves by BLAS if it is linked. It sees the transposes of both sides.
template <typename T>
bool solve_linked(const TriangularSolveProblem& p, const T* a, const Matrix<T>& x) {
  const auto trsm = linked_lapack<T>().trsm;
  const int64_t n = p.order();
  if (trsm == nullptr || p.conjugated > p.transposed || !fits_linked(a, n, n) || x.columns == 0 || x.rows == 0 ||
      !(largest_part(x.data, x.rows * x.columns) <= std::numeric_limits<RealOf<T>>::max()))
    return false;
  const int order = static_cast<int>(n), rows = static_cast<int>(x.columns), columns = static_cast<int>(x.rows);
  const T one(1);
  trsm(p.left ? "R" : "L", p.lower ? "U" : "L",
       p.conjugated   ? "C"
       : p.transposed ? "T"
                      : "N",
       p.unit_diagonal ? "U" : "N", &rows, &columns, &one, a, &order, x.data, &rows);
  return true;
}

template <typename T>
void solve(const Call& call, const TriangularSolveProblem& p, int64_t item) {
  const int64_t n = p.order(), size = p.rows * p.columns;
  const Matrix<T> x = dense(result<T>(call, 2) + item * size, p.rows, p.columns);
  if (call.buffers[1] != call.buffers[2] && size > 0)
    std::memcpy(x.data, operand<T>(call, 1) + item * size, static_cast<size_t>(size) * sizeof(T));
  if (solve_linked(p, operand<T>(call, 0) + item * n * n, x)) return;
  const Triangle<T> a{dense(operand<T>(call, 0) + item * n * n, n, n), p.transposed, p.conjugated};
  const bool is_lower = p.lower != p.transposed;
  if (p.left) solve_left(a, x, is_lower, p.unit_diagonal);
  else solve_right(a, x, is_lower, p.unit_diagonal);
}

/// Returns the first row, from 1, whose pivot is zero, or 0.
template <typename T>
int32_t first_zero(std::span<const TriangleRow<T>> rows) {
  for (size_t k = 0; k < rows.size(); ++k) {
    if (magnitude(rows[k].pivot) == 0) return static_cast<int32_t>(k + 1);
  }
  return 0;
}

template <typename T>
void solve_tridiagonal(const Call& call, const TridiagonalSolveProblem& p, int64_t item) {
  const int64_t n = p.rows, size = p.rows * p.columns;
  const auto diagonal = [&](size_t k) { return operand<T>(call, k) + item * n; };
  T* const x = result<T>(call, p.perturbed ? 4 : 7) + item * size;
  const TridiagonalSystem<T> system{
      n, p.columns, diagonal(0), diagonal(1), diagonal(2), operand<T>(call, 3) + item * size, x, p.columns, 1};
  if (n == 0) {
    if (!p.perturbed) result<int32_t>(call, 8)[item] = 0;
    return;
  }
  const std::span<TriangleRow<T>> rows = Scratch(call).take<TriangleRow<T>>(static_cast<size_t>(n));
  if (p.perturbed) return solve_perturbed(system, rows);
  eliminate(system, rows);
  const int32_t info = first_zero<T>(rows);
  if (info == 0) substitute<T>(system, rows, 0);
  // As in LAPACK, the diagonals become those of the triangle.
  for (int64_t k = 0; k < n; ++k) {
    const TriangleRow<T>& row = rows[static_cast<size_t>(k)];
    result<T>(call, 4)[item * n + k] = k > 0 ? rows[static_cast<size_t>(k - 1)].after : T();
    result<T>(call, 5)[item * n + k] = row.pivot;
    result<T>(call, 6)[item * n + k] = row.next;
  }
  result<int32_t>(call, 8)[item] = info;
}

}  // namespace

size_t TridiagonalSolveProblem::scratch_bytes() const {
  return scratch_of(type, [&]<typename T>() { return bytes_of<TriangleRow<T>>(rows); });
}

void hilo_rt_triangular_solve(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<TriangularSolveProblem>(*call);
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) { solve<T>(*call, p, item); });
}

void hilo_rt_tridiagonal_solve(const Call* call, int64_t begin, int64_t end) {
  const auto& p = problem_of<TridiagonalSolveProblem>(*call);
  for_items(*call, p.type, begin, end, [&]<typename T>(int64_t item) { solve_tridiagonal<T>(*call, p, item); });
}

}  // namespace hilo::cpu::runtime
