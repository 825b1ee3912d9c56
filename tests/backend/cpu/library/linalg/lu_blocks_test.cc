// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/linalg/lu_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "hilo/backend/cpu/library/products/blas.h"

namespace hilo::cpu {
namespace {

constexpr int kUntouched = 3;  // padding rows between columns, which stay unchanged

/// A column-major matrix.
template <typename T>
struct Matrix {
  int rows, columns;
  std::vector<T> data;
  Matrix(int m, int n) : rows(m), columns(n), data(static_cast<size_t>((m + kUntouched) * n), T{7}) {}
  int leading() const { return rows + kUntouched; }
  T& at(int r, int c) { return data[static_cast<size_t>(c * leading() + r)]; }
};

template <typename T>
Matrix<T> random_matrix(int m, int n) {
  std::mt19937 random(static_cast<unsigned>(1000 * m + n));
  std::uniform_real_distribution<double> values(-1, 1);
  Matrix<T> a(m, n);
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < m; ++r) a.at(r, c) = static_cast<T>(values(random));
  }
  return a;
}

template <typename T>
GetrfRoutine<T>* getrf() {
  return reinterpret_cast<GetrfRoutine<T>*>(blas_symbol(std::is_same_v<T, float> ? "sgetrf_" : "dgetrf_"));
}

template <typename T>
int factor(Isa isa, Matrix<T>& a, std::vector<int>& pivots) {
  pivots.assign(static_cast<size_t>(std::min(a.rows, a.columns)), -1);
  return factor_lu(isa, getrf<T>(), a.rows, a.columns, a.data.data(), a.leading(), pivots.data());
}

/// The greatest difference between L U and the permuted rows of `a`.
template <typename T>
double residual(Matrix<T> a, Matrix<T> lu, const std::vector<int>& pivots) {
  for (int k = 0; k < static_cast<int>(pivots.size()); ++k) {
    for (int c = 0; c < a.columns; ++c) std::swap(a.at(k, c), a.at(pivots[static_cast<size_t>(k)] - 1, c));
  }
  double most = 0;
  for (int c = 0; c < a.columns; ++c) {
    for (int r = 0; r < a.rows; ++r) {
      double sum = r <= c ? static_cast<double>(lu.at(r, c)) : 0;
      for (int k = 0; k < std::min(r, c + 1); ++k)
        sum += static_cast<double>(lu.at(r, k)) * static_cast<double>(lu.at(k, c));
      most = std::max(most, std::abs(sum - static_cast<double>(a.at(r, c))));
    }
    for (int r = 0; r < kUntouched; ++r) EXPECT_EQ(lu.at(a.rows + r, c), T{7});
  }
  return most;
}

template <typename T>
void check(double tolerance) {
  ASSERT_NE(getrf<T>(), nullptr);
  for (const Isa isa : supported_isas()) {
    for (const auto& [m, n] : std::initializer_list<std::pair<int, int>>{{0, 0},
                                                                         {0, 4},
                                                                         {4, 0},
                                                                         {1, 1},
                                                                         {5, 3},
                                                                         {3, 5},
                                                                         {16, 16},
                                                                         {17, 17},
                                                                         {40, 16},
                                                                         {33, 20},
                                                                         {20, 33},
                                                                         {64, 64},
                                                                         {129, 129},
                                                                         {300, 200},
                                                                         {200, 300},
                                                                         {257, 257}}) {
      SCOPED_TRACE(std::string(isa_name(isa)) + " " + std::to_string(m) + " x " + std::to_string(n));
      const Matrix<T> a = random_matrix<T>(m, n);
      Matrix<T> lu = a, wanted = a;
      std::vector<int> pivots, wanted_pivots(static_cast<size_t>(std::min(m, n)));
      EXPECT_EQ(factor(isa, lu, pivots), 0);
      EXPECT_LT(residual(a, lu, pivots), tolerance * (m + n + 1));
      const int leading = a.leading();
      int info = 0;
      getrf<T>()(&m, &n, wanted.data.data(), &leading, wanted_pivots.data(), &info);
      EXPECT_EQ(pivots, wanted_pivots);
    }
  }
}

TEST(LuBlocks, FactorMatricesOfFloatsWithLapacksPivots) { check<float>(1e-6); }
TEST(LuBlocks, FactorMatricesOfDoublesWithLapacksPivots) { check<double>(1e-15); }

/// A column of zeros doesn't stop the factorization. info is the first such column.
TEST(LuBlocks, SayWhichPivotIsZero) {
  for (const Isa isa : supported_isas()) {
    for (int bad : {0, 7, 16, 60, 99}) {
      Matrix<double> a = random_matrix<double>(100, 100);
      for (int column : {bad, 99}) {
        for (int r = 0; r < 100; ++r) a.at(r, column) = 0;
      }
      Matrix<double> lu = a;
      std::vector<int> pivots;
      EXPECT_EQ(factor(isa, lu, pivots), bad + 1) << isa_name(isa);
      EXPECT_LT(residual(a, lu, pivots), 1e-13);
    }
  }
}

TEST(LuBlocks, TakeTheFirstOfEqualMagnitudes) {
  for (const Isa isa : supported_isas()) {
    for (int rows : {2, 16, 37, 150}) {
      for (int first : {0, 1, rows / 2, rows - 1}) {
        Matrix<float> a(rows, 1);
        for (int r = 0; r < rows; ++r) a.at(r, 0) = r < first ? 1.0f : r % 2 == 0 ? 3.0f : -3.0f;
        std::vector<int> pivots;
        EXPECT_EQ(factor(isa, a, pivots), 0);
        EXPECT_EQ(pivots[0], first + 1) << isa_name(isa) << " " << rows;
      }
    }
  }
}

/// The reciprocal of a denormal pivot may be infinite.
TEST(LuBlocks, DivideByDenormals) {
  for (const Isa isa : supported_isas()) {
    if (vector_bytes(isa) == 16) continue;  // uses LAPACK, which returns infinities
    Matrix<double> a(40, 1);
    for (int r = 0; r < 40; ++r) a.at(r, 0) = r == 3 ? 0x1p-1070 : 0x1p-1071;
    std::vector<int> pivots;
    EXPECT_EQ(factor(isa, a, pivots), 0);
    EXPECT_EQ(pivots[0], 4);
    for (int r = 1; r < 40; ++r) EXPECT_EQ(a.at(r, 0), 0.5) << isa_name(isa);
  }
}

}  // namespace
}  // namespace hilo::cpu
