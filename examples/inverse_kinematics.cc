// SPDX-License-Identifier: Apache-2.0
// examples/inverse_kinematics.cc -- an arm of four joints reaches for a point: damped least squares with the hand's
// Jacobian, in a while_loop that ends when the hand is there.
#include "examples/support/compared.h"

using namespace hilo;

const Array& lengths() {
  static const Array all = numpy::array({0.5f, 0.4f, 0.3f, 0.2f});
  return all;
}

// Where the hand is: the first joint turns the arm, the others lift it.
Array hand(const Array& q) {
  const Array yaw = q[0], pitch = numpy::cumsum(q(range(1, none)));
  const Array arm = lengths()(range(1, none));
  const Array reach = lengths()[0] * 0.2f + numpy::sum(arm * numpy::cos(pitch));
  return numpy::stack(
      {reach * numpy::cos(yaw), reach * numpy::sin(yaw), lengths()[0] + numpy::sum(arm * numpy::sin(pitch))});
}

// The angles, and after how many steps.
std::pair<Array, Array> reach_for(const Array& target, const Array& start) {
  using State = std::pair<Array, Array>;
  const auto step = [&](const State& s) {
    const auto& [q, i] = s;
    const Array j = jacfwd(hand)(q), error = target - hand(q);
    const Array damped = numpy::matmul(j, numpy::transpose(j)) + 1e-3f * numpy::eye(3);
    return State(q + numpy::matmul(numpy::transpose(j), linalg::solve(damped, error)), i + 1);
  };
  const auto far = [&](const State& s) {
    const Array distance = linalg::norm(target - hand(s.first));
    return numpy::logical_and(distance > 1e-5f, s.second < 100);
  };
  return lax::while_loop(far, step, State(start, numpy::zeros({}, int32)));
}

int main() {
  const auto [q, steps] = jit(reach_for)(numpy::array({0.4f, 0.35f, 0.8f}), numpy::array({0.1f, 0.3f, 0.4f, 0.5f}));
  return compare_with_jax("inverse kinematics",
                          {{"turn", q[0], 0.7188326},
                           {"shoulder", q[1], -0.1886374},
                           {"elbow", q[2], 1.100841},
                           {"wrist", q[3], 1.469637},
                           {"steps", steps, 5}},
                          1e-4);
}
