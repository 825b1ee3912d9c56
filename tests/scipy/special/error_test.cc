// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/special/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"
#include "tests/support/x64.h"

namespace hilo::scipy::special {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();

void expect_near(const Array& got, const std::vector<double>& expected, double tolerance) {
  const std::vector<double> values = got.to_vector<double>();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(expected[i])) EXPECT_TRUE(std::isnan(values[i])) << i;
    else if (std::isinf(expected[i])) EXPECT_EQ(values[i], expected[i]) << i;
    else EXPECT_NEAR(values[i], expected[i], tolerance * std::abs(expected[i])) << i;
  }
}

// Values of jax 0.12.0.1.
TEST(Error, Erfcinv) {
  expect_near(erfcinv(numpy::array({0.0f, 0.5f, 1.0f, 1.5f, 2.0f, -0.1f, 2.1f, kNaN})),
              {kInf, 0.4769362807273865, 0, -0.4769362807273865, -kInf, kNaN, kNaN, kNaN}, 1e-6);
  expect_near(erfcinv(numpy::array({1e-30f, 1e-5f, 0.999999f, 1.99999f})),
              {8.148615837097168, 3.123413324356079, 8.979950507637113e-07, -3.1232056617736816}, 1e-6);
  expect_near(vmap(grad(erfcinv))(numpy::array({0.5f, 1.0f, 1.5f, 1e-30f, 1e-5f, 0.999999f})),
              {-1.1125849485397339, -0.8862269520759583, -1.1125849485397339, -6.090812897802314e+28, -15289.6025390625,
               -0.8862269520759583},
              2e-6);
  const Array half = erfcinv(numpy::array({0.3f}).astype(numpy::bfloat16));
  EXPECT_EQ(half.dtype(), ElementType::kBf16);
  EXPECT_EQ(half.item(), 0.73046875);
  EXPECT_FALSE(erfcinv(0.3f).weak_type());
  EXPECT_EQ(erfcinv(1).dtype(), ElementType::kF32);
}

TEST(Error, ErfcinvOfDoubles) {
  const X64Scope x64;
  expect_near(erfcinv(numpy::array({1e-300, 1e-20, 0.3, 0.9999999999, 1.7})),
              {26.209469960516124, 6.601580622355143, 0.7328690779592169, 8.862269987795026e-11, -0.7328690779592169},
              1e-14);
}

}  // namespace
}  // namespace hilo::scipy::special
