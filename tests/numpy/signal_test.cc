// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/signal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"

namespace hilo::numpy {
namespace {

TEST(Signal, CovarianceTakesTheSecondByPosition) {
  const Array x = array({1.0f, 2.0f, 4.0f}), y = array({2.0f, 1.0f, 0.0f});
  EXPECT_EQ(cov(x, y).to_vector<float>(), cov(x, {.y = y}).to_vector<float>());
  EXPECT_EQ(cov(x, y, {.ddof = 0}).shape(0), 2);
  EXPECT_NEAR(corrcoef(x, y)(0, 1).item<float>(), -0.98198050, 1e-6);
}

TEST(Signal, OneRowOfAMatrixIsOneObservationWithoutRowvar) {
  EXPECT_EQ(cov(array({{1.0f, 2.0f, 4.0f}}), {.rowvar = false, .ddof = 0}).to_vector<float>(), std::vector<float>(9));
  EXPECT_EQ(cov(array({1.0f, 2.0f, 4.0f}), {.rowvar = false}).ndim(), 0);
  EXPECT_TRUE(std::isnan(cov(zeros({0})).item<float>()));
}

TEST(Signal, CovarianceRefusesWhatAreNoWeightsOrTypes) {
  const Array x = array({{1.0f, 2.0f, 4.0f}, {0.0f, 1.0f, 1.0f}});
  EXPECT_THROW(cov(x, {.dtype = int32}), Error);
  EXPECT_THROW(cov(x, {.fweights = array({1, 2})}), Error);
  EXPECT_THROW(cov(x, {.fweights = array({1.0f, 2.0f, 1.0f})}), Error);
  EXPECT_THROW(cov(x, {.aweights = ones({1, 3})}), Error);
  EXPECT_EQ(cov(x, {.aweights = array({-1.0f, -2.0f, -1.0f})}).to_vector<float>(),
            cov(x, {.aweights = array({1.0f, 2.0f, 1.0f})}).to_vector<float>());
}

TEST(Signal, TrapezoidOfHalvesRoundsOnce) {
  const Array y = full({1000}, 0.1, float16);  // a sum in f16 would stop growing
  const Array area = trapezoid(y, {.dx = 0.5});
  EXPECT_EQ(area.dtype(), ElementType::kF16);
  EXPECT_NEAR(area.item<float>(), 0.0999756 * 0.5 * 999, 0.02);
}

}  // namespace
}  // namespace hilo::numpy
