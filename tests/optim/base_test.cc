// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/base.h"

#include <gtest/gtest.h>

#include "hilo/optim/optim.h"
#include "hilo/transform/grad.h"

namespace hilo::optim {
namespace {

struct BaseParams {
  Array x, y;
};

TEST(Moments, OfTreesAreOptaxs) {
  const BaseParams g{Array(2.0f), Array(-3.0f)}, m{Array(1.0f), Array(0.5f)};
  EXPECT_FLOAT_EQ(update_moment(g, m, 0.75, 2).y.item<float>(), 0.25f * 9 + 0.375f);
  EXPECT_FLOAT_EQ(update_moment_per_elem_norm(g, m, 0.75, 1).y.item<float>(), -0.75f + 0.375f);
  EXPECT_FLOAT_EQ(update_infinity_moment(g, m, 0.75, 0.5).y.item<float>(), 3.5f);
  EXPECT_FLOAT_EQ(bias_correction(m, 0.5, 2).x.item<float>(), 1 / 0.75f);
}

TEST(ScaleGradient, ChangesTheDerivativeAlone) {
  const auto f = [](const Array& x) { return scale_gradient(numpy::square(x), 0.25); };
  EXPECT_EQ(f(Array(3.0f)).item<float>(), 9);
  EXPECT_EQ(grad(f)(Array(3.0f)).item<float>(), 1.5f);
}

TEST(ApplyUpdates, KeepsTheTypeOfTheParameters) {
  const BaseParams p{Array(1.0f), numpy::ones({2}).astype(ElementType::kBf16)};
  const BaseParams u{Array(0.5f), numpy::ones({2})};
  const BaseParams after = apply_updates(p, u);
  EXPECT_EQ(after.x.item<float>(), 1.5f);
  EXPECT_EQ(after.y.dtype(), ElementType::kBf16);
  EXPECT_EQ(after.y.to_vector<float>(), (std::vector<float>{2, 2}));
}

TEST(GlobalNorm, IsOverAllLeavesAndOfNoneZero) {
  EXPECT_EQ(global_norm(BaseParams{Array(3.0f), Array(4.0f)}).item<float>(), 5);
  EXPECT_EQ(global_norm(std::vector<Array>{}).item<float>(), 0);
  EXPECT_EQ(global_norm(BaseParams{Array(3.0f), numpy::zeros({0})}).item<float>(), 3);
}

}  // namespace
}  // namespace hilo::optim
