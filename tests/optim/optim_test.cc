// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/optim.h"

#include <gtest/gtest.h>

#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"

namespace hilo::optim {
namespace {

struct Params {
  Array x, y;
};

Array bowl(const Params& p) { return numpy::square(p.x - 1.0f) + 10.0f * numpy::square(p.y + 2.0f); }
Params origin() { return {numpy::zeros({}), numpy::zeros({})}; }

TEST(GradientTransformation, StepIsOneJittedFunctionWhoseStateIsDonated) {
  const GradientTransformation tx = chain(clip_by_global_norm(100.0), adam(0.1));
  Params p = origin();
  OptState state = tx.init(p);
  const auto step = jit(
      [&](const Params& params, const OptState& s) {
        const auto [updates, next] = tx.update(grad(bowl)(params), s, params);
        return std::pair(apply_updates(params, updates), next);
      },
      {.donate_argnums = {0, 1}});
  for (int i = 0; i < 400; ++i) std::tie(p, state) = step(p, state);
  EXPECT_NEAR(p.x.item<float>(), 1, 1e-2);
  EXPECT_NEAR(p.y.item<float>(), -2, 1e-2);
  EXPECT_EQ(state.inner[1].inner[0].fields.at("count")[0].item<int>(), 400);
}

TEST(GradientTransformation, RefusesAnothersStateAndMissingParameters) {
  const Params p = origin();
  EXPECT_THROW((void)adam(0.1).update(p, sgd(0.1).init(p), p), Error);
  EXPECT_THROW((void)add_decayed_weights(0.1).update(p, add_decayed_weights(0.1).init(p)), Error);
  EXPECT_THROW((void)polyak_sgd().update(p, polyak_sgd().init(p), p), Error);
}

/// The update of a parameter 1 with the gradient 2.
float first_step(const GradientTransformation& tx) {
  const Array p(1.0f), g(2.0f);
  return tx.update(g, tx.init(p), p).first.item<float>();
}

TEST(Nadam, IsAdamWithNesterovsMomentumUnlessTold) {
  EXPECT_NE(first_step(nadam(0.1)), first_step(adam(0.1)));
  EXPECT_EQ(first_step(nadam(0.1, {.b1 = 0.8})), first_step(adam(0.1, {.b1 = 0.8, .nesterov = true})));
  EXPECT_EQ(first_step(nadam({.learning_rate = 0.1})), first_step(nadam(0.1)));
  EXPECT_EQ(first_step(nadam(0.1, {.nesterov = false})), first_step(adam(0.1)));
}

TEST(NoisySgd, TakesItsNoiseByPosition) {
  const auto moved = [](const GradientTransformation& tx) {
    const Array p(1.0f);
    return tx.update(Array(5.0f), tx.init(p), p).first.item<float>();
  };
  EXPECT_EQ(moved(noisy_sgd(0.5, 0.0)), -2.5f);
  EXPECT_EQ(moved(noisy_sgd(0.5, 0.25, 0.75)), moved(noisy_sgd(0.5, {.eta = 0.25, .gamma = 0.75})));
}

TEST(Lbfgs, FindsTheBottomOfABowlInFewSteps) {
  const GradientTransformation tx = lbfgs(std::nullopt, {.memory_size = 3, .linesearch = std::nullopt});
  Params p = origin();
  OptState state = tx.init(p);
  for (int i = 0; i < 12; ++i) {
    const auto [updates, next] = tx.update(grad(bowl)(p), state, p);
    p = apply_updates(p, updates);
    state = next;
  }
  EXPECT_NEAR(p.x.item<float>(), 1, 1e-4);
  EXPECT_NEAR(p.y.item<float>(), -2, 1e-4);
}

}  // namespace
}  // namespace hilo::optim
