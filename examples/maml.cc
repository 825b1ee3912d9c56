// SPDX-License-Identifier: Apache-2.0
// examples/maml.cc -- learns to learn sine waves: parameters from which three steps of gradient descent fit a new one
// from ten points. The gradient goes through the gradients in a scan, for a batch of tasks under vmap. Source    Finn,
// Abbeel and Levine, "Model-agnostic meta-learning" (2017)
#include "examples/support/compared.h"

using namespace hilo;

struct Network {
  Array w1, b1, w2, b2, w3, b3;
};

Array output(const Network& p, const Array& x) {
  const Array h = numpy::tanh(numpy::matmul(x, p.w1) + p.b1);
  return numpy::matmul(numpy::tanh(numpy::matmul(h, p.w2) + p.b2), p.w3) + p.b3;
}

Array loss(const Network& p, const Array& x, const Array& y) { return numpy::mean(numpy::square(output(p, x) - y)); }

Network moved(const Network& p, const Network& slope, float rate) {
  return tree::map([rate](Array v, Array g) { return v - rate * g; }, p, slope);
}

// What three steps of gradient descent make of the parameters.
Network adapted(const Network& p, const Array& x, const Array& y) {
  const auto step = [&](const Network& q, std::nullopt_t) {
    return std::pair(moved(q, grad(loss)(q, x, y), 0.05f), std::tuple<>());
  };
  return lax::scan(step, p, std::nullopt, 3).first;
}

// The loss on ten points of a wave, after learning from ten others.
Array loss_of_task(const Network& p, const random::Key& key) {
  const std::vector<random::Key> keys = random::split(key, 3);
  const Array amplitude = random::uniform(keys[0], {}, 0.5f, 2.0f);
  const Array phase = random::uniform(keys[1], {}, 0.0f, 3.0f);
  const Array x = random::uniform(keys[2], {20, 1}, -3.0f, 3.0f);
  const Array y = amplitude * numpy::sin(x + phase);
  const Range known = range(0, 10), unknown = range(10, 20);
  return loss(adapted(p, x(known), y(known)), x(unknown), y(unknown));
}

Array loss_of_batch(const Network& p, const random::Key& keys) {
  return numpy::mean(vmap([&](random::Key key) { return loss_of_task(p, key); })(keys));
}

int main() {
  const std::vector<random::Key> keys = random::split(random::key(1), 3);
  const float scale = 1 / std::sqrt(24.0f);
  Network p{random::normal(keys[0], {1, 24}),          numpy::zeros({24}),
            scale * random::normal(keys[1], {24, 24}), numpy::zeros({24}),
            scale * random::normal(keys[2], {24, 1}),  numpy::zeros({1})};
  const auto step = jit([](const Network& q, const random::Key& key) {
    return moved(q, grad(loss_of_batch)(q, random::split(key, 16)), 0.02f);
  });

  const random::Key test = random::split(random::key(3), 64);
  const Array first = jit(loss_of_batch)(p, test);
  for (int i = 0; i < 100; ++i) p = step(p, random::fold_in(random::key(2), i));
  return compare_with_jax(
      "MAML",
      {{"loss on new waves at first", first, 0.4254362}, {"after 100 steps", jit(loss_of_batch)(p, test), 0.2992483}},
      1e-3);
}
