// SPDX-License-Identifier: Apache-2.0
// The digits example on several replicas: each has its part of every batch, gradients are averaged over all. The loss
// doesn't depend on their number.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/base/flags.h"
#include "hilo/client/platform_name.h"
#include "hilo/io/csv.h"
#include "hilo/lax/collective.h"
#include "hilo/nn/nn.h"
#include "hilo/numpy/numpy.h"
#include "hilo/optim/optim.h"
#include "hilo/random/random.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/pmap.h"
#include "tests/paths.h"

namespace hilo {
namespace {

constexpr int64_t kBatch = 128, kHidden = 128, kSteps = 98;

struct Params {
  Array w1, b1, w2, b2;
};
struct Data {
  Array images, labels;
};
using State = optim::AdamState<Params>;

Params init(random::Key key) {
  const std::vector<random::Key> keys = random::split(key);
  return {random::normal(keys[0], {64, kHidden}) * std::sqrt(2.0f / 64), numpy::zeros({kHidden}),
          random::normal(keys[1], {kHidden, 10}) * std::sqrt(2.0f / static_cast<float>(kHidden)), numpy::zeros({10})};
}

Array loss(const Params& p, const Data& batch) {
  const Array logits = numpy::matmul(nn::relu(numpy::matmul(batch.images, p.w1) + p.b1), p.w2) + p.b2;
  return -numpy::mean(numpy::sum(nn::one_hot(batch.labels, 10) * nn::log_softmax(logits), 1));
}

Data load() {
  const Array table =
      Array::from_literal(or_throw(io::read_csv(std::string(tests::kSourceDir) + "/examples/data/digits.csv.gz")));
  const Array images = numpy::slice(table, 0, 64, 1, 1) / 16.0f;
  return {images, numpy::astype(numpy::reshape(numpy::slice(table, 64, 65, 1, 1), {-1}), ElementType::kS32)};
}

/// Rows of a batch, a part for each replica.
Data batch_of(const Data& all, const Array& order, int64_t step, int64_t replicas) {
  const int64_t batches = order.size() / kBatch, begin = step % batches * kBatch;
  const Array rows = numpy::slice(order, begin, begin + kBatch);
  return {numpy::reshape(numpy::take(all.images, rows, 0), {replicas, kBatch / replicas, 64}),
          numpy::reshape(numpy::take(all.labels, rows, 0), {replicas, kBatch / replicas})};
}

std::vector<double> loss_curve(int64_t replicas) {
  const optim::Adam adam{.learning_rate = 2e-3f};
  const auto step = pmap(
      [&](const Params& params, const State& state, const Data& batch) {
        const auto [value, own] = value_and_grad(loss)(params, batch);
        const auto [next, next_state] = adam.update(lax::pmean(own, "batch"), state, params);
        return std::tuple(next, next_state, lax::pmean(value, "batch"));
      },
      "batch", std::vector<Axis>{kNoAxis, kNoAxis, 0}, std::vector<Axis>{kNoAxis});
  const Data all = load();
  const random::Key seed = random::key(0);
  const Array order = random::permutation(seed, all.labels.size());
  Params params = init(random::fold_in(seed, 1));
  State state = adam.init(params);
  std::vector<double> curve;
  for (int64_t i = 0; i < kSteps; ++i) {
    Array value;
    std::tie(params, state, value) = step(params, state, batch_of(all, order, i, replicas));
    curve.push_back(value.item<double>());
  }
  return curve;
}

TEST(PmapDigits, TheLossCurveIsTheSameOnOneTwoAndFourReplicas) {
  clear_backends();
  ASSERT_TRUE(config().update("jax_replica_count", 4).ok());
  const std::vector<double> one = loss_curve(1);
  EXPECT_LT(one.back(), 0.25 * one.front());  // it learns
  for (int64_t replicas : {2, 4}) {
    const std::vector<double> curve = loss_curve(replicas);
    for (size_t i = 0; i < one.size(); ++i)
      EXPECT_NEAR(curve[i], one[i], 1e-6) << "step " << i << " on " << replicas << " replicas";
  }
  ASSERT_TRUE(config().clear("jax_replica_count").ok());
  clear_backends();
}

}  // namespace
}  // namespace hilo
