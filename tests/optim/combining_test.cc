// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/combining.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/optim/optim.h"

namespace hilo::optim {
namespace {

struct MaskedParams {
  Array x, y;
};

TEST(Masked, ChoosesByPathTreeOrFunction) {
  const MaskedParams p{Array(1.0f), Array(1.0f)}, g{Array(2.0f), Array(2.0f)};
  const auto by_path = [](std::string_view path, const Array&) { return path.find('1') != std::string_view::npos; };
  const auto by_tree = [](const MaskedParams&) { return MaskedParams{Array(false), Array(true)}; };
  for (const Mask& mask : {Mask(by_path), Mask(by_tree), Mask(std::vector<bool>{false, true})}) {
    const GradientTransformation tx = masked(scale(10.0), mask);
    const MaskedParams u = tx.update(g, tx.init(p), p).first;
    EXPECT_EQ(u.x.item<float>(), 2) << leaf_path(1, [&](TreeVisitor& visitor) {
      MaskedParams q = p;
      walk(q, visitor);
    });
    EXPECT_EQ(u.y.item<float>(), 20);
  }
  EXPECT_THROW(masked(scale(1.0), std::vector<bool>{true}).init(p), Error);
}

TEST(Freeze, AndSelectiveTransformHoldTheSameParameters) {
  const MaskedParams p{Array(1.0f), Array(1.0f)}, g{Array(2.0f), Array(4.0f)};
  const Mask second = std::vector<bool>{false, true};
  const GradientTransformation frozen = freeze(second);
  const GradientTransformation selective = selective_transform(scale(3.0), {.freeze_mask = second});
  const MaskedParams a = frozen.update(g, frozen.init(p), p).first, b = selective.update(g, selective.init(p), p).first;
  EXPECT_EQ(a.x.item<float>(), 2);
  EXPECT_EQ(a.y.item<float>(), 0);
  EXPECT_EQ(b.x.item<float>(), 6);
  EXPECT_EQ(b.y.item<float>(), 0);
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

/// The update of a parameter 1 with the gradient 2.
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
  EXPECT_NEAR(first_step(inject_hyperparams(fromage)(0.1)), first_step(fromage(0.1)), 1e-6);  // f32 compared with f64
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
  EXPECT_EQ(tx.update(Array(2.0f), state, p).first.item<float>(), 7);  // the sum, because use_grad_mean is false
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

TEST(Lookahead, SetsTheFastParametersEachPeriod) {
  const GradientTransformation tx = lookahead(sgd(1.0), 2, 0.5);
  auto p = LookaheadParams<Array>::init_synced(Array(0.0f));
  OptState state = tx.init(p);
  for (int i = 0; i < 2; ++i) {
    const auto [updates, next] = tx.update(LookaheadParams<Array>{Array(-1.0f), Array(0.0f)}, state, p);
    p = apply_updates(p, updates);
    state = next;
  }
  EXPECT_EQ(p.fast.item<float>(), 1);  // two steps forward, then half of them back
  EXPECT_EQ(p.slow.item<float>(), 1);
}

}  // namespace
}  // namespace hilo::optim
