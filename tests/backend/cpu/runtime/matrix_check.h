// SPDX-License-Identifier: Apache-2.0
// tests/backend/cpu/runtime/matrix_check.h -- random matrices, and products to compare with.
#pragma once

#include <random>
#include <vector>

#include "hilo/backend/cpu/runtime/matrix.h"
#include "tests/backend/cpu/runtime/runtime_check.h"

namespace hilo::cpu::runtime {

template <typename T>
inline constexpr ElementType kTypeOf = std::is_same_v<T, float>            ? ElementType::kF32
                                       : std::is_same_v<T, double>         ? ElementType::kF64
                                       : std::is_same_v<T, Complex<float>> ? ElementType::kC64
                                                                           : ElementType::kC128;

/// A dense matrix with memory.
template <typename T>
struct Dense {
  int64_t rows, columns;
  std::vector<T> data;

  Dense(int64_t r, int64_t c) : rows(r), columns(c), data(static_cast<size_t>(r * c)) {}
  T& operator()(int64_t i, int64_t j) { return data[static_cast<size_t>(i * columns + j)]; }
  const T& operator()(int64_t i, int64_t j) const { return data[static_cast<size_t>(i * columns + j)]; }
};

template <typename T>
Dense<T> random_matrix(int64_t rows, int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&] { return static_cast<RealOf<T>>(random() % 2001) / 1000 - 1; };
  Dense<T> a(rows, columns);
  for (T& x : a.data) {
    if constexpr (kIsComplex<T>) x = T(number(), number());
    else x = number();
  }
  return a;
}

template <typename T>
Dense<T> operator*(const Dense<T>& a, const Dense<T>& b) {
  Dense<T> c(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) {
      for (int64_t k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

template <typename T>
Dense<T> adjoint(const Dense<T>& a) {
  Dense<T> b(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) b(j, i) = conjugate(a(i, j));
  }
  return b;
}

template <typename T>
Dense<T> identity(int64_t n) {
  Dense<T> a(n, n);
  for (int64_t i = 0; i < n; ++i) a(i, i) = T(1);
  return a;
}

/// Expects equal matrices, within some ulps per row.
template <typename T>
void expect_near(const Dense<T>& got, const Dense<T>& wanted, double scale = 1) {
  ASSERT_EQ(got.data.size(), wanted.data.size());
  const double tolerance = 40 * std::numeric_limits<RealOf<T>>::epsilon() * scale *
                           static_cast<double>(std::max<int64_t>(got.rows, got.columns) + 1);
  for (size_t k = 0; k < got.data.size(); ++k)
    ASSERT_LE(magnitude(got.data[k] - wanted.data[k]), tolerance) << k << " of " << got.rows << " x " << got.columns;
}

/// Calls run.operator()<T>() for all types.
template <typename Run>
void for_linalg_types(const Run& run) {
  for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kC64, ElementType::kC128}) {
    SCOPED_TRACE(element_type_name(type));
    visit_linalg(type, run);
  }
}

template <typename Problem>
std::vector<std::byte> bytes_of_problem(const Problem& problem) {
  return ProblemWriter<Problem>(problem).finish();
}

}  // namespace hilo::cpu::runtime
