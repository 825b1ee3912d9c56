// SPDX-License-Identifier: Apache-2.0
// examples/linear_regression.cc -- finds the line behind noisy points by gradient descent.
#include <cmath>
#include <cstdio>

#include "hilo/hilo.h"

using namespace hilo;

struct Line {
  Array weights;  // f32[3]
  Array bias;     // f32[]
};

Array predict(const Line& line, const Array& x) { return numpy::matmul(x, line.weights) + line.bias; }

Array loss(const Line& line, const Array& x, const Array& y) {
  return numpy::mean(numpy::square(predict(line, x) - y));
}

int main() {
  const std::vector<random::Key> keys = random::split(random::key(7));
  const Line truth{numpy::array({2.0, -1.0, 0.5}), Array(0.25f)};
  const Array x = random::normal(keys[0], {512, 3});
  const Array y = predict(truth, x) + 0.01f * random::normal(keys[1], {512});

  const optim::GradientTransformation sgd = optim::sgd(0.1);
  const optim::OptState state = sgd.init(truth);  // without momentum it never changes
  const auto improved = [&](const Line& line) {
    return optim::apply_updates(line, sgd.update(grad(loss)(line, x, y), state).first);
  };
  auto step = jit(improved, {.name = "step"});
  Line line{numpy::zeros({3}), numpy::zeros({})};
  for (int i = 0; i < 200; ++i) line = step(line);

  const std::vector<float> found = line.weights.to_vector<float>(), wanted = truth.weights.to_vector<float>();
  double error = std::abs(line.bias.item<double>() - truth.bias.item<double>());
  for (size_t i = 0; i < found.size(); ++i) error = std::fmax(error, std::abs(found[i] - wanted[i]));
  const bool right = error < 5e-3;
  std::printf("weights %.3f %.3f %.3f, bias %.3f\n", found[0], found[1], found[2], line.bias.item<double>());
  std::printf("linear regression: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
