// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/optim.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"

namespace hilo {
namespace {

struct Params {
  Array x, y;
};

Array bowl(const Params& p) { return numpy::square(p.x - 1.0f) + 10.0f * numpy::square(p.y + 2.0f); }

TEST(Sgd, StepsAgainstTheGradient) {
  const Params p =
      optim::Sgd{.learning_rate = 0.5f}.update(Params{Array(2.0f), Array(-4.0f)}, Params{Array(1.0f), Array(1.0f)});
  EXPECT_FLOAT_EQ(p.x.item<float>(), 0);
  EXPECT_FLOAT_EQ(p.y.item<float>(), 3);
}

TEST(Adam, FirstStepHasTheLearningRatesSize) {
  const optim::Adam adam{.learning_rate = 0.1f};
  const Params start{Array(1.0f), Array(1.0f)};
  const auto [next, state] = adam.update(Params{Array(5.0f), Array(-0.01f)}, adam.init(start), start);
  EXPECT_NEAR(next.x.item<float>(), 0.9f, 1e-5);
  EXPECT_NEAR(next.y.item<float>(), 1.1f, 1e-4);
  EXPECT_EQ(state.step.item<int>(), 1);
}

TEST(Adam, FindsTheBottomOfABowl) {
  const optim::Adam adam{.learning_rate = 0.1f};
  Params p{numpy::zeros({}), numpy::zeros({})};
  auto state = adam.init(p);
  auto step = jit([&](const Params& params, const optim::AdamState<Params>& s) {
    return adam.update(grad(bowl)(params), s, params);
  });
  for (int i = 0; i < 400; ++i) std::tie(p, state) = step(p, state);
  EXPECT_NEAR(p.x.item<float>(), 1, 1e-2);
  EXPECT_NEAR(p.y.item<float>(), -2, 1e-2);
}

}  // namespace
}  // namespace hilo
