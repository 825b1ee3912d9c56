// SPDX-License-Identifier: Apache-2.0
// examples/digits_cnn.cc -- a convolutional net with batch norm and dropout on handwritten digits: `digits_cnn
// [report.html]`. Its state is saved in checkpoints, and restored before the evaluation.
#include <unistd.h>

#include <filesystem>

#include "examples/support/digits.h"
#include "examples/support/page.h"

using namespace hilo;

constexpr int64_t kTest = 360, kBatch = 64;
constexpr int kEpochs = 12;

struct Block {
  nn::Conv conv;
  nn::BatchNorm norm;
  HILO_TREE(conv, norm)  // names for the summary
};
struct Model {
  Block first, second;
  nn::Dense hidden, out;
  HILO_TREE(first, second, hidden, out)
};
// State that training changes in addition to the parameters.
struct Stats {
  nn::BatchStats first, second;
};
struct State {
  Model model;
  Stats stats;
  optim::OptState optimizer;
  int step = 0;
};

std::pair<Model, Stats> init(const random::Key& key) {
  const std::vector<random::Key> keys = random::split(key, 4);
  const auto [norm1, stats1] = nn::batch_norm_init(16, {.momentum = 0.9});
  const auto [norm2, stats2] = nn::batch_norm_init(32, {.momentum = 0.9});
  return {{{nn::conv_init(keys[0], {3, 3}, 1, 16, {.use_bias = false}), norm1},
           {nn::conv_init(keys[1], {3, 3}, 16, 32, {.use_bias = false}), norm2},
           nn::dense_init(keys[2], 2 * 2 * 32, 64),
           nn::dense_init(keys[3], 64, 10)},
          {stats1, stats2}};
}

// Halves height and width.
Array pool(const Array& x) { return nn::max_pool(nn::relu(x), {2, 2}, {2, 2}); }

Array head(const Model& m, const Array& x) {
  return nn::relu(nn::dense(m.hidden, numpy::reshape(x, {x.shape(0), -1})));
}

std::pair<Array, Stats> logits_in_training(const Model& m, const Stats& stats, const Array& images,
                                           const random::Key& key) {
  const Array x = numpy::reshape(images, {-1, 8, 8, 1});
  const auto [a, first] = nn::batch_norm_train(m.first.norm, stats.first, nn::conv(m.first.conv, x));
  const auto [b, second] = nn::batch_norm_train(m.second.norm, stats.second, nn::conv(m.second.conv, pool(a)));
  return {nn::dense(m.out, nn::dropout(key, head(m, pool(b)), 0.3)), {first, second}};
}

Array logits(const Model& m, const Stats& stats, const Array& images) {
  const Array x = numpy::reshape(images, {-1, 8, 8, 1});
  const Array a = nn::batch_norm(m.first.norm, stats.first, nn::conv(m.first.conv, x));
  const Array b = nn::batch_norm(m.second.norm, stats.second, nn::conv(m.second.conv, pool(a)));
  return nn::dense(m.out, head(m, pool(b)));
}

int main(int argc, char** argv) {
  const random::Key seed = random::key(0);
  const examples::Digits digits = examples::load_digits(seed);
  const auto part = [&](const auto& rows) { return examples::Digits{digits.images[rows], digits.labels[rows]}; };
  const examples::Digits test = part(range(0, kTest));
  const training::DataLoader<examples::Digits> loader(
      part(range(kTest, none)), {.batch_size = kBatch, .key = random::fold_in(seed, 1), .drop_remainder = true});

  const auto adam = optim::adam(2e-3);
  const auto loss = [](const Model& m, const Stats& stats, const examples::Digits& batch, const random::Key& key) {
    const auto [scores, next] = logits_in_training(m, stats, batch.images, key);
    return std::pair(numpy::mean(optim::softmax_cross_entropy_with_integer_labels(scores, batch.labels)), next);
  };
  const auto update = jit([&](const Model& m, const Stats& stats, const optim::OptState& s,
                              const examples::Digits& batch, const random::Key& key) {
    const auto [value, gradient] = value_and_grad(loss)(m, stats, batch, key);
    const auto [updates, next] = adam.update(gradient, s, m);
    return std::tuple(optim::apply_updates(m, updates), value.second, next, value.first);
  });

  const auto [model, stats] = init(random::fold_in(seed, 2));
  State state = {model, stats, adam.init(model), 0};
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("hilo_digits_cnn_" + std::to_string(getpid()))).string();
  const auto judge =
      jit([](const Model& m, const Stats& s, const Array& x) { return numpy::argmax(logits(m, s, x), 1); });
  std::vector<double> losses, accuracies;
  double restored_accuracy = 0;
  {
    training::CheckpointManager checkpoints(folder, {.max_to_keep = 2, .async = true});
    training::Progress progress("training", kEpochs);
    const auto accuracy = [&](const State& s) {
      return numpy::mean((judge(s.model, s.stats, test.images) == test.labels).astype(ElementType::kF32))
          .item<double>();
    };
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      Array value;
      for (const examples::Digits& batch : loader.epoch(epoch)) {
        const random::Key key = random::fold_in(random::fold_in(seed, 3), state.step++);
        std::tie(state.model, state.stats, state.optimizer, value) =
            update(state.model, state.stats, state.optimizer, batch, key);
        losses.push_back(value.item<double>());
      }
      checkpoints.save(state.step, state);
      accuracies.push_back(accuracy(state));
      progress.step(epoch + 1, "accuracy " + std::to_string(accuracies.back()));
    }
    checkpoints.wait_until_finished();
    restored_accuracy = accuracy(checkpoints.restore(*checkpoints.latest_step(), state));
  }
  std::filesystem::remove_all(folder);

  examples::Page page("A convolutional net on digits");
  page.code(
      nn::summary(state.model, [&](const Model& m, const Array& x) { return logits(m, state.stats, x); }, test.images));
  page.chart("loss of each batch", {examples::curve("loss", losses)});
  page.chart("held out digits that are named right", {examples::curve("share", accuracies)});
  page.picture("what the first layer looks for",
               examples::mosaic(
                   numpy::repeat(
                       numpy::repeat(numpy::pad(numpy::transpose(state.model.first.conv.kernel(all, all, 0), {2, 0, 1}),
                                                {{0, 0}, {0, 1}, {0, 1}}),
                                     2, {.axis = 1}),
                       2, {.axis = 2}),
                   8),
               -0.8, 0.8, 6);
  std::printf("test accuracy %.4f, after reading the checkpoint %.4f\n", accuracies.back(), restored_accuracy);
  return examples::finish(page, argc, argv, "convolutional net",
                          accuracies.back() > 0.975 && restored_accuracy == accuracies.back());
}
