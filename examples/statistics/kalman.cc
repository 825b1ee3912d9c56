// SPDX-License-Identifier: Apache-2.0
// examples/statistics/kalman.cc -- a Kalman filter that learns how noisy its world is from what it sees: `kalman
// [report.html]`.
// Source    Kalman (1960); the likelihood of what is seen as in Harvey, "Forecasting" (1989), section 3.4
#include <numbers>

#include "examples/support/page.h"

using namespace hilo;

// Logarithms of the deviations of the acceleration and of the measurement.
struct Noise {
  Array process, measurement;
};
// What is believed of place and speed.
struct Belief {
  Array mean, covariance;
};
constexpr float kStep = 0.1f;

// Place and speed after a step, and what a random acceleration adds.
Array transition() { return numpy::array({{1.0f, kStep}, {0.0f, 1.0f}}); }
Array spread() { return numpy::array({kStep * kStep / 2, kStep}); }

// The belief after a measurement of the place, and the logarithm of how likely it was.
std::pair<Belief, std::pair<Array, Array>> filter_step(const Noise& noise, const Belief& before, const Array& seen) {
  const Array f = transition(), g = spread();
  const Array mean = numpy::matmul(f, before.mean);
  const Array covariance = numpy::matmul(numpy::matmul(f, before.covariance), numpy::transpose(f)) +
                           numpy::exp(2 * noise.process) * numpy::outer(g, g);
  const Array surprise = seen - mean[0], variance = covariance(0, 0) + numpy::exp(2 * noise.measurement);
  const Array gain = covariance(all, 0) / variance;
  const Belief after = {mean + gain * surprise, covariance - numpy::outer(gain, covariance[0])};
  const Array likelihood =
      -0.5f * (numpy::square(surprise) / variance + numpy::log(2 * std::numbers::pi_v<float> * variance));
  return {after, {after.mean, likelihood}};
}

std::pair<Array, Array> filter(const Noise& noise, const Array& seen) {
  const Belief start = {numpy::zeros({2}), 10.0f * numpy::eye(2)};
  return lax::scan([&](const Belief& b, const Array& z) { return filter_step(noise, b, z); }, start, seen).second;
}

// Places and speeds, and noisy measurements of the places.
std::pair<Array, Array> simulate(const random::Key& key, int64_t steps, float process, float measurement) {
  const std::vector<random::Key> keys = random::split(key);
  const Array pushes = process * random::normal(keys[0], {steps});
  const auto move = [&](const Array& state, const Array& push) {
    const Array next = numpy::matmul(transition(), state) + spread() * push;
    return std::pair(next, next);
  };
  const Array states = lax::scan(move, numpy::zeros({2}), pushes).second;
  return {states, states(all, 0) + measurement * random::normal(keys[1], {steps})};
}

int main(int argc, char** argv) {
  constexpr float kProcess = 2.0f, kMeasurement = 0.3f;
  const auto [states, seen] = simulate(random::key(0), 1500, kProcess, kMeasurement);
  const auto loss = [&, &seen = seen](const Noise& noise) { return -numpy::mean(filter(noise, seen).second); };

  Noise noise = {Array(0.0f), Array(0.0f)};
  const auto adam = optim::adam(0.1);
  optim::OptState state = adam.init(noise);
  const auto step = jit([&](const Noise& n, const optim::OptState& s) {
    const auto [value, gradient] = value_and_grad(loss)(n);
    const auto [updates, next] = adam.update(gradient, s, n);
    return std::tuple(optim::apply_updates(n, updates), next, value);
  });
  std::vector<double> losses, processes, measurements;
  for (int i = 0; i < 120; ++i) {
    Array value;
    std::tie(noise, state, value) = step(noise, state);
    losses.push_back(value.item<double>());
    processes.push_back(std::exp(noise.process.item<double>()));
    measurements.push_back(std::exp(noise.measurement.item<double>()));
  }

  const Array places = jit([&, &seen = seen](const Noise& n) { return filter(n, seen).first; })(noise)(all, 0);
  const auto rms = [](const Array& x) { return std::sqrt(numpy::mean(numpy::square(x)).item<double>()); };
  const double error = rms(places - states(all, 0)), raw = rms(seen - states(all, 0));
  examples::Page page("A Kalman filter that learns its noise");
  const Array part = numpy::arange(300);
  page.chart("the first 300 places: measured, filtered, true",
             {{"measured", examples::numbers(part), examples::numbers(seen[range(0, 300)]), true},
              {"filtered", examples::numbers(part), examples::numbers(places[range(0, 300)])},
              {"true", examples::numbers(part), examples::numbers(states(range(0, 300), 0))}});
  page.chart("what is learned: 2.0 and 0.3 are true",
             {examples::curve("process", processes), examples::curve("measurement", measurements)});
  page.chart("-log likelihood of a measurement", {examples::curve("loss", losses)});
  std::printf("process %.2f (2.00), measurement %.3f (0.300); error %.3f, of the measurements %.3f\n", processes.back(),
              measurements.back(), error, raw);
  const bool right = std::abs(processes.back() / kProcess - 1) < 0.2 &&
                     std::abs(measurements.back() / kMeasurement - 1) < 0.1 && error < 0.6 * raw;
  return examples::finish(page, argc, argv, "Kalman filter", right);
}
