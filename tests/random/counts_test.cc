// SPDX-License-Identifier: Apache-2.0
// Counts at the boundaries of their parameters. tests/golden/lax_cases.txt has JAX's numbers.
#include "hilo/random/counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"

namespace hilo::random {
namespace {

using Floats = std::vector<float>;
const float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Binomial, IsSureAtItsEnds) {
  EXPECT_EQ(binomial(key(0), 7.0f, 0.0f, {3}).to_vector<float>(), (Floats{0, 0, 0}));
  EXPECT_EQ(binomial(key(0), 7.0f, 1.0f, {3}).to_vector<float>(), (Floats{7, 7, 7}));
  EXPECT_EQ(binomial(key(0), 0.0f, 0.5f, {2}).to_vector<float>(), (Floats{0, 0}));
  EXPECT_EQ(binomial(key(0), 7.0f, 0.5f, {0}).size(), 0);
}

TEST(Binomial, OfNoNumbersIsNan) {
  for (const Array& drawn : {binomial(key(0), -1.0f, 0.5f), binomial(key(0), 7.0f, kNan), binomial(key(0), kNan, 0.5f)})
    EXPECT_TRUE(std::isnan(drawn.item<float>()));
}

TEST(Binomial, HasItsMeanFewOrMany) {
  for (const float n : {8.0f, 1000.0f}) {
    const Array drawn = binomial(key(1), n, 0.25f, {4000});
    EXPECT_NEAR(numpy::mean(drawn).item<float>(), 0.25f * n, 5 * std::sqrt(n * 0.1875f / 4000));
    EXPECT_GE(numpy::min(drawn).item<float>(), 0);
    EXPECT_LE(numpy::max(drawn).item<float>(), n);
  }
}

TEST(Poisson, OfNothingIsZeroAndHasItsMean) {
  EXPECT_EQ(numpy::max(poisson(key(0), 0.0f, {5})).item<int>(), 0);
  for (const float lam : {3.0f, 50.0f}) {
    const Array drawn = poisson(key(1), lam, {4000});
    EXPECT_EQ(drawn.dtype(), ElementType::kS32);
    EXPECT_NEAR(numpy::mean(drawn).item<float>(), lam, 5 * std::sqrt(lam / 4000));
  }
}

TEST(Poisson, NeedsAThreefryKey) { EXPECT_THROW(poisson(key(0, {.impl = "rbg"}), 3.0f), Error); }

TEST(Geometric, OfASureSuccessIsOneTrial) {
  EXPECT_EQ(geometric(key(0), 1.0f, {3}).to_vector<int>(), (std::vector<int>{1, 1, 1}));
  EXPECT_GE(numpy::min(geometric(key(0), 0.3f, {1000})).item<int>(), 1);
}

TEST(Multinomial, CountsAllTrials) {
  const Array drawn = multinomial(key(0), 100.0f, numpy::array({0.2f, 0.3f, 0.5f}), {6, 3});
  EXPECT_EQ(numpy::sum(drawn, 1).to_vector<float>(), Floats(6, 100));
  const Array sure = multinomial(key(0), 9.0f, numpy::array({0.0f, 1.0f}));
  EXPECT_EQ(sure.to_vector<float>(), (Floats{0, 9}));
}

}  // namespace
}  // namespace hilo::random
