// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wide_matrix.h"

#include <cmath>
#include <limits>

namespace hilo::tests {
namespace {

/// rows x columns of f(i, j).
WideMatrix filled(int64_t rows, int64_t columns, const std::function<Wide(int64_t i, int64_t j)>& f) {
  WideMatrix a(rows, columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) a(i, j) = f(i, j);
  }
  return a;
}

}  // namespace

WideMatrix matrix_at(const Literal& batch, int64_t batch_rank, int64_t item) {
  const auto sizes = batch.shape().dimensions().subspan(static_cast<size_t>(batch_rank));
  WideMatrix a(sizes[0], sizes.size() == 1 ? 1 : sizes[1]);
  const int64_t first = item * a.rows * a.columns;
  for (size_t k = 0; k < a.elements.size(); ++k) a.elements[k] = wide_at(batch, first + static_cast<int64_t>(k));
  return a;
}

WideMatrix identity_matrix(int64_t rows, int64_t columns) {
  return filled(rows, columns, [](int64_t i, int64_t j) { return Wide(i == j ? 1 : 0); });
}

WideMatrix diagonal_matrix(const WideMatrix& column) {
  return filled(column.rows, column.rows, [&](int64_t i, int64_t j) { return i == j ? column(i, 0) : Wide(0); });
}

WideMatrix product(const WideMatrix& a, const WideMatrix& b) {
  return filled(a.rows, b.columns, [&](int64_t i, int64_t j) {
    Wide sum = 0;
    for (int64_t k = 0; k < a.columns; ++k) sum += a(i, k) * b(k, j);
    return sum;
  });
}

WideMatrix adjoint(const WideMatrix& a) {
  return filled(a.columns, a.rows, [&](int64_t i, int64_t j) { return std::conj(a(j, i)); });
}

WideMatrix corner(const WideMatrix& a, int64_t rows, int64_t columns) {
  return filled(rows, columns, [&](int64_t i, int64_t j) { return i < a.rows && j < a.columns ? a(i, j) : Wide(0); });
}

WideMatrix columns_in_order(const WideMatrix& a, const std::vector<int64_t>& from) {
  return filled(a.rows, static_cast<int64_t>(from.size()),
                [&](int64_t i, int64_t j) { return a(i, from[static_cast<size_t>(j)]); });
}

WideMatrix upper_part(const WideMatrix& a, int64_t k) {
  return filled(a.rows, a.columns, [&](int64_t i, int64_t j) { return j - i >= k ? a(i, j) : Wide(0); });
}

long double greatest(const WideMatrix& a) {
  long double most = 0;
  for (const Wide& x : a.elements) {
    const long double size = std::abs(x);
    if (std::isnan(size)) return std::numeric_limits<long double>::infinity();
    most = std::max(most, size);
  }
  return most;
}

long double distance(const WideMatrix& a, const WideMatrix& b) {
  if (a.rows != b.rows || a.columns != b.columns) return std::numeric_limits<long double>::infinity();
  return greatest(filled(a.rows, a.columns, [&](int64_t i, int64_t j) { return a(i, j) - b(i, j); }));
}

}  // namespace hilo::tests
