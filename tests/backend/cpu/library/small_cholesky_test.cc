// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/small_cholesky.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace hilo::cpu {
namespace {

template <typename T>
class SmallCholesky : public testing::Test {
 protected:
  static constexpr size_t kLanes = static_cast<size_t>(kCholeskyLanes<T>);

  /// x x' + n, for each matrix.
  static std::vector<T> positive(int n, size_t count) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<T> matrices;
    for (size_t m = 0; m < count; ++m) {
      std::vector<T> x(area(n));
      for (T& value : x) value = static_cast<T>(random() % 17) / 8 - 1;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          T sum = i == j ? static_cast<T>(n) : T(0);
          for (int k = 0; k < n; ++k) sum += x[at(n, i, k)] * x[at(n, j, k)];
          matrices.push_back(sum);
        }
      }
    }
    return matrices;
  }

  static size_t area(int n) { return static_cast<size_t>(n) * static_cast<size_t>(n); }
  static size_t at(int n, int i, int j) {
    return static_cast<size_t>(i) * static_cast<size_t>(n) + static_cast<size_t>(j);
  }

  /// Element (i, j) of the factor's lower form.
  static T lower_element(const T* matrix, int n, bool lower, int i, int j) {
    if (i < j) return T(0);
    return lower ? matrix[at(n, i, j)] : matrix[at(n, j, i)];
  }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SmallCholesky, Types);

TYPED_TEST(SmallCholesky, FactorsGiveTheMatricesBack) {
  for (int n : {1, 2, 3, 7, 16, 31, kLargestSmallCholesky}) {
    for (bool lower : {true, false}) {
      const std::vector<TypeParam> given = this->positive(n, this->kLanes - 1);
      std::vector<TypeParam> factors = given;
      std::array<bool, TestFixture::kLanes - 1> failed;
      factor_small(factors.data(), n, lower, std::span<bool>(failed));
      for (size_t m = 0; m < failed.size(); ++m) {
        ASSERT_FALSE(failed[m]);
        const TypeParam *const factor = &factors[m * this->area(n)], *const matrix = &given[m * this->area(n)];
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) {
            TypeParam sum = 0;
            for (int k = 0; k < n; ++k)
              sum += this->lower_element(factor, n, lower, i, k) * this->lower_element(factor, n, lower, j, k);
            EXPECT_NEAR(sum, matrix[this->at(n, i, j)], 20 * n * std::numeric_limits<TypeParam>::epsilon() * n) << n;
            if (lower ? j > i : j < i) {
              EXPECT_EQ(factor[this->at(n, i, j)], matrix[this->at(n, i, j)]);
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(SmallCholesky, MatricesAreComputedAsIfAlone) {
  constexpr int kRows = 13;
  const std::vector<TypeParam> given = this->positive(kRows, this->kLanes);
  std::vector<TypeParam> together = given, alone = given;
  std::array<bool, TestFixture::kLanes> failed;
  factor_small(together.data(), kRows, true, std::span<bool>(failed));
  for (size_t m = 0; m < this->kLanes; ++m)
    factor_small(&alone[m * this->area(kRows)], kRows, true, std::span<bool>(failed).first(1));
  EXPECT_EQ(together, alone);
}

TYPED_TEST(SmallCholesky, OnlyMatricesThatArentPositiveDefiniteFail) {
  constexpr int kRows = 5;
  std::vector<TypeParam> matrices = this->positive(kRows, 4);
  matrices[this->area(kRows) + this->at(kRows, 3, 3)] = -1;
  matrices[2 * this->area(kRows) + this->at(kRows, 4, 0)] = std::numeric_limits<TypeParam>::quiet_NaN();
  std::array<bool, 4> failed;
  factor_small(matrices.data(), kRows, true, std::span<bool>(failed));
  EXPECT_EQ(failed, (std::array<bool, 4>{false, true, true, false}));
}

}  // namespace
}  // namespace hilo::cpu
