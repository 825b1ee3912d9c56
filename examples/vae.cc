// SPDX-License-Identifier: Apache-2.0
// examples/vae.cc -- a variational auto-encoder of handwritten digits: `vae [report.html]`.
// Source    Kingma and Welling, "Auto-Encoding Variational Bayes" (2013)
#include "examples/support/digits.h"
#include "examples/support/page.h"

using namespace hilo;

constexpr int64_t kHidden = 128, kLatent = 8, kBatch = 128;
constexpr int kEpochs = 40;

struct Model {
  nn::Dense encode, mean, log_var, decode, pixels;
  HILO_TREE(encode, mean, log_var, decode, pixels)  // names for the summary
};

Model init(const random::Key& key) {
  const std::vector<random::Key> keys = random::split(key, 5);
  return {nn::dense_init(keys[0], 64, kHidden), nn::dense_init(keys[1], kHidden, kLatent),
          nn::dense_init(keys[2], kHidden, kLatent), nn::dense_init(keys[3], kLatent, kHidden),
          nn::dense_init(keys[4], kHidden, 64)};
}

struct Code {
  Array mean, log_var;
};
Code encode(const Model& m, const Array& x) {
  const Array h = nn::relu(nn::dense(m.encode, x));
  return {nn::dense(m.mean, h), nn::dense(m.log_var, h)};
}
Array decode(const Model& m, const Array& z) { return nn::dense(m.pixels, nn::relu(nn::dense(m.decode, z))); }

// The negative log likelihood of the pixels, and the divergence of the codes from a normal distribution: their sum is
// minimized.
struct Bound {
  Array pixels, divergence;
};
Bound bound(const Model& m, const Array& x, const random::Key& key) {
  const Code code = encode(m, x);
  const Array z = code.mean + numpy::exp(0.5f * code.log_var) * random::normal(key, code.mean.shape());
  const Array logits = decode(m, z);
  const Array pixels = numpy::sum(nn::softplus(logits) - x * logits, 1);
  const Array divergence = 0.5f * numpy::sum(numpy::exp(code.log_var) + numpy::square(code.mean) - 1 - code.log_var, 1);
  return {numpy::mean(pixels), numpy::mean(divergence)};
}
Array loss(const Model& m, const Array& x, const random::Key& key) {
  const Bound b = bound(m, x, key);
  return b.pixels + b.divergence;
}

int main(int argc, char** argv) {
  const random::Key seed = random::key(0);
  const examples::Digits digits = examples::load_digits(seed);
  const Array held_out = digits.images[range(0, 200)];
  const training::DataLoader<Array> loader(
      digits.images[range(200, none)], {.batch_size = kBatch, .key = random::fold_in(seed, 1), .drop_remainder = true});

  Model model = init(random::fold_in(seed, 2));
  const auto adam = optim::adam(3e-3);
  optim::OptState state = adam.init(model);
  const auto step = jit([&](const Model& m, const optim::OptState& s, const Array& x, const random::Key& key) {
    const auto [value, gradient] = value_and_grad(loss)(m, x, key);
    const auto [updates, next] = adam.update(gradient, s, m);
    return std::tuple(optim::apply_updates(m, updates), next, value);
  });
  const double before = loss(model, held_out, seed).item<double>();
  std::vector<double> losses;
  int64_t steps = 0;
  training::Progress progress("training", kEpochs);
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    Array value;
    for (const Array& batch : loader.epoch(epoch)) {
      std::tie(model, state, value) = step(model, state, batch, random::fold_in(random::fold_in(seed, 3), steps++));
    }
    losses.push_back(value.item<double>());
    progress.step(epoch + 1, "loss " + std::to_string(losses.back()));
  }
  progress.finish();

  const Bound after = bound(model, held_out, seed);
  const Array rebuilt = nn::sigmoid(decode(model, encode(model, held_out).mean));
  const double error = numpy::mean(numpy::abs(rebuilt - held_out)).item<double>();
  const Array drawn = nn::sigmoid(decode(model, random::normal(random::fold_in(seed, 4), {60, kLatent})));
  // From one digit to another along a line between their codes.
  const Array ends = encode(model, held_out[range(0, 2)]).mean, way = numpy::expand_dims(numpy::linspace(0, 1, 20), 1);
  const Array between = nn::sigmoid(decode(model, (1 - way) * ends[0] + way * ends[1]));

  examples::Page page("A variational auto-encoder of digits");
  page.code(nn::summary(model, loss, held_out, seed));
  page.chart("loss of an epoch's last batch", {examples::curve("loss", losses)});
  page.picture("held out digits", examples::mosaic(held_out[range(0, 60)], 20));
  page.picture("the same, rebuilt from eight numbers each", examples::mosaic(rebuilt[range(0, 60)], 20));
  page.picture("digits that nobody wrote", examples::mosaic(drawn, 20));
  page.picture("on the way from one to another", examples::mosaic(between, 20));
  const double total = (after.pixels + after.divergence).item<double>();
  std::printf("bound %.2f (%.2f before), of it %.2f of the codes; a pixel is off by %.3f\n", total, before,
              after.divergence.item<double>(), error);
  return examples::finish(page, argc, argv, "variational auto-encoder", total < 0.72 * before && error < 0.12);
}
