// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/small_linalg/factor.h"

#include <algorithm>
#include <utility>

#include "hilo/hlo/passes/small_linalg/marks.h"

namespace hilo::hlo::small_linalg {
namespace {

/// Returns the magnitude by which LAPACK compares pivots.
Expr pivot_size(Expr x) { return is_complex(x) ? abs(real(x)) + abs(imag(x)) : abs(x); }

/// Returns for each row below k whether it has the pivot of column k.
Exprs find_pivot(const Elements& a, int64_t k) {
  Exprs is_pivot;
  Expr most = pivot_size(a.at(k, k));
  for (int64_t r = k + 1; r < a.rows; ++r) {
    const Expr size = pivot_size(a.at(r, k));
    is_pivot.push_back(size > most);
    if (r + 1 < a.rows) most = select(is_pivot.back(), size, most);
  }
  // the last row that exceeds all rows before it
  for (int64_t r = std::ssize(is_pivot) - 2, last = r + 1; r >= 0; --r) {
    Expr later = is_pivot[last];
    for (int64_t s = r + 1; s < last; ++s) later = bitwise_or(later, is_pivot[s]);
    is_pivot[r] = bitwise_and(is_pivot[r], bitwise_not(later));
  }
  return is_pivot;
}

/// Exchanges rows[k] with the row for which `is_pivot` is true.
void exchange(const Exprs& is_pivot, int64_t k, Exprs& rows) {
  const Expr row_k = rows[k];
  for (int64_t r = 0; r < std::ssize(is_pivot); ++r) {
    Expr& row = rows[k + 1 + r];
    rows[k] = select(is_pivot[r], row, rows[k]);
    row = select(is_pivot[r], row_k, row);
  }
}

}  // namespace

Lu factor_lu(Elements a) {
  const Marks marks(a);
  a = marks.cleared(std::move(a));
  Lu lu;
  Exprs is_zero;
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    lu.exchanges.push_back(find_pivot(a, k));
    for (int64_t c = 0; c < a.columns; ++c) {
      Exprs column;
      for (int64_t r = 0; r < a.rows; ++r) column.push_back(a.at(r, c));
      exchange(lu.exchanges.back(), k, column);
      for (int64_t r = k; r < a.rows; ++r) a.at(r, c) = column[r];
    }
    const Expr pivot = a.at(k, k);
    is_zero.push_back(pivot == 0);
    const Expr divisor = select(is_zero.back(), full_like(pivot, 1), pivot);
    for (int64_t r = k + 1; r < a.rows; ++r) {
      a.at(r, k) = a.at(r, k) / divisor;
      for (int64_t c = k + 1; c < a.columns; ++c) a.at(r, c) = a.at(r, c) - a.at(r, k) * a.at(k, c);
    }
  }
  lu.info = full_like(is_zero[0], ElementType::kS32, 0);
  for (int64_t k = std::ssize(is_zero) - 1; k >= 0; --k)
    lu.info = select(bitwise_and(is_zero[k], marks.is_finite_until(k)), full_like(lu.info, static_cast<double>(k + 1)),
                     lu.info);
  marks.apply(a);
  lu.factors = std::move(a);
  return lu;
}

Exprs pivots_of(const Lu& lu) {
  Exprs pivots;
  for (int64_t k = 0; k < std::ssize(lu.exchanges); ++k) {
    Expr pivot = full_like(lu.info, static_cast<double>(k + 1));
    for (int64_t r = 0; r < std::ssize(lu.exchanges[k]); ++r)
      pivot = select(lu.exchanges[k][r], full_like(pivot, static_cast<double>(k + 2 + r)), pivot);
    pivots.push_back(pivot);
  }
  return pivots;
}

void permute(const Permutation& permutation, Exprs& rows) {
  const int64_t steps = std::ssize(permutation.exchanges);
  for (int64_t step = 0; step < steps; ++step) {
    const int64_t k = permutation.is_inverse ? steps - 1 - step : step;
    exchange(permutation.exchanges[k], k, rows);
  }
}

Cholesky factor_cholesky(const Elements& a, bool lower) {
  const int64_t n = a.rows;
  Elements l{n, n, Exprs(n * n, full_like(a.at(0, 0), 0))};
  Exprs roots, is_positive;
  for (int64_t r = 0; r < n; ++r) {
    Expr rest = real_part(a.at(r, r));
    for (int64_t c = 0; c < r; ++c) {
      Expr sum = lower ? a.at(r, c) : conjugate(a.at(c, r));
      for (int64_t k = 0; k < c; ++k) sum = sum - l.at(r, k) * conjugate(l.at(c, k));
      l.at(r, c) = divided(sum, roots[c]);
      rest = rest - squared_size(l.at(r, c));
    }
    is_positive.push_back(rest > 0);
    roots.push_back(sqrt(rest));
    l.at(r, r) = with_type_of(roots[r], a.at(0, 0));
  }
  Cholesky result;
  result.info = full_like(is_positive[0], ElementType::kS32, 0);
  for (int64_t r = n - 1; r >= 0; --r)
    result.info = select(is_positive[r], result.info, full_like(result.info, static_cast<double>(r + 1)));
  if (!lower) {
    l = transposed(l);
    for (Expr& x : l.values) x = conjugate(x);
  }
  result.factor = std::move(l);
  return result;
}

Elements solve_triangular(const Elements& a, const Elements& b, const TriangularSolveAttributes& attributes) {
  const bool is_transposed = attributes.transpose_a != MatrixTranspose::kNoTranspose;
  const bool is_conjugated = attributes.transpose_a == MatrixTranspose::kAdjoint;
  // x op(a) = b is equivalent to op(a)^T x^T = b^T.
  const bool is_swapped = is_transposed == attributes.left_side, goes_forward = attributes.lower != is_swapped;
  const auto coefficient = [&](int64_t i, int64_t j) {
    const Expr value = is_swapped ? a.at(j, i) : a.at(i, j);
    return is_conjugated ? conjugate(value) : value;
  };
  Elements x = attributes.left_side ? b : transposed(b);
  const int64_t n = a.rows;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = goes_forward ? step : n - 1 - step;
    for (int64_t other = 0; other < x.columns; ++other) {
      Expr& sum = x.at(i, other);
      for (int64_t before = 0; before < step; ++before) {
        const int64_t j = goes_forward ? before : n - 1 - before;
        sum = sum - coefficient(i, j) * x.at(j, other);
      }
      if (!attributes.unit_diagonal) sum = sum / coefficient(i, i);
    }
  }
  return attributes.left_side ? x : transposed(x);
}

}  // namespace hilo::hlo::small_linalg
