// SPDX-License-Identifier: Apache-2.0
// examples/pendulum.cc -- learns a pendulum's damping from its swing, by the gradient of a whole simulation.
#include <cmath>
#include <cstdio>

#include "hilo/hilo.h"

using namespace hilo;

constexpr float kGravityOverLength = 9.81f;  // 1/s^2
constexpr float kStep = 0.05f;               // seconds
constexpr int64_t kSteps = 200;

struct State {
  Array angle;     // radians
  Array velocity;  // radians per second
};

State derivative(const State& s, const Array& damping) {
  return {s.velocity, -damping * s.velocity - kGravityOverLength * numpy::sin(s.angle)};
}

State moved(const State& s, const State& slope, float time) {
  return tree_map([time](const Array& x, const Array& dx) { return x + time * dx; }, s, slope);
}

// One step of the classical Runge-Kutta method.
State rk4(const State& s, const Array& damping) {
  const State k1 = derivative(s, damping);
  const State k2 = derivative(moved(s, k1, kStep / 2), damping);
  const State k3 = derivative(moved(s, k2, kStep / 2), damping);
  const State k4 = derivative(moved(s, k3, kStep), damping);
  const auto mean = [](const Array& a, const Array& b, const Array& c, const Array& d) {
    return (a + 2.0f * b + 2.0f * c + d) / 6.0f;
  };
  return moved(s, tree_map(mean, k1, k2, k3, k4), kStep);
}

// The angle after every step, f32[kSteps].
Array swing(const Array& damping) {
  const State start{numpy::full({}, 1.0f), numpy::zeros({})};
  const auto step = [&](const State& s, const Array&) {
    const State next = rk4(s, damping);
    return std::pair(next, next.angle);
  };
  return lax::scan(step, start, numpy::zeros({kSteps})).second;
}

int main() {
  const float truth = 0.3f;
  const Array observed = jit(swing, {.name = "swing"})(numpy::full({}, truth));
  const auto loss = [&](const Array& damping) { return numpy::mean(numpy::square(swing(damping) - observed)); };

  const optim::GradientTransformation adam = optim::adam(0.02);
  auto step = jit(
      [&](const Array& damping, const optim::OptState& state) {
        const auto [value, slope] = value_and_grad(loss)(damping);
        const auto [update, next_state] = adam.update(slope, state, damping);
        return std::tuple(optim::apply_updates(damping, update), next_state, value);
      },
      {.name = "fit_damping"});
  Array damping = numpy::full({}, 0.8f), value;
  optim::OptState state = adam.init(damping);
  for (int i = 0; i < 300; ++i) {
    std::tie(damping, state, value) = step(damping, state);
    if (i % 50 == 0)
      std::printf("step %3d: damping %.4f, loss %.3g\n", i, damping.item<double>(), value.item<double>());
  }
  const bool right = std::abs(damping.item<double>() - truth) < 2e-3;
  std::printf("damping %.3f: %s\n", damping.item<double>(), right ? "right" : "wrong");
  return right ? 0 : 1;
}
