// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/optim.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/random/random.h"
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

TEST(Masked, ChoosesByPathTreeOrFunction) {
  const Params p{Array(1.0f), Array(1.0f)}, g{Array(2.0f), Array(2.0f)};
  const auto by_path = [](std::string_view path, const Array&) { return path.find('1') != std::string_view::npos; };
  const auto by_tree = [](const Params&) { return Params{Array(false), Array(true)}; };
  for (const Mask& mask : {Mask(by_path), Mask(by_tree), Mask(std::vector<bool>{false, true})}) {
    const GradientTransformation tx = masked(scale(10.0), mask);
    const Params u = tx.update(g, tx.init(p), p).first;
    EXPECT_EQ(u.x.item<float>(), 2) << leaf_path(1, [&](TreeVisitor& visitor) {
      Params q = p;
      walk(q, visitor);
    });
    EXPECT_EQ(u.y.item<float>(), 20);
  }
  EXPECT_THROW(masked(scale(1.0), std::vector<bool>{true}).init(p), Error);
}

TEST(Freeze, AndSelectiveTransformHoldTheSameParameters) {
  const Params p{Array(1.0f), Array(1.0f)}, g{Array(2.0f), Array(4.0f)};
  const Mask second = std::vector<bool>{false, true};
  const GradientTransformation frozen = freeze(second);
  const GradientTransformation selective = selective_transform(scale(3.0), {.freeze_mask = second});
  const Params a = frozen.update(g, frozen.init(p), p).first, b = selective.update(g, selective.init(p), p).first;
  EXPECT_EQ(a.x.item<float>(), 2);
  EXPECT_EQ(a.y.item<float>(), 0);
  EXPECT_EQ(b.x.item<float>(), 6);
  EXPECT_EQ(b.y.item<float>(), 0);
}

TEST(Moments, OfTreesAreOptaxs) {
  const Params g{Array(2.0f), Array(-3.0f)}, m{Array(1.0f), Array(0.5f)};
  EXPECT_FLOAT_EQ(update_moment(g, m, 0.75, 2).y.item<float>(), 0.25f * 9 + 0.375f);
  EXPECT_FLOAT_EQ(update_moment_per_elem_norm(g, m, 0.75, 1).y.item<float>(), -0.75f + 0.375f);
  EXPECT_FLOAT_EQ(update_infinity_moment(g, m, 0.75, 0.5).y.item<float>(), 3.5f);
  EXPECT_FLOAT_EQ(bias_correction(m, 0.5, 2).x.item<float>(), 1 / 0.75f);
}

TEST(WrappedSchedule, CountsItsSteps) {
  const WrappedSchedule schedule{linear_schedule(1.0, 0.0, 4)};
  OptState state = schedule.init();
  EXPECT_EQ(schedule(state).item<float>(), 1);
  state = schedule.update(schedule.update(state));
  EXPECT_EQ(schedule(state).item<float>(), 0.5f);
  EXPECT_THROW((void)schedule(sgd(0.1).init(Array(1.0f))), Error);
}

TEST(Partition, GivesEachLabelItsTransformation) {
  const std::map<std::string, Array> p = {{"a", Array(1.0f)}, {"b", Array(1.0f)}};
  const GradientTransformation tx = partition({{"up", scale(1.0)}, {"none", set_to_zero()}},
                                              std::map<std::string, std::string>{{"a", "none"}, {"b", "up"}});
  const auto u = tx.update(p, tx.init(p), p).first;
  EXPECT_EQ(u.at("a").item<float>(), 0);
  EXPECT_EQ(u.at("b").item<float>(), 1);
  EXPECT_THROW(partition({{"up", scale(1.0)}}, Labels(std::string("down"))).init(p), Error);
}

TEST(InjectHyperparams, PutsThemIntoTheStateWhereUsersChangeThem) {
  const GradientTransformation tx =
      inject_hyperparams([](const auto& h) { return sgd(h.at("learning_rate")); }, {{"learning_rate", 0.5}});
  const Array p(1.0f), g(2.0f);
  OptState state = tx.init(p);
  EXPECT_EQ(tx.update(g, state, p).first.item<float>(), -1);
  state.fields["learning_rate"] = {numpy::full({}, 0.25)};
  EXPECT_EQ(tx.update(g, state, p).first.item<float>(), -0.5f);
}

