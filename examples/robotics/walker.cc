// SPDX-License-Identifier: Apache-2.0
// examples/robotics/walker.cc -- a walker with four legs falls on its feet and stands; sleds slide until friction stops
// them, 4,096 with different speeds at once.
#include "examples/robotics/contact.h"
#include "examples/robotics/urdf.h"
#include "examples/support/compared.h"

using namespace hilo;

constexpr double kGravity = 9.81, kStep = 0.001;

// A body that moves freely along x and z, with four points below it.
robotics::Model sled() {
  robotics::Joint along{.name = "along", .type = robotics::Joint::kPrismatic, .axis = {1, 0, 0}};
  robotics::Joint up{.name = "up", .parent = 0, .type = robotics::Joint::kPrismatic, .axis = {0, 0, 1}};
  up.body = robotics::body_at(3, {0, 0, 0.1}, {{{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}});
  return robotics::make_model({along, up});
}

int main() {
  or_throw(config().update("jax_enable_x64", true));
  const robotics::Model walker = robotics::load_urdf(HILO_EXAMPLE_DATA "/walker.urdf");
  robotics::Feet feet;
  for (const char* leg : {"front_left", "front_right", "hind_left", "hind_right"}) {
    feet.rows.push_back(walker.row(std::string(leg) + "_knee"));
    feet.points.push_back({0, 0, -0.22});
  }
  const Array crouched = numpy::tile(numpy::array({0.0, 0.6, -1.2}), 4);
  const Array legs = numpy::concatenate({numpy::array({0.0, 0.0, 0.45, 0.0, 0.0, 0.0}), crouched});
  const robotics::State start{legs, numpy::zeros({walker.size()})};
  // Springs at the joints of the legs; those that move the trunk have no motor.
  const auto motors = [&](const robotics::State& s) {
    return numpy::clip(120.0 * (legs - s.q) - 3.0 * s.speed, -walker.effort, walker.effort);
  };
  const auto fall_hard = [&](const robotics::State& from) {
    const auto step = [&](const robotics::State& s, std::nullopt_t) {
      return robotics::step_with_impulses(walker, {}, feet, s, motors(s), kStep);
    };
    return lax::scan(step, from, std::nullopt, 3000);
  };
  const auto fall_soft = [&](const robotics::State& from) {
    const auto step = [&](const robotics::State& s, std::nullopt_t) {
      return std::pair(robotics::step_with_springs(walker, {}, feet, s, motors(s), kStep / 2), std::nullopt);
    };
    return lax::scan(step, from, std::nullopt, 4000);
  };
  const auto [hard, impulses] = jit(fall_hard)(start);
  const robotics::State soft = jit(fall_soft)(start).first;
  double weight = 0;
  for (const robotics::Joint& joint : walker.joints) weight += joint.body.mass * kGravity;

  // Sleds of four points: each slides speed^2 / (2 friction gravity), in steps of time.
  const robotics::Model slider = sled();
  const robotics::Feet runners{{1, 1, 1, 1}, {{0.2, 0.1, 0}, {0.2, -0.1, 0}, {-0.2, 0.1, 0}, {-0.2, -0.1, 0}}};
  const auto slide = [&](const Array& speed) {
    const robotics::State from{numpy::zeros({2}), numpy::stack({speed, 0.0 * speed})};
    const auto step = [&](const robotics::State& s, std::nullopt_t) {
      return std::pair(
          robotics::step_with_impulses(slider, {.friction = 0.5}, runners, s, numpy::zeros({2}), 0.01).first,
          std::nullopt);
    };
    return lax::scan(step, from, std::nullopt, 100).first.q[0];
  };
  const Array speeds = numpy::linspace(0.0, 4.0, 4096);
  const Array slid = jit(vmap(slide))(speeds);
  // The speed decreases by friction * gravity * 0.01 in each step, and the sled moves with the speed after it.
  const Array slower = 0.5 * kGravity * 0.01, steps = numpy::floor(speeds / slower);
  const Array expected = 0.01 * (steps * speeds - slower * steps * (steps + 1) / 2);
  if (!(numpy::max(numpy::abs(slid - expected)) < 1e-9).item<bool>()) return 1;
  return compare_with("closed form", "walker",
                      {{"the fastest sled slid, m", slid[-1], 16 / (2 * 0.5 * kGravity) - 0.5 * 0.01 * 4},
                       {"force on the feet / weight",
                        numpy::mean(numpy::sum(impulses(range(-500, none), all, 2), 1)) / (kStep * weight), 1},
                       {"speed, at rest", numpy::max(numpy::abs(hard.speed)), 0},
                       {"height with springs", soft.q[2] - hard.q[2], 0}},
                      1e-2);
}
