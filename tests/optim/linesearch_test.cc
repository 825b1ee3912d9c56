// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/linesearch.h"

#include <gtest/gtest.h>

#include "hilo/optim/optim.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::optim {
namespace {

Array bowl(const Array& x) { return numpy::sum(numpy::square(x)); }
Array start() { return numpy::array({1.0f, 2.0f, 3.0f}); }

/// The loss after some steps.
float loss_after(int steps, const GradientTransformation& tx) {
  Array x = start();
  OptState state = tx.init(x);
  for (int i = 0; i < steps; ++i) {
    const auto [value, gradient] = value_and_grad(bowl)(x);
    const auto [updates, next] = tx.update(gradient, state, x, {.value = value, .grad = gradient, .value_fn = bowl});
    x = apply_updates(x, updates);
    state = next;
  }
  return bowl(x).item<float>();
}

TEST(BacktrackingLinesearch, LossFallsAsOptaxSays) {
  // The output in optax's documentation for this example.
  const GradientTransformation tx = chain(sgd(1.0), scale_by_backtracking_linesearch(15));
  EXPECT_NEAR(loss_after(1, tx), 5.04, 5e-3);
  EXPECT_NEAR(loss_after(2, tx), 1.81, 5e-3);
  EXPECT_NEAR(loss_after(5, tx), 8.47e-2, 5e-4);
}

TEST(ZoomLinesearch, OneStepReachesTheBottomOfAParabola) {
  EXPECT_LT(loss_after(1, chain(sgd(1.0), scale_by_zoom_linesearch(15))), 1e-10);
}

TEST(BacktrackingLinesearch, MakesNoStepWhereNoLossIsFinite) {
  const auto broken = [](const Array& x) { return numpy::sum(x) * numpy::nan; };
  const GradientTransformation tx = scale_by_backtracking_linesearch(5);
  const Array x = start();
  const auto [updates, state] = tx.update(-x, tx.init(x), x, {.value = Array(1.0f), .grad = x, .value_fn = broken});
  EXPECT_EQ(updates.to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(state.fields.at("learning_rate")[0].item<float>(), 0);
  EXPECT_EQ(state.fields.at("num_linesearch_steps")[0].item<int>(), 6);
}

TEST(ZoomLinesearch, KeepsTheTypesOfParametersAndStateUnderJit) {
  const GradientTransformation tx = chain(sgd(1.0), scale_by_zoom_linesearch(15));
  const Array x = numpy::astype(start(), numpy::bfloat16);
  const OptState first = tx.init(x);
  const auto step = jit([&](const Array& p, const OptState& s) {
    const auto [value, gradient] = value_and_grad(bowl)(p);
    return tx.update(gradient, s, p, {.value = value, .grad = gradient, .value_fn = bowl});
  });
  const auto [updates, state] = step(x, first);
  EXPECT_EQ(updates.dtype(), numpy::bfloat16);
  const OptState& search = state.inner[1];
  for (const auto& [name, arrays] : first.inner[1].fields)
    EXPECT_EQ(search.fields.at(name)[0].dtype(), arrays[0].dtype()) << name;
}

TEST(ZoomLinesearch, BatchesEachWithItsOwnStep) {
  const GradientTransformation tx = scale_by_zoom_linesearch(15);
  const auto rate = [&](const Array& scale) {
    const auto loss = [&](const Array& x) { return scale * bowl(x); };
    const auto [value, gradient] = value_and_grad(loss)(start());
    return tx.update(-gradient, tx.init(start()), start(), {.value = value, .grad = gradient, .value_fn = loss})
        .second.fields.at("learning_rate")[0];
  };
  const std::vector<float> together = vmap(rate)(numpy::array({1.0f, 0.25f, 8.0f})).to_vector<float>();
  for (size_t i = 0; i < 3; ++i)
    EXPECT_FLOAT_EQ(together[i], rate(Array(std::vector<float>{1.0f, 0.25f, 8.0f}[i])).item<float>());
}

TEST(Linesearch, RefusesWhatItIsNotGiven) {
  const Array x = start();
  for (const GradientTransformation& tx :
       {scale_by_backtracking_linesearch(5), scale_by_zoom_linesearch(5), lbfgs(1.0)}) {
    EXPECT_THROW((void)tx.update(x, tx.init(x), x), Error);
    EXPECT_THROW((void)tx.update(x, tx.init(x), x, {.value = x, .grad = x, .value_fn = bowl}), Error);
    EXPECT_THROW((void)tx.update(x, tx.init(x)), Error);
  }
  EXPECT_THROW(scale_by_zoom_linesearch(5, {.initial_guess_strategy = "two"}), Error);
}

TEST(ValueAndGradFromState, TakesWhatTheSearchComputed) {
  const GradientTransformation tx = chain(sgd(1.0), scale_by_backtracking_linesearch(15, {.store_grad = true}));
  int calls = 0;
  const auto counted = [&](const Array& x) {
    ++calls;
    return bowl(x);
  };
  Array x = start();
  OptState state = tx.init(x);
  const auto [value, gradient] = value_and_grad_from_state(bowl)(x, state);
  EXPECT_FLOAT_EQ(value.item<float>(), 14);  // no value is stored yet
  const auto [updates, next] = tx.update(gradient, state, x, {.value = value, .grad = gradient, .value_fn = counted});
  EXPECT_GT(calls, 0);
  x = apply_updates(x, updates);
  const auto [stored, stored_gradient] = value_and_grad_from_state(bowl)(x, next);
  EXPECT_FLOAT_EQ(stored.item<float>(), bowl(x).item<float>());
  const std::vector<float> wanted = grad(bowl)(x).to_vector<float>(), got = stored_gradient.to_vector<float>();
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_FLOAT_EQ(got[i], wanted[i]);
  EXPECT_THROW((void)value_and_grad_from_state(bowl)(x, sgd(0.1).init(x)), Error);
}

}  // namespace
}  // namespace hilo::optim
