// SPDX-License-Identifier: Apache-2.0
// examples/digits.cc -- trains a small network on real handwritten digits: `digits [report.html] [--replicas N]
// [--mesh]`. Replicas share each batch by pmap, or by a mesh; under mpirun they are those of all processes. The loss is
// the same.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iomanip>

#include "examples/support/arguments.h"
#include "examples/support/report.h"
#include "hilo/hilo.h"

using namespace hilo;

constexpr int64_t kTest = 360;  // images held out
constexpr int64_t kBatch = 128;
constexpr int kEpochs = 40;

struct Params {
  Array w1, b1, w2, b2;
};

struct Data {
  Array images;  // f32[n,64] in [0, 1]
  Array labels;  // s32[n]
};
using State = optim::OptState;

Params init(random::Key key, int64_t hidden) {
  const std::vector<random::Key> keys = random::split(key);
  return {random::normal(keys[0], {64, hidden}) * std::sqrt(2.0f / 64), numpy::zeros({hidden}),
          random::normal(keys[1], {hidden, 10}) * std::sqrt(2.0f / static_cast<float>(hidden)), numpy::zeros({10})};
}

Array logits(const Params& p, const Array& images) {
  return numpy::matmul(nn::relu(numpy::matmul(images, p.w1) + p.b1), p.w2) + p.b2;
}

Array loss(const Params& p, const Data& batch) {
  const Array log_p = nn::log_softmax(logits(p, batch.images));
  return -numpy::mean(numpy::sum(nn::one_hot(batch.labels, 10) * log_p, 1));
}

Data load(const char* path) {
  const Array table = Array::from_literal(or_throw(io::read_csv(path)));
  const Array images = numpy::slice(table, 0, 64, 1, 1) / 16.0f;
  return {images, numpy::astype(numpy::reshape(numpy::slice(table, 64, 65, 1, 1), {-1}), ElementType::kS32)};
}

Data part(const Data& all, int64_t begin, int64_t end) {
  return tree_map([&](const Array& x) { return numpy::slice(x, begin, end); }, all);
}

/// The rows of this process's replicas, a row of shares for each: s32[128] -> s32[2,32] for 2 of 4.
Array own_share(const Array& rows, int64_t shares) {
  const int64_t here = local_device_count(), first = process_index() * here;
  return numpy::slice(numpy::reshape(rows, {shares, -1}), first, first + here);
}

int main(int argc, char** argv) {
  const examples::Arguments given = examples::arguments(argc, argv);
  config().update("jax_replica_count", given.replicas);
  // Of each batch: one a replica, and each process of mpirun has that number of replicas.
  const int64_t shares = device_count();
  const bool speaks = process_index() == 0;
  const random::Key seed = random::key(0);
  const Data all = load(HILO_EXAMPLE_DATA "/digits.csv.gz");
  const Array order = random::permutation(seed, all.labels.size());
  const Data shuffled = tree_map([&](const Array& x) { return numpy::take(x, order, 0); }, all);
  const Data test = part(shuffled, 0, kTest);
  const Data train = part(shuffled, kTest, all.labels.size());
  const int64_t count = train.labels.size();

  const optim::GradientTransformation adam = optim::adam(2e-3);
  const auto update = [&](const Params& params, const State& state, const Data& batch, const auto& mean) {
    const auto [value, gradients] = value_and_grad(loss)(params, batch);
    const auto [updates, next_state] = adam.update(mean(gradients), state, params);
    return std::tuple(optim::apply_updates(params, updates), next_state, mean(value));
  };
  auto step = jit([&](const Params& p, const State& s, const Data& d) { return update(p, s, d, std::identity()); },
                  {.name = "train_step"});
  const auto over_all = [](const auto& x) { return lax::pmean(x, "replicas"); };
  auto together = pmap([&](const Params& p, const State& s, const Data& d) { return update(p, s, d, over_all); },
                       "replicas", {kNoAxis, kNoAxis, 0}, {kNoAxis});  // each replica has its part of the batch
  // The same on a mesh: the whole batch goes in, and each device takes its rows.
  const Mesh mesh(devices(), {"replicas"});
  const SpecList whole_and_rows = {P(), P(), P("replicas")};
  auto on_mesh = shard_map([&](const Params& p, const State& s, const Data& d) { return update(p, s, d, over_all); },
                           mesh, whole_and_rows, P());
  const auto train_step = [&](const Params& p, const State& s, const Data& batch) {
    if (given.mesh) return on_mesh(p, s, batch);
    return shares == 1 ? step(p, s, batch) : together(p, s, batch);
  };
  auto predict =
      jit([](const Params& p, const Array& x) { return numpy::argmax(logits(p, x), -1); }, {.name = "predict"});
  const auto accuracy = [&](const Params& p, const Data& d) {
    return numpy::mean(numpy::astype(predict(p, d.images) == d.labels, ElementType::kF32)).item<double>();
  };
  auto pick =
      jit([](const Data& d,
             const Array& rows) { return tree_map([&](const Array& x) { return numpy::take(x, rows, 0); }, d); },
          {.name = "pick_batch"});

  Params params = init(random::fold_in(seed, 1), 128);
  State state = adam.init(params);
  examples::History history;
  training::Progress progress("training", kEpochs);
  double seconds = 0;
  int64_t steps = 0;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const Array rows = random::permutation(random::fold_in(seed, 100 + epoch), count);
    Array value;
    for (int64_t begin = 0; begin + kBatch <= count; begin += kBatch) {
      const Array chosen = numpy::slice(rows, begin, begin + kBatch);
      const Data batch = pick(train, given.mesh || shares == 1 ? chosen : own_share(chosen, shares));
      const auto start = std::chrono::steady_clock::now();
      std::tie(params, state, value) = train_step(params, state, batch);
      const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (steps++ > 0) seconds += elapsed;  // the first step compiles
    }
    history.loss.push_back(value.item<double>());
    history.accuracy.push_back(accuracy(params, test));
    if (speaks) progress.step(epoch + 1, "loss " + std::to_string(history.loss.back()));
  }
  const std::vector<int> predicted = predict(params, test.images).to_vector<int>();
  if (!speaks) return 0;
  progress.finish();
  if (!given.losses.empty()) {
    std::ofstream file(given.losses);
    for (const double loss_of_epoch : history.loss) file << std::setprecision(9) << loss_of_epoch << "\n";
  }

  const std::vector<int> truth = test.labels.to_vector<int>();
  int right = 0;
  for (size_t i = 0; i < truth.size(); ++i) right += predicted[i] == truth[i];
  if (!given.report.empty()) {
    const std::string graphs = step.graph_html(params, state, part(train, 0, kBatch));
    examples::write_report(given.report, history, predicted, truth, test.images.to_vector<float>(), graphs);
  }
  std::printf("platform %s, %.0f us per step of %lld images\n", default_platform_name().c_str(),
              1e6 * seconds / static_cast<double>(steps - 1), static_cast<long long>(kBatch));
  std::printf("test accuracy %.4f (%d/%zu)\n", static_cast<double>(right) / static_cast<double>(truth.size()), right,
              truth.size());
  return 0;
}