/// Of a parameter 1 with the gradient 2.
float first_step(const GradientTransformation& tx) {
  const Array p(1.0f), g(2.0f);
  return tx.update(g, tx.init(p), p).first.item<float>();
}

TEST(InjectHyperparams, TakesAnOptimiserForItsRateAlone) {
  const Array p(1.0f), g(2.0f);
  const auto half = inject_hyperparams(sgd)({.learning_rate = 0.5});
  OptState state = half.init(p);
  EXPECT_EQ(half.update(g, state, p).first.item<float>(), -1);
  state.fields["learning_rate"] = {numpy::full({}, 0.25)};
  EXPECT_EQ(half.update(g, state, p).first.item<float>(), -0.5f);
  EXPECT_EQ(first_step(inject_hyperparams(adamw)(0.1, {.weight_decay = 0.5})),
            first_step(adamw(0.1, {.weight_decay = 0.5})));
  EXPECT_EQ(first_step(inject_hyperparams(nadam)(0.1)), first_step(nadam(0.1)));
  EXPECT_NEAR(first_step(inject_hyperparams(fromage)(0.1)), first_step(fromage(0.1)), 1e-6);  // f32 together with f64
}

TEST(Nadam, IsAdamWithNesterovsMomentumUnlessTold) {
  EXPECT_NE(first_step(nadam(0.1)), first_step(adam(0.1)));
  EXPECT_EQ(first_step(nadam(0.1, {.b1 = 0.8})), first_step(adam(0.1, {.b1 = 0.8, .nesterov = true})));
  EXPECT_EQ(first_step(nadam({.learning_rate = 0.1})), first_step(nadam(0.1)));
  EXPECT_EQ(first_step(nadam(0.1, {.nesterov = false})), first_step(adam(0.1)));
}

TEST(ApplyIfFinite, LeavesOutWhatIsNotFinite) {
  const GradientTransformation tx = apply_if_finite(trace(0.5), 2);
  const Array p(1.0f);
  const auto [skipped, state] = tx.update(Array(std::nanf("")), tx.init(p), p);
  EXPECT_EQ(skipped.item<float>(), 0);
  EXPECT_EQ(state.fields.at("total_notfinite")[0].item<int>(), 1);
  EXPECT_EQ(tx.update(Array(3.0f), state, p).first.item<float>(), 3);
}

TEST(MultiSteps, SkipsWhatItIsTold) {
  const GradientTransformation tx = MultiSteps(
      scale(1.0), 1, {.should_skip_update_fn = [](const auto&... a) { return skip_large_updates(a..., 100.0); }});
  const Array p(1.0f);
  const auto [kept, state] = tx.update(Array(5.0f), tx.init(p), p);
  EXPECT_EQ(kept.item<float>(), 5);
  const auto [left_out, next] = tx.update(Array(50.0f), state, p);
  EXPECT_EQ(left_out.item<float>(), 0);
  EXPECT_TRUE(next.fields.at("should_skip")[0].item<bool>());
}

TEST(MultiSteps, TakesItsOptionsByPosition) {
  const GradientTransformation tx = MultiSteps(scale(1.0), 2, false, nullptr, ElementType::kF32);
  const Array p(1.0f);
  const auto [none_yet, state] = tx.update(Array(5.0f), tx.init(p), p);
  EXPECT_EQ(none_yet.item<float>(), 0);
  EXPECT_EQ(tx.update(Array(2.0f), state, p).first.item<float>(), 7);  // the sum, for use_grad_mean is false
}

