// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/linalg/cholesky_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "hilo/backend/cpu/library/products/blas.h"

namespace hilo::cpu {
namespace {

template <typename T>
std::vector<T> positive_matrix(int n, int leading) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<double> values(-1, 1);
  std::vector<T> a(static_cast<size_t>(n * leading));
  for (T& x : a) x = static_cast<T>(values(random));
  for (int i = 0; i < n; ++i) a[static_cast<size_t>(i * leading + i)] = static_cast<T>(2 + n);
  return a;
}

template <typename T>
void check(const char* routine, double tolerance) {
  auto* const potrf = reinterpret_cast<PotrfRoutine<T>*>(blas_symbol(routine));
  ASSERT_NE(potrf, nullptr);
  for (const Isa isa : supported_isas()) {
    for (int n : {0, 1, 64, 128, 129, 191, 257, 300}) {
      const int leading = n + 5;
      const std::vector<T> a = positive_matrix<T>(n, leading);
      std::vector<T> l = a;
      ASSERT_EQ(factor_in_blocks(isa, potrf, n, l.data(), leading), 0);
      double most = 0;
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < leading; ++r) {
          const auto at = static_cast<size_t>(c * leading + r);
          double sum = l[at];
          if (r >= c && r < n) {  // the factor; other elements are unchanged
            sum = 0;
            for (int k = 0; k <= c; ++k)
              sum += static_cast<double>(l[static_cast<size_t>(k * leading + r)]) *
                     static_cast<double>(l[static_cast<size_t>(k * leading + c)]);
          }
          most = std::max(most, std::abs(sum - static_cast<double>(a[at])));
        }
      }
      EXPECT_LT(most, tolerance * (n + 2)) << isa_name(isa) << " " << n;
    }
    for (int bad : {5, 130, 250}) {
      std::vector<T> a = positive_matrix<T>(300, 300);
      a[static_cast<size_t>(bad * 300 + bad)] = -1;
      EXPECT_EQ(factor_in_blocks(isa, potrf, 300, a.data(), 300), bad + 1) << isa_name(isa);
    }
  }
}

TEST(CholeskyBlocks, FactorMatricesOfAnySize) { check<float>("spotrf_", 1e-6); }
TEST(CholeskyBlocks, FactorMatricesOfDoubles) { check<double>("dpotrf_", 1e-15); }

}  // namespace
}  // namespace hilo::cpu
