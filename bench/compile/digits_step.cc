// SPDX-License-Identifier: Apache-2.0
// What a training step costs: a network of two layers, Adam, jit.
// aim: 10
#include "hilo/hilo.h"

using namespace hilo;

namespace {

struct Params {
  Array w1, b1, w2, b2;
};

Array loss(const Params& p, const Array& x, const Array& y) {
  const Array h = nn::relu(numpy::matmul(x, p.w1) + p.b1);
  return -numpy::mean(numpy::sum(nn::one_hot(y, 10) * nn::log_softmax(numpy::matmul(h, p.w2) + p.b2), 1));
}

}  // namespace

int main() {
  const random::Key key = random::key(0);
  const optim::GradientTransformation adam = optim::adam(2e-3);
  const auto step = jit([&](Params p, optim::OptState state, Array x, Array y) {
    const auto [value, gradients] = value_and_grad(loss)(p, x, y);
    const auto [updates, next] = adam.update(gradients, state, p);
    return std::tuple(optim::apply_updates(p, updates), next, value);
  });
  const Params p{random::normal(key, {64, 128}), numpy::zeros({128}), random::normal(key, {128, 10}),
                 numpy::zeros({10})};
  const auto [params, state, value] = step(p, adam.init(p), numpy::ones({128, 64}), numpy::zeros({128}, int32));
  return value.size() == 1 ? 0 : 1;
}
