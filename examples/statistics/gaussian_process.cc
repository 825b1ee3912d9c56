// SPDX-License-Identifier: Apache-2.0
// examples/statistics/gaussian_process.cc -- regression by a Gaussian process whose length, height and noise are
// learned from the data: `gaussian_process [report.html]`.
// Source    Rasmussen and Williams, "Gaussian Processes for Machine Learning" (2006), chapters 2 and 5
#include <numbers>

#include "examples/support/page.h"

using namespace hilo;

// Logarithms, so that all of them stay positive.
struct Hyperparameters {
  Array length, height, noise;
};

Array kernel(const Hyperparameters& h, const Array& a, const Array& b) {
  const Array distance = (numpy::expand_dims(a, 1) - numpy::expand_dims(b, 0)) / numpy::exp(h.length);
  return numpy::exp(2 * h.height) * numpy::exp(-0.5f * numpy::square(distance));
}

Array noisy_kernel(const Hyperparameters& h, const Array& x) {
  return kernel(h, x, x) + (numpy::exp(2 * h.noise) + 1e-5f) * numpy::eye(x.size());
}

// -log p(y | x, h).
Array loss(const Hyperparameters& h, const Array& x, const Array& y) {
  const Array factor = linalg::cholesky(noisy_kernel(h, x));
  const Array weights = scipy::linalg::cho_solve({factor, true}, y);
  return 0.5f * numpy::dot(y, weights) + numpy::sum(numpy::log(numpy::diagonal(factor))) +
         0.5f * static_cast<float>(x.size()) * std::log(2 * std::numbers::pi_v<float>);
}

// Mean and standard deviation of the function at other places.
std::pair<Array, Array> predict(const Hyperparameters& h, const Array& x, const Array& y, const Array& at) {
  const Array factor = linalg::cholesky(noisy_kernel(h, x)), cross = kernel(h, x, at);
  const Array mean = numpy::matmul(numpy::transpose(cross), scipy::linalg::cho_solve({factor, true}, y));
  const Array half = scipy::linalg::solve_triangular(factor, cross, {.lower = true});
  return {mean, numpy::sqrt(numpy::exp(2 * h.height) - numpy::sum(numpy::square(half), 0))};
}

int main(int argc, char** argv) {
  constexpr int64_t kPoints = 60;
  constexpr double kNoise = 0.15;
  const std::vector<random::Key> keys = random::split(random::key(0));
  const Array x = random::uniform(keys[0], {kPoints}, {.minval = -4.0f, .maxval = 4.0f});
  const auto truth = [](const Array& t) { return numpy::sin(2 * t) + 0.3f * t; };
  const Array y = truth(x) + kNoise * random::normal(keys[1], {kPoints});

  Hyperparameters h = {Array(0.5f), Array(0.0f), Array(-0.5f)};
  const auto adam = optim::adam(0.05);
  optim::OptState state = adam.init(h);
  const auto step = jit([&](const Hyperparameters& p, const optim::OptState& s) {
    const auto [value, gradient] = value_and_grad([&](const Hyperparameters& q) { return loss(q, x, y); })(p);
    const auto [updates, next] = adam.update(gradient, s, p);
    return std::tuple(optim::apply_updates(p, updates), next, value);
  });
  std::vector<double> losses;
  for (int i = 0; i < 200; ++i) {
    Array value;
    std::tie(h, state, value) = step(h, state);
    losses.push_back(value.item<double>());
  }

  const Array at = numpy::linspace(-5, 5, 200);
  const auto [mean, deviation] = jit([&](const Hyperparameters& p) { return predict(p, x, y, at); })(h);
  const double noise = std::exp(h.noise.item<double>()), length = std::exp(h.length.item<double>());
  const Array inside = numpy::abs(at) < 3.5f;
  const double error = numpy::sqrt(numpy::mean(numpy::square(mean - truth(at)), {.where = inside})).item<double>();

  examples::Page page("A Gaussian process that learns its hyperparameters");
  page.chart("60 points, the function, and two standard deviations",
             {{"points", examples::numbers(x), examples::numbers(y), true},
              {"mean", examples::numbers(at), examples::numbers(mean)},
              {"+ 2 s", examples::numbers(at), examples::numbers(mean + 2 * deviation)},
              {"- 2 s", examples::numbers(at), examples::numbers(mean - 2 * deviation)}});
  page.chart("-log p(y)", {examples::curve("loss", losses)});
  std::printf("noise %.3f (0.150), length %.3f, error of the mean %.3f\n", noise, length, error);
  return examples::finish(page, argc, argv, "Gaussian process", std::abs(noise - kNoise) < 0.04 && error < 0.1);
}