TEST(Masked, TakesJaxsOptionAndGivesInnerTheGradientOfItsOwnParameters) {
  const GradientTransformation own_gradient{
      [](const Parameters&) { return OptState{"own", {}}; },
      [](const Leaves&, const OptState& state, const Given& given) { return Updated{*given.grad, state}; }};
  const std::map<std::string, bool> mask = {{"a", false}, {"b", true}};
  const GradientTransformation tx = masked(own_gradient, mask, {.mask_compatible_extra_args = true});
  const std::map<std::string, Array> p = {{"a", Array(1.0f)}, {"b", Array(2.0f)}}, g = {{"a", 3.0f}, {"b", 4.0f}};
  const auto updates = tx.update(p, tx.init(p), p, {.grad = g}).first;
  EXPECT_EQ(updates.at("a").item<float>(), 1);
  EXPECT_EQ(updates.at("b").item<float>(), 4);
}

TEST(NoisySgd, TakesItsNoiseByPosition) {
  const auto moved = [](const GradientTransformation& tx) {
    const Array p(1.0f);
    return tx.update(Array(5.0f), tx.init(p), p).first.item<float>();
  };
  EXPECT_EQ(moved(noisy_sgd(0.5, 0.0)), -2.5f);
  EXPECT_EQ(moved(noisy_sgd(0.5, 0.25, 0.75)), moved(noisy_sgd(0.5, {.eta = 0.25, .gamma = 0.75})));
}

TEST(Lookahead, SetsTheFastParametersEachPeriod) {
  const GradientTransformation tx = lookahead(sgd(1.0), 2, 0.5);
  auto p = LookaheadParams<Array>::init_synced(Array(0.0f));
  OptState state = tx.init(p);
  for (int i = 0; i < 2; ++i) {
    const auto [updates, next] = tx.update(LookaheadParams<Array>{Array(-1.0f), Array(0.0f)}, state, p);
    p = apply_updates(p, updates);
    state = next;
  }
  EXPECT_EQ(p.fast.item<float>(), 1);  // two steps forward, half of them back
  EXPECT_EQ(p.slow.item<float>(), 1);
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

TEST(ScaleGradient, ChangesTheDerivativeAlone) {
  const auto f = [](const Array& x) { return scale_gradient(numpy::square(x), 0.25); };
  EXPECT_EQ(f(Array(3.0f)).item<float>(), 9);
  EXPECT_EQ(grad(f)(Array(3.0f)).item<float>(), 1.5f);
}

TEST(Schedules, RefuseWhatHasNoSteps) {
  EXPECT_THROW(cosine_decay_schedule(1.0, 0), Error);
  EXPECT_THROW(piecewise_constant_schedule(1.0, {{2, -1.0}}), Error);
  EXPECT_THROW(sgdr_schedule({{{"init_value", 1.0}}}), Error);
  EXPECT_THROW(join_schedules({constant_schedule(1)}, {1}), Error);
}

}  // namespace
TEST(Optim, SafeNormsOfOtherOrdersAndAlongAxes) {
  const Array x = numpy::array({{3.0f, 4.0f}, {0.0f, 0.0f}});
  EXPECT_EQ(optim::safe_norm(x, 0.5, {.axis = 1}).to_vector<float>(), (std::vector<float>{5, 0.5f}));
  EXPECT_EQ(optim::safe_norm(x, 0.5, {.ord = 1, .axis = 1, .keepdims = true}).to_vector<float>(),
            (std::vector<float>{7, 0.5f}));
  const Array g = grad([](const Array& x) { return numpy::sum(optim::safe_norm(x, 0.5, {.axis = 1})); })(x);
  EXPECT_EQ(g.to_vector<float>(), (std::vector<float>{0.6f, 0.8f, 0, 0}));
}

TEST(Optim, NoiseOfAKeyIsThatOfItsSeed) {
  const Array w = numpy::zeros({3});
  const auto step = [&](const optim::GradientTransformation& tx) {
    return tx.update(w, tx.init(w), w).first.to_vector<float>();
  };
  EXPECT_EQ(step(optim::add_noise(0.1, 0.5, random::key(7))), step(optim::add_noise(0.1, 0.5, 7)));
  EXPECT_EQ(step(optim::add_noise(0.1, 0.5, {.key = random::key(7)})), step(optim::add_noise(0.1, 0.5, {.seed = 7})));
  EXPECT_THROW(optim::add_noise(0.1, 0.5, optim::NoiseOptions{}), Error);
}

}  // namespace hilo::optim
