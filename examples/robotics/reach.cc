// SPDX-License-Identifier: Apache-2.0
// examples/robotics/reach.cc -- joints of the arm for a requested pose of its hand, and for 4,096 poses at once.
#include "examples/robotics/kinematics.h"
#include "examples/robotics/urdf.h"
#include "examples/support/compared.h"

using namespace hilo;

const robotics::Vec3 kHand = {0, 0, 0.12};

int main() {
  or_throw(config().update("jax_enable_x64", true));
  const robotics::Model arm = robotics::load_urdf(HILO_EXAMPLE_DATA "/arm.urdf");
  const int64_t last = arm.size() - 1;
  const auto hand = [&](const Array& q) { return robotics::pose_of(arm, q, last, kHand); };
  const auto reach = [&](const robotics::Pose& target, const Array& start) {
    return robotics::inverse_kinematics(arm, target, start, {.offset = kHand});
  };

  // The pose that Pinocchio computes for joints at sin(1 + 1.7 k), from joints at 0.3.
  const robotics::Pose target{numpy::array({{0.9120732357, 0.07029372358, -0.4039569347},
                                            {-0.1736015294, 0.9587374996, -0.2251331071},
                                            {0.3714632171, 0.2754654231, 0.8866419114}}),
                              numpy::array({-0.3698310683, -0.2796632695, 1.222804278})};
  const robotics::Reached one = jit(reach)(target, numpy::full({arm.size()}, 0.3));
  const robotics::Pose there = jit(hand)(one.q);
  const double error = one.error.item<double>();
  std::printf("one pose: %d steps, error %.0e\n", one.steps.item<int>(), error);

  // Poses that the arm has, from joints half a radian away.
  const auto [key, other] = random::split(random::key(0));
  const Array joints = random::uniform(key, {4096, arm.size()}, float64, -1.5, 1.5);
  const Array starts = joints + random::uniform(other, {4096, arm.size()}, float64, -0.5, 0.5);
  const robotics::Reached all = jit(vmap(reach))(jit(vmap(hand))(joints), starts);
  const double part = numpy::mean(all.error < 1e-7).item<double>();
  std::printf("4,096 poses: %.1f %% reached, after %.1f steps on average\n", 100 * part,
              numpy::mean(all.steps).item<double>());
  if (!(error < 1e-7) || !(part > 0.99)) return 1;
  return compare_with("Pinocchio", "reach",
                      {{"hand, x", there.position[0], -0.3698310683},
                       {"hand, y", there.position[1], -0.2796632695},
                       {"hand, z", there.position[2], 1.222804278},
                       {"its third axis, x", there.rotation(0, 2), -0.4039569347},
                       {"its first axis, y", there.rotation(1, 0), -0.1736015294}},
                      1e-8);
}
