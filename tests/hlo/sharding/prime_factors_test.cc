// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/prime_factors.h"

#include <gtest/gtest.h>

namespace hilo::hlo {
namespace {

using Factors = std::vector<int64_t>;

TEST(PrimeFactors, SmallOnesComeFirst) {
  EXPECT_EQ(prime_factors(360), (Factors{2, 2, 2, 3, 3, 5}));
  EXPECT_EQ(prime_factors(7), Factors{7});
  EXPECT_EQ(prime_factors(65536), Factors(16, 2));
  EXPECT_EQ(prime_factors(1), Factors());
}

TEST(PrimeFactors, TheirProductIsTheNumber) {
  for (int64_t number = 1; number < 500; ++number) {
    int64_t product = 1;
    for (const int64_t factor : prime_factors(number)) product *= factor;
    EXPECT_EQ(product, number);
  }
}

}  // namespace
}  // namespace hilo::hlo
