// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/initializers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"

namespace hilo::nn::initializers {
namespace {

const random::Key& k() {
  static const random::Key key = random::key(0);
  return key;
}
float variance(const Array& x) { return numpy::var(x).item<float>(); }

TEST(Initializers, ConstantsTakeTheType) {
  EXPECT_EQ(zeros(k(), {2}).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(ones(k(), {2}, ElementType::kBf16).dtype(), ElementType::kBf16);
  EXPECT_EQ(constant(7.0f)(k(), {2}, ElementType::kBf16).dtype(), ElementType::kBf16);
  EXPECT_THROW(constant(7)(k(), {2}, ElementType::kS32), Error);
  EXPECT_EQ(constant(7.0f)(k(), {0, 3}).size(), 0);
}

TEST(Initializers, UniformIsFromZeroToTheScale) {
  const Array x = uniform(2.0f)(k(), {10000});
  EXPECT_GE(numpy::min(x).item<float>(), 0);
  EXPECT_LT(numpy::max(x).item<float>(), 2);
  EXPECT_NEAR(numpy::mean(x).item<float>(), 1, 0.03);
}

TEST(Initializers, NormalsHaveTheirDeviation) {
  EXPECT_NEAR(std::sqrt(variance(normal(0.5f)(k(), {20000}))), 0.5f, 0.01);
  const Array x = truncated_normal(0.5f)(k(), {20000});
  EXPECT_LE(numpy::max(numpy::abs(x)).item<float>(), 1);
}

TEST(Initializers, VarianceIsOfTheFanThatIsNamed) {
  EXPECT_NEAR(variance(lecun_normal()(k(), {100, 400})), 1.0f / 100, 5e-4);
  EXPECT_NEAR(variance(he_uniform()(k(), {100, 400})), 2.0f / 100, 1e-3);
  EXPECT_NEAR(variance(glorot_normal()(k(), {100, 300})), 1.0f / 200, 3e-4);
  EXPECT_NEAR(variance(variance_scaling(1.0, "fan_out", "normal")(k(), {100, 400})), 1.0f / 400, 2e-4);
  EXPECT_NEAR(variance(variance_scaling(1.0, "fan_geo_avg", "normal")(k(), {100, 400})), 1.0f / 200, 3e-4);
}

TEST(Initializers, OrthogonalMatricesAre) {
  const Array q = orthogonal()(k(), {5, 3});
  const Array product = numpy::matmul(numpy::transpose(q), q);
  EXPECT_LT(numpy::max(numpy::abs(product - numpy::eye(3))).item<float>(), 1e-5);
  const Array delta = delta_orthogonal()(k(), {3, 2, 4});
  EXPECT_EQ(numpy::max(numpy::abs(delta(0))).item<float>(), 0);
  EXPECT_GT(numpy::max(numpy::abs(delta(1))).item<float>(), 0);
}

TEST(Initializers, RefuseUnknownWordsAndShapesOfTooFewAxes) {
  EXPECT_THROW(variance_scaling(1.0, "fan", "normal")(k(), {2, 2}), Error);
  EXPECT_THROW(variance_scaling(1.0, "fan_in", "cauchy")(k(), {2, 2}), Error);
  EXPECT_THROW(lecun_normal()(k(), {2}), Error);
  EXPECT_THROW(delta_orthogonal()(k(), {2, 2}), Error);
}

}  // namespace
}  // namespace hilo::nn::initializers
