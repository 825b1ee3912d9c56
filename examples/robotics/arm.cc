// SPDX-License-Identifier: Apache-2.0
// examples/robotics/arm.cc -- an arm of seven joints from a URDF file: torques of accelerations, accelerations of
// torques, the mass matrix, the hand and its Jacobian, for one arm and for 4,096 at once.
#include "examples/robotics/kinematics.h"
#include "examples/robotics/urdf.h"
#include "examples/support/compared.h"

using namespace hilo;

// Angles, speeds or accelerations of `count` arms: sin(seed + 1.7 k) for number k.
Array wave(double seed, int64_t count, int64_t joints) {
  return numpy::sin(seed + 1.7 * numpy::arange(0.0, static_cast<double>(count * joints))).reshape({count, joints});
}

double largest(const Array& difference) { return numpy::max(numpy::abs(difference)).item<double>(); }

int main() {
  or_throw(config().update("jax_enable_x64", true));
  const robotics::Model arm = robotics::load_urdf(HILO_EXAMPLE_DATA "/arm.urdf");
  const int64_t n = arm.size();
  const auto torque_of = [&](const Array& q, const Array& speed, const Array& acceleration) {
    return robotics::inverse_dynamics(arm, q, speed, acceleration);
  };
  const auto acceleration_of = [&](const Array& q, const Array& speed, const Array& torque) {
    return robotics::forward_dynamics(arm, q, speed, torque);
  };
  const Array q = wave(1, 1, n)[0], speed = wave(2, 1, n)[0], acceleration = wave(3, 1, n)[0];
  const Array torque = jit(torque_of)(q, speed, acceleration), back = jit(acceleration_of)(q, speed, torque);
  const Array mass = jit([&](const Array& x) { return robotics::mass_matrix(arm, x); })(q);
  const auto [by_q, by_speed] = jit(jacfwd<0, 1>(torque_of))(q, speed, acceleration);
  const auto hand = [&](const Array& x) {
    const robotics::Pose poses = robotics::forward_kinematics(arm, x);
    const Array point = poses.position[n - 1] + numpy::matmul(poses.rotation[n - 1], numpy::array({0.0, 0.0, 0.12}));
    return std::pair(point, robotics::jacobian_at(arm, poses, n - 1, point));
  };
  const auto [point, jacobian] = jit(hand)(q);

  // Many arms: the same functions, and the accelerations come back from the torques.
  const Array many = wave(1, 4096, n), speeds = wave(2, 4096, n), accelerations = wave(3, 4096, n);
  const Array torques = jit(vmap(torque_of))(many, speeds, accelerations);
  const Array all_back = jit(vmap(acceleration_of))(many, speeds, torques);
  const double lost = largest(back - acceleration), lost_of_many = largest(all_back - accelerations);
  std::printf("accelerations come back within %.0e, of 4,096 arms within %.0e\n", lost, lost_of_many);
  if (!(lost < 1e-10) || !(lost_of_many < 1e-8) || !(largest(torques[0] - torque) < 1e-10)) return 1;
  return compare_with("Pinocchio", "robot arm",
                      {{"torque of the shoulder", torque[1], -30.07190851},
                       {"of the wrist", torque[5], -0.7832788961},
                       {"its slope by the elbow", by_q(1, 3), 7.678822052},
                       {"by the elbow's speed", by_speed(1, 3), -0.4736978638},
                       {"mass matrix, first entry", mass(0, 0), 0.765041162},
                       {"shoulder and elbow", mass(1, 3), -0.8371195194},
                       {"hand, x", point[0], -0.3698310683},
                       {"hand, z", point[2], 1.222804278},
                       {"its speed by the shoulder", jacobian(3, 1), -0.5882714138},
                       {"sum of the 4,096 torques", numpy::sum(torques), -85.70883247}},
                      1e-8);
}
