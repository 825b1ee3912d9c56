// SPDX-License-Identifier: Apache-2.0
// The algorithms of examples/robotics compared with Pinocchio's numbers for three robots, and the readers' errors.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "examples/robotics/contact.h"
#include "examples/robotics/control.h"
#include "examples/robotics/urdf.h"
#include "tests/paths.h"

namespace robotics {
namespace {

using hilo::Array;

const std::string kRoot = hilo::tests::kSourceDir;

/// Texts of tests/golden/robotics.txt by "robot state quantity".
const std::map<std::string, std::string>& golden() {
  static const std::map<std::string, std::string> lines = [] {
    std::map<std::string, std::string> found;
    std::ifstream file(kRoot + "/tests/golden/robotics.txt");
    std::string robot, state, quantity, rest;
    while (file >> robot >> state >> quantity && std::getline(file, rest)) found[robot + state + quantity] = rest;
    return found;
  }();
  return lines;
}

class Robots : public testing::TestWithParam<std::tuple<std::string, Form>> {
 protected:
  void SetUp() override { hilo::or_throw(hilo::config().update("jax_enable_x64", true)); }
  void TearDown() override { hilo::or_throw(hilo::config().update("jax_enable_x64", false)); }

  const std::string& name() const { return std::get<0>(GetParam()); }
  Form form() const { return std::get<1>(GetParam()); }
  Model robot() const {
    return load_urdf(kRoot + (name() == "tree" ? "/tests/robotics/" : "/examples/data/") + name() + ".urdf");
  }
  /// What record_robotics.py computes from: sin(seed + 1.7 k) for number k.
  static Array wave(int seed, const std::vector<int64_t>& shape) {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    return hilo::numpy::sin(seed + 1.7 * hilo::numpy::arange(0.0, static_cast<double>(count))).reshape(shape);
  }
  /// Expects each number within 1e-10 of Pinocchio's, relative to the largest.
  void expect_golden(int state, const std::string& quantity, const Array& got) const {
    std::istringstream line(golden().at(name() + std::to_string(state) + quantity));
    const std::vector<double> numbers = got.to_vector<double>();
    double largest = 1, expected = 0;
    std::vector<double> all;
    while (line >> expected) {
      all.push_back(expected);
      largest = std::max(largest, std::abs(expected));
    }
    ASSERT_EQ(all.size(), numbers.size()) << quantity;
    for (size_t k = 0; k < all.size(); ++k) EXPECT_NEAR(numbers[k], all[k], 1e-10 * largest) << quantity << " " << k;
  }
};

INSTANTIATE_TEST_SUITE_P(All, Robots,
                         testing::Combine(testing::Values("arm", "walker", "tree"),
                                          testing::Values(Form::kScan, Form::kUnrolled)),
                         [](const auto& of) {
                           return std::get<0>(of.param) +
                                  (std::get<1>(of.param) == Form::kScan ? "_scan" : "_unrolled");
                         });

TEST_P(Robots, HavePinocchiosOrderOfJoints) {
  std::string names;
  for (const Joint& joint : robot().joints) names += " " + joint.name;
  EXPECT_EQ(names, golden().at(name() + "0names"));
}

TEST_P(Robots, HavePinocchiosDynamics) {
  const Model model = robot();
  const int64_t n = model.size();
  for (int state = 0; state < 2; ++state) {
    const Array q = wave(3 * state + 1, {n}), speed = wave(3 * state + 2, {n}), last = wave(3 * state + 3, {n});
    const Dynamics plain{.form = form()}, pushed{.form = form(), .external = wave(3 * state + 4, {n, 6})};
    const auto all = [&](const Array& x, const Array& v, const Array& l) {
      return std::vector<Array>{inverse_dynamics(model, x, v, l, plain), inverse_dynamics(model, x, v, l, pushed),
                                forward_dynamics(model, x, v, l, plain), forward_dynamics(model, x, v, l, pushed),
                                mass_matrix(model, x, plain)};
    };
    const std::vector<Array> got = hilo::jit(all)(q, speed, last);
    expect_golden(state, "torques", got[0]);
    expect_golden(state, "torques_with_forces", got[1]);
    expect_golden(state, "accelerations", got[2]);
    expect_golden(state, "accelerations_with_forces", got[3]);
    expect_golden(state, "mass_matrix", got[4]);
  }
}

TEST_P(Robots, HavePinocchiosFramesAndJacobians) {
  const Model model = robot();
  const auto all = [&](const Array& q) {
    const Pose poses = forward_kinematics(model, q, form());
    std::vector<Array> jacobians;
    for (int64_t i = 0; i < model.size(); ++i) jacobians.push_back(jacobian_at(model, poses, i, poses.position[i]));
    return std::pair(poses, hilo::numpy::stack(jacobians));
  };
  for (int state = 0; state < 2; ++state) {
    const auto [poses, jacobians] = hilo::jit(all)(wave(3 * state + 1, {model.size()}));
    expect_golden(state, "rotations", poses.rotation);
    expect_golden(state, "positions", poses.position);
    expect_golden(state, "jacobians", jacobians);
  }
}

TEST_P(Robots, InABatchAreEachAsAlone) {
  const Model model = robot();
  const int64_t n = model.size();
  const auto torques = [&](const Array& q, const Array& speed, const Array& last) {
    return inverse_dynamics(model, q, speed, last, {.form = form()});
  };
  const auto accelerations = [&](const Array& q, const Array& speed, const Array& last) {
    return forward_dynamics(model, q, speed, last, {.form = form()});
  };
  const Array q = wave(1, {5, n}), speed = wave(2, {5, n}), last = wave(3, {5, n});
  const Array all = hilo::jit(hilo::vmap(torques))(q, speed, last),
              back = hilo::jit(hilo::vmap(accelerations))(q, speed, all);
  EXPECT_LT(hilo::numpy::max(hilo::numpy::abs(back - last)).item(), 1e-7);
  for (int64_t k = 0; k < 5; ++k) {
    const Array alone = hilo::jit(torques)(q[k], speed[k], last[k]);
    EXPECT_LT(hilo::numpy::max(hilo::numpy::abs(all[k] - alone)).item(), 1e-9) << k;
  }
}

TEST_P(Robots, KeepTheirEnergyAndDifferentiate) {
  const Model model = robot();
  const int64_t n = model.size();
  const auto torques = [&](const Array& q, const Array& speed, const Array& last) {
    return inverse_dynamics(model, q, speed, last, {.form = form()});
  };
  const Array q = wave(1, {n}), speed = wave(2, {n}), last = wave(3, {n});
  // The slope by accelerations is the mass matrix.
  const Array mass = hilo::jit(hilo::jacfwd<2>(torques))(q, speed, last);
  const Array direct = hilo::jit([&](const Array& x) { return mass_matrix(model, x, {.form = form()}); })(q);
  EXPECT_LT(hilo::numpy::max(hilo::numpy::abs(mass - direct)).item(), 1e-10);
  const auto kinetic_energy = [&](const Array& x) {
    return 0.5 * hilo::numpy::dot(speed, hilo::numpy::matmul(mass_matrix(model, x, {.form = form()}), speed));
  };
  // Power of the torques that keep the speeds, less that of gravity, is the change of the kinetic energy.
  const Array zero = hilo::numpy::zeros({n});
  const Array power = hilo::numpy::dot(speed, hilo::jit(torques)(q, speed, zero) - hilo::jit(torques)(q, zero, zero));
  const Array change = hilo::numpy::dot(speed, hilo::jit(hilo::grad(kinetic_energy))(q));
  EXPECT_NEAR(power.item(), change.item(), 1e-9);
}

TEST_P(Robots, FindJointsForAPose) {
  const Model model = robot();
  if (name() == "walker") return;  // its hand is one of four
  const int64_t n = model.size(), last = n - 1;
  const Array there = 0.5 * wave(1, {n});
  const auto search = [&](const Array& q, const Array& start) {
    const Pose poses = forward_kinematics(model, q, form());
    const Pose target{poses.rotation[last], poses.position[last]};
    return inverse_kinematics(model, target, start, {.form = form()});
  };
  const Reached found = hilo::jit(search)(there, there + 0.1);
  EXPECT_LT(found.error.item(), 1e-7);
  EXPECT_LT(found.steps.item<int>(), 20);
}

// Contact and controllers, compared with closed forms.

TEST(Ground, PushesOutOfItAndAgainstTheSlip) {
  const Array positions = hilo::numpy::array({{0.0f, 0.0f, 0.1f}, {0.0f, 0.0f, -0.1f}, {0.0f, 0.0f, -0.1f}});
  const Array velocities = hilo::numpy::array({{1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, -0.5f}, {3.0f, 4.0f, 2.0f}});
  const Array forces =
      ground_forces({.stiffness = 100, .damping = 1, .friction = 0.5, .slip = 1e-3}, positions, velocities);
  EXPECT_EQ(forces[0].to_vector<float>(), (std::vector<float>{0, 0, 0}));  // above the ground
  EXPECT_NEAR(forces(1, 2).item(), 15, 1e-4);                              // 100 * 0.1 * (1 + 0.5)
  EXPECT_NEAR(forces(2, 2).item(), 0, 1e-6);                               // it leaves faster than the damper follows
}

TEST(Ground, ImpulsesEndThePenetratingSpeedWithinTheCone) {
  // Two free points of mass 2: an impulse changes the speed by half.
  const Array matrix = (0.5f * hilo::numpy::eye(6)).reshape({2, 3, 2, 3});
  const Array speeds = hilo::numpy::array({{0.1f, 4.0f, -1.0f}, {1.0f, 0.0f, 1.0f}});
  const Array f = contact_impulses({.friction = 0.5}, matrix, speeds, hilo::numpy::array({true, true}));
  EXPECT_NEAR(f(0, 2).item(), 2, 1e-6);                               // stops
  EXPECT_NEAR(f(0, 0).item(), -0.2, 1e-6);                            // sticks
  EXPECT_NEAR(f(0, 1).item(), -1, 1e-6);                              // slides: friction times the normal impulse
  EXPECT_EQ(f[1].to_vector<float>(), (std::vector<float>{0, 0, 0}));  // leaves by itself
  const Array air = contact_impulses({}, matrix, speeds, hilo::numpy::array({false, false}));
  EXPECT_EQ(hilo::numpy::max(hilo::numpy::abs(air)).item(), 0);
}

TEST(Controllers, FindTheOptimumOfALinearSystemAtOnce) {
  const auto next = [](const Array& x, const Array& u) {
    return hilo::numpy::stack({x[0] + 0.1f * x[1], x[1] + 0.1f * u[0]});
  };
  const auto cost = [](const Array& x, const Array& u) { return hilo::numpy::sum(x * x) + hilo::numpy::sum(u * u); };
  const auto last = [](const Array& x) { return 10 * hilo::numpy::sum(x * x); };
  const Array start = hilo::numpy::array({1.0f, 0.0f}), idle = hilo::numpy::zeros({20, 1});
  const Planned once = hilo::jit([&](const Array& x) { return ilqr(next, cost, last, x, idle, 1); })(start);
  const Planned twice = hilo::jit([&](const Array& x) { return ilqr(next, cost, last, x, idle, 3); })(start);
  EXPECT_NEAR(once.cost.item(), twice.cost.item(), 1e-4);
  // At the optimum, no input has a slope.
  const auto total = [&](const Array& plan) {
    const Array states = roll_out(next, start, plan);
    return hilo::numpy::sum(hilo::vmap(cost)(states[hilo::range(0, -1)], plan)) + last(states[-1]);
  };
  EXPECT_LT(hilo::numpy::max(hilo::numpy::abs(hilo::jit(hilo::grad(total))(once.plan))).item(), 1e-3);
  EXPECT_NEAR(total(once.plan).item(), once.cost.item(), 1e-4);
  // Random plans come near to it, and never cost more than idling by much.
  const auto search = [&](const Array& plan, const hilo::random::Key& key) {
    return mppi(next, cost, last, start, plan, key, {.samples = 512, .deviation = 0.3, .temperature = 0.05});
  };
  Array plan = idle;
  const auto better = hilo::jit(search);
  for (uint32_t k = 0; k < 30; ++k) plan = better(plan, hilo::random::key(k));
  EXPECT_LT(total(plan).item(), 1.1 * once.cost.item());
}

// What is refused.

std::string error_of(const std::string& urdf) {
  try {
    read_urdf(urdf);
  } catch (const hilo::Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Urdf, RefusesWhatIsNoXml) {
  EXPECT_EQ(error_of(""), "INVALID_ARGUMENT: robot: line 1: no element");
  EXPECT_EQ(error_of("<robot>\n<link name='a'>\n</robot>"),
            "INVALID_ARGUMENT: robot: line 3: got </robot>, expected </link>");
  EXPECT_EQ(error_of("<robot>"), "INVALID_ARGUMENT: robot: line 1: <robot> isn't closed");
  EXPECT_EQ(error_of("</robot>"), "INVALID_ARGUMENT: robot: line 1: got </robot>, expected no closing tag");
  EXPECT_EQ(error_of("<robot name=arm/>"), "INVALID_ARGUMENT: robot: line 1: expected a value in quotes");
  EXPECT_EQ(error_of("<robot name/>"), "INVALID_ARGUMENT: robot: line 1: attribute name has no value");
  EXPECT_EQ(error_of("<robot name='a' name='b'/>"), "INVALID_ARGUMENT: robot: line 1: attribute name is there twice");
  EXPECT_EQ(error_of("<robot name='a"), "INVALID_ARGUMENT: robot: line 1: a value isn't closed");
  EXPECT_EQ(error_of("<robot name='&lt;'/>"), "INVALID_ARGUMENT: robot: line 1: & and < aren't supported in values");
  EXPECT_EQ(error_of("<!DOCTYPE x><robot/>"), "INVALID_ARGUMENT: robot: line 1: <! isn't supported: expected elements");
  EXPECT_EQ(error_of("<robot/><robot/>"), "INVALID_ARGUMENT: robot: line 1: a second root element");
  EXPECT_EQ(error_of("<robot"), "INVALID_ARGUMENT: robot: line 1: the text ends inside of a tag");
  EXPECT_EQ(error_of("< robot/>"), "INVALID_ARGUMENT: robot: line 1: expected a name");
  std::string deep;
  for (int k = 0; k < 100000; ++k) deep += "<a>";
  EXPECT_EQ(error_of(deep), "INVALID_ARGUMENT: robot: line 1: elements are nested more than 64 deep");
}

const std::string kJoint = "<joint name='j' type='revolute'>\n<parent link='a'/><child link='b'/></joint>";
std::string robot_of(const std::string& parts) { return "<robot>" + parts + "</robot>"; }

TEST(Urdf, RefusesWhatIsNoRobot) {
  const std::string links = "<link name='a'/><link name='b'/>";
  EXPECT_EQ(error_of("<sdf/>"), "INVALID_ARGUMENT: robot: line 1: got <sdf>, expected <robot>");
  EXPECT_EQ(error_of("<robot/>"), "INVALID_ARGUMENT: robot: line 1: no link");
  EXPECT_EQ(error_of(robot_of("<link/>")), "INVALID_ARGUMENT: robot: line 1: <link> has no name");
  EXPECT_EQ(error_of(robot_of("<link name='a'/>")), "INVALID_ARGUMENT: robot: the table has no joint");
  EXPECT_EQ(error_of(robot_of(links)),
            "INVALID_ARGUMENT: robot: line 1: links 'a' and 'b' have no parent; expected one root");
  EXPECT_EQ(error_of(robot_of("<link name='a'/>" + links)), "INVALID_ARGUMENT: robot: line 1: link 'a' is there twice");
  EXPECT_EQ(error_of(robot_of("<link name='a'/>" + kJoint)), "INVALID_ARGUMENT: robot: line 1: no link 'b'");
  EXPECT_EQ(error_of(robot_of(links + kJoint + "\n" + kJoint)),
            "INVALID_ARGUMENT: robot: line 3: link 'b' already has the joint of line 1");
  EXPECT_EQ(error_of(robot_of(links + "<joint name='j' type='revolute'><parent link='a'/></joint>")),
            "INVALID_ARGUMENT: robot: line 1: <joint> has no <child>");
  EXPECT_EQ(
      error_of(robot_of(links + "<joint name='j' type='ball'><parent link='a'/><child link='b'/></joint>")),
      "INVALID_ARGUMENT: robot: line 1: joint type 'ball' isn't supported: revolute, continuous, prismatic, fixed");
  EXPECT_EQ(
      error_of(robot_of(links + kJoint + "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>")),
      "INVALID_ARGUMENT: robot: line 1: every link has a parent: a loop of joints");
  EXPECT_EQ(error_of(robot_of("<link name='r'/>" + links + kJoint +
                              "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>")),
            "INVALID_ARGUMENT: robot: line 1: a loop of joints isn't connected to 'r'");
}

TEST(Urdf, RefusesNumbersThatAreNone) {
  const auto robot_with = [](const std::string& axis, const std::string& mass) {
    return robot_of("<link name='a'/><link name='b'><inertial><mass value='" + mass +
                    "'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
                    "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='" +
                    axis + "'/></joint>");
  };
  EXPECT_EQ(error_of(robot_with("0 0 1", "2")), "none");
  for (const std::string axis : {"0 0", "0 0 1 0", "0 0 x", "0 nan 1", "inf 0 0", ""}) {
    EXPECT_EQ(error_of(robot_with(axis, "2")),
              "INVALID_ARGUMENT: robot: line 1: <axis xyz=\"" + axis + "\">: expected 3 finite numbers");
  }
  EXPECT_EQ(error_of(robot_with("0 0 0", "2")), "INVALID_ARGUMENT: robot: joint 0 'j' has an axis of length 0");
  EXPECT_EQ(error_of(robot_with("0 0 1", "-2")), "INVALID_ARGUMENT: robot: line 1: the mass is negative");
  EXPECT_EQ(error_of(robot_with("0 0 1", "two")),
            "INVALID_ARGUMENT: robot: line 1: <mass value=\"two\">: expected 1 finite number");
}

TEST(Table, RefusesJointsOutOfOrder) {
  const auto error = [](std::vector<Joint> joints) -> std::string {
    try {
      make_model(std::move(joints));
    } catch (const hilo::Error& refused) {
      return refused.what();
    }
    return "none";
  };
  EXPECT_EQ(error({}), "INVALID_ARGUMENT: robot: the table has no joint");
  EXPECT_EQ(error({Joint{.name = "a", .parent = 0}}),
            "INVALID_ARGUMENT: robot: joint 0 'a' has parent 0; expected -1, or a row before its own");
  EXPECT_EQ(error({Joint{.name = "a", .lower = 1, .upper = 0}}),
            "INVALID_ARGUMENT: robot: joint 0 'a' has a lower limit above its upper limit");
  EXPECT_EQ(error({Joint{.name = "a"}}), "none");
}

}  // namespace
}  // namespace robotics
