// SPDX-License-Identifier: Apache-2.0
// Programs of users with experience in JAX who don't know hilo's headers: models and their training.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "hilo/hilo.h"

using namespace hilo;

namespace {

TEST(Learning, LinearRegression) {
  auto key = random::key(0);
  auto [k1, k2] = random::split<2>(key);
  Array x = random::normal(k1, {64, 3});
  Array true_w = numpy::array({1.0f, -2.0f, 0.5f});
  Array y = numpy::dot(x, true_w) + 0.1;
  struct Params {
    Array w, b;
  };
  auto loss = [](Params p, Array x, Array y) { return numpy::mean(numpy::square(numpy::dot(x, p.w) + p.b - y)); };
  auto step = jit([=](Params p, Array x, Array y) {
    auto g = grad(loss)(p, x, y);
    return tree_map([](Array p, Array g) { return p - 0.1 * g; }, p, g);
  });
  Params p{numpy::zeros(3), 0.0};
  for (int i = 0; i < 300; i++) p = step(p, x, y);
  EXPECT_TRUE(numpy::allclose(p.w, true_w, {.atol = 1e-3}).item<bool>());
  EXPECT_NEAR(p.b.item<float>(), 0.1, 1e-3);
}

TEST(Learning, LogisticRegressionWithValueAndGrad) {
  auto keys = random::split(random::PRNGKey(1));
  Array x = random::normal(keys[0], {128, 2});
  Array y = (x(all, 0) + x(all, 1) > 0).astype(numpy::float32);
  auto loss = [&](Array w) {
    Array p = nn::sigmoid(x.dot(w));
    return -numpy::mean(y * numpy::log(p + 1e-7) + (1 - y) * numpy::log(1 - p + 1e-7));
  };
  Array w = numpy::zeros({2});
  auto f = jit(value_and_grad(loss));
  float first = 0, last = 0;
  for (int i = 0; i < 50; ++i) {
    auto [value, g] = f(w);
    w -= g;
    if (i == 0) first = value.item<float>();
    last = float(value);
  }
  EXPECT_NEAR(first, std::log(2.0), 1e-4);
  EXPECT_LT(last, 0.3f);
}

struct Layer {
  Array w, b;
};

TEST(Learning, MultilayerPerceptronOfAVectorOfLayers) {
  auto init = [](std::vector<int> sizes, random::Key key) {
    std::vector<Layer> params;
    auto keys = random::split(key, sizes.size());
    for (size_t i = 0; i + 1 < sizes.size(); ++i) {
      auto [wk, bk] = random::split<2>(keys[i]);
      params.push_back({0.1 * random::normal(wk, {sizes[i], sizes[i + 1]}), 0.1 * random::normal(bk, {sizes[i + 1]})});
    }
    return params;
  };
  auto predict = [](std::vector<Layer> params, Array image) {
    Array h = image;
    for (size_t i = 0; i + 1 < params.size(); ++i) h = nn::relu(numpy::dot(h, params[i].w) + params[i].b);
    Array logits = numpy::dot(h, params.back().w) + params.back().b;
    return logits - nn::logsumexp(logits);
  };
  auto params = init({8, 16, 4}, random::key(0));
  auto batched = vmap(predict, {.in_axes = {none, 0}});
  Array images = random::normal(random::key(1), {5, 8});
  Array out = batched(params, images);
  EXPECT_EQ(out.shape(), (numpy::Shape{5, 4}));
  EXPECT_TRUE(numpy::allclose(numpy::exp(out).sum(-1), numpy::ones(5), {.atol = 1e-5}).item<bool>());
}

TEST(Learning, SoftmaxCrossEntropy) {
  Array logits = numpy::array({{2.0, 1.0, 0.1}, {0.0, 0.0, 0.0}});
  Array labels = numpy::array({0, 2});
  Array onehot = nn::one_hot(labels, 3);
  Array a = -numpy::sum(onehot * nn::log_softmax(logits, -1), -1);
  Array b = nn::logsumexp(logits, {.axis = 1}) - numpy::take_along_axis(logits, labels(all, none), 1).squeeze();
  Array c = optim::softmax_cross_entropy_with_integer_labels(logits, labels);
  EXPECT_TRUE(numpy::allclose(a, b).item<bool>());
  EXPECT_TRUE(numpy::allclose(a, c).item<bool>());
  EXPECT_NEAR(a[1].item<double>(), std::log(3.0), 1e-6);
}

TEST(Learning, AdamOverAMap) {
  std::map<std::string, Array> params = {{"w", numpy::ones({3})}, {"b", numpy::zeros({})}};
  auto optimizer = optim::adam(1e-1);
  auto state = optimizer.init(params);
  auto loss = [](std::map<std::string, Array> p) { return numpy::sum(p["w"] * p["w"]) + (p["b"] - 3) * (p["b"] - 3); };
  for (int i = 0; i < 200; ++i) {
    auto grads = grad(loss)(params);
    auto [updates, new_state] = optimizer.update(grads, state, params);
    params = optim::apply_updates(params, updates);
    state = new_state;
  }
  EXPECT_NEAR(params["b"].item<float>(), 3, 1e-2);
  EXPECT_NEAR(numpy::abs(params["w"]).max().item<float>(), 0, 1e-2);
}

TEST(Learning, ChainedOptimizerWithASchedule) {
  auto schedule = optim::warmup_cosine_decay_schedule(0.0, 0.1, 10, 100);
  auto tx = optim::chain(optim::clip_by_global_norm(1.0), optim::adamw(schedule, {.weight_decay = 1e-4}));
  Array w = numpy::full({4}, 5.0);
  auto state = tx.init(w);
  auto step = jit([&](Array w, optim::OptState state) {
    auto [value, g] = value_and_grad([](Array w) { return (w * w).sum(); })(w);
    auto [updates, next] = tx.update(g, state, w);
    return std::tuple(optim::apply_updates(w, updates), next, value);
  });
  float first = 0, last = 0;
  for (int i = 0; i < 100; ++i) {
    auto [new_w, new_state, value] = step(w, state);
    w = new_w;
    state = new_state;
    (i == 0 ? first : last) = value.item<float>();
  }
  EXPECT_LT(last, first);
}

TEST(Learning, CausalAttention) {
  const int T = 6, D = 4;
  auto ks = random::split(random::key(2), 3);
  Array q = random::normal(ks[0], {2, T, D}), k = random::normal(ks[1], {2, T, D}),
        v = random::normal(ks[2], {2, T, D});
  Array scores = numpy::einsum("bqd,bkd->bqk", q, k) / numpy::sqrt(D);
  Array mask = numpy::tril(numpy::ones({T, T}, numpy::bool_));
  scores = numpy::where(mask, scores, -numpy::inf);
  Array out = numpy::einsum("bqk,bkd->bqd", nn::softmax(scores, -1), v);
  Array wanted = nn::dot_product_attention(q(all, all, none, all), k(all, all, none, all), v(all, all, none, all),
                                           {.is_causal = true});
  EXPECT_TRUE(numpy::allclose(out, wanted.squeeze(2), {.atol = 1e-5}).item<bool>());
}

TEST(Learning, ConvolutionOfImages) {
  Array x = numpy::ones({1, 8, 8, 1}), w = numpy::ones({3, 3, 1, 2});
  Array y = lax::conv_general_dilated(x, w, {1, 1}, "SAME", {.dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
  EXPECT_EQ(y.shape(), (numpy::Shape{1, 8, 8, 2}));
  EXPECT_EQ(y(0, 4, 4, 0).item<float>(), 9);
  EXPECT_EQ(y(0, 0, 0, 1).item<float>(), 4);
  Array pooled = lax::reduce_window(y, -numpy::inf, lax::max, {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID");
  EXPECT_EQ(pooled.shape(1), 4);
}

TEST(Learning, InitializersAndDropout) {
  auto init = nn::initializers::glorot_normal();
  Array w = init(random::key(0), {100, 50}, numpy::float32);
  EXPECT_NEAR(w.std().item<float>(), std::sqrt(2.0 / 150), 0.01);
  Array keep = random::bernoulli(random::key(1), 0.8, w.shape());
  Array dropped = numpy::where(keep, w / 0.8, 0);
  EXPECT_NEAR(numpy::mean(dropped == 0).item<float>(), 0.2, 0.03);
}

TEST(Learning, StatefulTrainingByScan) {
  auto loss = [](Array w, Array x, Array y) { return numpy::mean((x * w - y) * (x * w - y)); };
  Array xs = random::uniform(random::key(0), {50, 16}), ys = 3 * xs;
  auto [w, losses] = lax::scan(
      [&](Array w, std::tuple<Array, Array> batch) {
        auto [x, y] = batch;
        auto [l, g] = value_and_grad(loss)(w, x, y);
        return std::pair(w - 0.5 * g, l);
      },
      Array(0.0f), std::tuple(xs, ys));
  EXPECT_NEAR(w.item<float>(), 3, 1e-2);
  EXPECT_EQ(losses.shape(0), 50);
  EXPECT_LT(losses[-1].item<float>(), losses[0].item<float>());
}

}  // namespace
