// SPDX-License-Identifier: Apache-2.0
// examples/robotics/swing_up.cc -- a cart swings a pole up and balances it, by model predictive path integral control:
// in each step 512 random plans are tried.
#include "examples/robotics/control.h"
#include "examples/robotics/dynamics.h"
#include "examples/support/compared.h"

using namespace hilo;

constexpr double kStep = 0.03;

// A cart of 1 kg on a rail, and a pole of 0.1 kg and 1 m; at 0 the pole hangs.
robotics::Model cart_and_pole() {
  robotics::Joint cart{.name = "cart", .type = robotics::Joint::kPrismatic, .axis = {1, 0, 0}};
  cart.body = robotics::body_at(1, {0, 0, 0}, {});
  robotics::Joint pole{.name = "pole", .parent = 0, .axis = {0, 1, 0}};
  pole.body = robotics::body_at(0.1, {0, 0, -0.5}, {{{0.1 / 12, 0, 0}, {0, 0.1 / 12, 0}, {0, 0, 1e-6}}});
  return robotics::make_model({cart, pole});
}

int main() {
  or_throw(config().update("jax_enable_x64", true));
  const robotics::Model model = cart_and_pole();
  const auto next = [&](const Array& state, const Array& input) {
    const Array q = state[range(0, 2)], speed = state[range(2, 4)];
    const Array torque = numpy::concatenate({input, numpy::zeros({1})});
    const Array faster = speed + kStep * robotics::forward_dynamics(model, q, speed, torque);
    return numpy::concatenate({q + kStep * faster, faster});
  };
  const auto away = [](const Array& state) {
    return 10 * (1 + numpy::cos(state[1])) + numpy::square(state[0]) + 0.1 * numpy::square(state[2]) +
           0.1 * numpy::square(state[3]);
  };
  const auto cost = [&](const Array& state, const Array& input) {
    return away(state) + 0.001 * numpy::sum(input * input);
  };
  const auto last = [&](const Array& state) { return 10 * away(state); };
  const robotics::Mppi options{.samples = 512, .deviation = 8, .temperature = 2, .least = -20, .most = 20};
  // One step of the controller: a better plan, its first input applied, the rest kept for the next step.
  using Situation = std::pair<Array, Array>;
  const auto act = [&](const Situation& now, const random::Key& key) {
    const auto& [state, plan] = now;
    const Array better = robotics::mppi(next, cost, last, state, plan, key, options);
    const Array rest = numpy::concatenate({better[range(1, none)], numpy::zeros({1, 1})}, 0);
    const Array after = next(state, better[0]);
    return std::pair(Situation(after, rest), after);
  };
  const auto play = [&](const Situation& start, const random::Key& keys) { return lax::scan(act, start, keys).second; };
  const Situation start{numpy::zeros({4}), numpy::zeros({40, 1})};
  const Array states = jit(play)(start, random::split(random::key(0), 150));
  const Array upright = numpy::cos(states(range(-50, none), 1));
  for (int64_t k = 0; k < 150; k += 25) {
    std::printf("%4.1f s: cart %6.2f m, pole %6.2f rad\n", kStep * static_cast<double>(k), states(k, 0).item<double>(),
                states(k, 1).item<double>());
  }
  return compare_with("upright", "swing up",
                      {{"cosine of the pole's angle", numpy::max(upright), -1}, {"cart", states(-1, 0) / 10, 0}}, 0.1);
}
