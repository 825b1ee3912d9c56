// SPDX-License-Identifier: Apache-2.0
// bench/first_torque.cc -- a process that computes the torques of one robot arm and ends, with the table of the robot
// and the compiler's work in it. small/peers.py times it from its start.
#include <cstdio>

#include "bench/small/arm.h"
#include "examples/robotics/dynamics.h"

using namespace hilo;

int main() {
  or_throw(config().update("jax_enable_x64", true));
  const robotics::Model arm = bench::make_arm();
  const auto torque_of = jit([&](const Array& q, const Array& speed, const Array& acceleration) {
    return robotics::inverse_dynamics(arm, q, speed, acceleration);
  });
  const Array q = numpy::array({0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7});
  double sum = 0;
  for (const double torque : torque_of(q, q, q).to_vector<double>()) sum += torque;
  std::printf("%.12g\n", sum);
}
