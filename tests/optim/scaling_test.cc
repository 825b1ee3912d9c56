// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/scaling.h"

#include <gtest/gtest.h>

#include "hilo/optim/optim.h"
#include "hilo/random/random.h"

namespace hilo::optim {
namespace {

TEST(AddNoise, OfAKeyIsThatOfItsSeed) {
  const Array w = numpy::zeros({3});
  const auto step = [&](const GradientTransformation& tx) {
    return tx.update(w, tx.init(w), w).first.to_vector<float>();
  };
  EXPECT_EQ(step(add_noise(0.1, 0.5, random::key(7))), step(add_noise(0.1, 0.5, 7)));
  EXPECT_EQ(step(add_noise(0.1, 0.5, {.key = random::key(7)})), step(add_noise(0.1, 0.5, {.seed = 7})));
  EXPECT_THROW(add_noise(0.1, 0.5, NoiseOptions{}), Error);
}

/// The update of a parameter 1 with this gradient.
float first_update(const GradientTransformation& tx, float gradient) {
  const Array p(1.0f);
  return tx.update(Array(gradient), tx.init(p), p).first.item<float>();
}

TEST(Scale, MultipliesByARateWithASignOrByASchedule) {
  EXPECT_EQ(first_update(scale(3.0), 2), 6);
  EXPECT_EQ(first_update(scale_by_learning_rate(0.5), 2), -1);
  EXPECT_EQ(first_update(scale_by_learning_rate(0.5, {.flip_sign = false}), 2), 1);
  EXPECT_EQ(first_update(scale_by_learning_rate(), 2), 2);
  EXPECT_EQ(first_update(scale_by_schedule([](const Array& count) { return count + 0.25f; }), 2), 0.5f);
}

TEST(ScaleBySign, OfZeroIsZero) {
  EXPECT_EQ(first_update(scale_by_sign(), -7), -1);
  EXPECT_EQ(first_update(scale_by_sign(), 0), 0);
}

TEST(ScaleByAdam, TheFirstStepIsTheSignWhateverTheSize) {
  EXPECT_NEAR(first_update(scale_by_adam(), 1e-3f), 1, 1e-4);
  EXPECT_NEAR(first_update(scale_by_adam(), -1e10f), -1, 1e-4);
  EXPECT_EQ(first_update(scale_by_adam(), 0), 0);
}

TEST(ScaleByAdam, KeepsItsMeanInTheTypeAskedFor) {
  const GradientTransformation tx = scale_by_adam({.mu_dtype = ElementType::kBf16});
  EXPECT_EQ(tx.init(Array(1.0f)).fields.at("mu")[0].dtype(), ElementType::kBf16);
}

}  // namespace
}  // namespace hilo::optim
