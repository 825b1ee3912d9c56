// SPDX-License-Identifier: Apache-2.0
// Comparisons with JAX's values are in tests/scipy/golden.inc.
#include "hilo/scipy/spatial/transform/slerp.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/jit.h"

namespace hilo::scipy::spatial::transform {
namespace {

Slerp about_z() {
  return Slerp::init(numpy::array({0, 1, 3}), Rotation::from_euler("z", numpy::array({{0}, {30}, {90}}), true));
}
float degrees_at(const Slerp& slerp, float t) { return slerp(t).as_rotvec(true)[2].item<float>(); }

TEST(Slerp, TurnsAtAConstantRate) {
  const Slerp slerp = about_z();
  EXPECT_NEAR(degrees_at(slerp, 0.5), 15, 1e-3);
  EXPECT_NEAR(degrees_at(slerp, 1.5), 45, 1e-3);
  EXPECT_NEAR(degrees_at(slerp, 0), 0, 1e-3);
  EXPECT_NEAR(degrees_at(slerp, 3), 90, 1e-3);
}

TEST(Slerp, GoesOnOutside) {
  EXPECT_NEAR(degrees_at(about_z(), -1), -30, 1e-3);
  EXPECT_NEAR(degrees_at(about_z(), 4), 120, 1e-3);
}

TEST(Slerp, OfAVectorOfTimesGivesARotationEachAndIsATree) {
  const auto at = [](const Slerp& slerp, const Array& times) { return slerp(times).as_matrix(); };
  EXPECT_EQ(Dimensions(jit(at)(about_z(), numpy::array({0.5f, 2.0f})).shape()), (Dimensions{2, 3, 3}));
  EXPECT_TRUE(about_z()(1.0f).single());
}

TEST(Slerp, RefusesOtherTimes) {
  const Rotation two = Rotation::identity(2);
  EXPECT_THROW(Slerp::init(numpy::array({0, 1, 2}), two), Error);
  EXPECT_THROW(Slerp::init(numpy::array({{0, 1}}), two), Error);
  EXPECT_THROW(Slerp::init(numpy::array({0}), Rotation::identity(1)), Error);
  EXPECT_THROW(Slerp::init(numpy::array({0}), Rotation::identity()), Error);
  EXPECT_THROW((void)about_z()(numpy::zeros({2, 2})), Error);
}

}  // namespace
}  // namespace hilo::scipy::spatial::transform
