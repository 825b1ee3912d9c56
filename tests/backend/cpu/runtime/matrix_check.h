// SPDX-License-Identifier: Apache-2.0
// tests/backend/cpu/runtime/matrix_check.h -- random matrices, and products to compare with.
#pragma once

#include <random>
#include <string>
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

/// A matrix with an element (i, j) of value(i, j), a real number.
template <typename T, typename Value>
Dense<T> filled(int64_t rows, int64_t columns, const Value& value) {
  Dense<T> a(rows, columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) a(i, j) = T(static_cast<RealOf<T>>(value(i, j)));
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

template <typename T>
struct NamedMatrix {
  std::string name;
  Dense<T> matrix;
};

/// Matrices with elements of at most 1 whose decompositions are hard: equal, zero and tiny values, low ranks, blocks.
template <typename T>
std::vector<NamedMatrix<T>> hard_matrices(int64_t rows, int64_t columns) {
  const double bits = 1 - std::log2(static_cast<double>(std::numeric_limits<RealOf<T>>::min()));
  const auto power = [](double exponent) { return std::exp2(-exponent); };
  const auto all = [&](const auto& value) { return filled<T>(rows, columns, value); };
  const auto low_rank = [&](int64_t rank) {
    Dense<T> a = random_matrix<T>(rows, rank, 3) * random_matrix<T>(rank, columns, 4);
    for (T& x : a.data) x = RealOf<T>(0.5) / static_cast<RealOf<T>>(rank) * x;
    return a;
  };
  Dense<T> random = random_matrix<T>(rows, columns, 7), sparse = random, graded = random, tiny_column = random;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      const auto scale = static_cast<RealOf<T>>(power(bits * static_cast<double>(j) / static_cast<double>(columns)));
      random(i, j) = RealOf<T>(0.5) * random(i, j);
      graded(i, j) = scale * random(i, j);
      if ((i * 7 + j * 5) % 4 != 0) sparse(i, j) = T();
      if (j % 2 == 1) tiny_column(i, j) = static_cast<RealOf<T>>(power(0.6 * bits)) * tiny_column(i, j);
    }
  }
  return {
      {"zeros", Dense<T>(rows, columns)},
      {"ones", all([](int64_t, int64_t) { return 1; })},
      {"identity", all([](int64_t i, int64_t j) { return i == j; })},
      {"exchange", all([&](int64_t i, int64_t j) { return i == (j + 1) % rows; })},
      {"chain below", all([](int64_t i, int64_t j) { return i == j + 1; })},
      {"chain above", all([](int64_t i, int64_t j) { return i + 1 == j; })},
      {"second difference", all([](int64_t i, int64_t j) { return i == j                 ? 1
                                                                  : std::abs(i - j) == 1 ? -0.5
                                                                                         : 0; })},
      {"checkers", all([](int64_t i, int64_t j) { return (i + j) % 2; })},
      {"first column", all([](int64_t i, int64_t j) { return j == 0 ? 1 / (1.0 + i) : 0; })},
      {"last row", all([&](int64_t i, int64_t j) { return i + 1 == rows ? 1 / (1.0 + j) : 0; })},
      {"Hilbert", all([](int64_t i, int64_t j) { return 1.0 / (1 + i + j); })},
      {"triangle", all([](int64_t i, int64_t j) { return i >= j; })},
      {"nearly equal columns", all([&](int64_t i, int64_t j) { return i == j ? 1 : 1 - power(20); })},
      {"powers", all([&](int64_t i, int64_t j) { return i == j ? power(bits * double(i) / double(rows)) : 0; })},
      {"rank one", low_rank(1)},
      {"rank two", low_rank(2)},
      {"random", random},
      {"sparse", sparse},
      {"graded columns", graded},
      {"tiny columns", tiny_column},
  };
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
