// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/transform/grad.h"

namespace hilo::random {
namespace {

TEST(Gamma, HasItsMeanAndVariance) {
  for (const float a : {0.5f, 1.0f, 7.0f}) {
    const Array drawn = gamma(key(2), a, {20000});
    EXPECT_NEAR(numpy::mean(drawn).item<float>(), a, 5 * std::sqrt(a / 20000)) << a;
    EXPECT_NEAR(numpy::var(drawn).item<float>(), a, 0.1f * a + 0.02f) << a;
    EXPECT_GT(numpy::min(drawn).item<float>(), 0) << a;
  }
}

TEST(Gamma, OfNothingIsNothing) {
  EXPECT_EQ(gamma(key(0), 2.0f, {0, 3}).size(), 0);
  EXPECT_EQ(gamma(key(0), numpy::ones({0})).size(), 0);
}

TEST(Loggamma, IsFiniteWhereGammaUnderflows) {
  const Array drawn = loggamma(key(0), 1e-3f, {100});
  EXPECT_TRUE(std::isfinite(numpy::min(drawn).item<float>()));
  EXPECT_LT(numpy::min(drawn).item<float>(), -150);  // its exponential underflows
}

TEST(Loggamma, IsTheLogarithmOfGamma) {
  const std::vector<float> logs = loggamma(key(3), 5.0f, {4}).to_vector<float>(),
                           values = gamma(key(3), 5.0f, {4}).to_vector<float>();
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(logs[i], std::log(values[i]), 2e-6);
}

TEST(Gamma, ItsSlopeIsThatOfTheSampleInTheParameter) {
  const auto f = [](const Array& a) { return numpy::mean(gamma(key(4), a, {500})); };
  const float h = 0.01f;
  const float by_difference = (f(Array(3.0f + h)).item<float>() - f(Array(3.0f - h)).item<float>()) / (2 * h);
  EXPECT_NEAR(grad(f)(Array(3.0f)).item<float>(), by_difference, 0.05f);
  EXPECT_NEAR(grad(f)(Array(3.0f)).item<float>(), 1, 0.2f);  // the mean is a
}

TEST(Gamma, RefusesIntegerTypes) { EXPECT_THROW(gamma(key(0), 2.0f, {3}, int32), Error); }

}  // namespace
}  // namespace hilo::random
