// SPDX-License-Identifier: Apache-2.0
// examples/robotics/plan.cc -- torques that bring the arm to rest in another position within a second, by the iterative
// linear-quadratic regulator; and a system for which one iteration is the optimum.
#include "examples/robotics/control.h"
#include "examples/robotics/dynamics.h"
#include "examples/robotics/urdf.h"
#include "examples/support/compared.h"

using namespace hilo;

// Three carts that springs join: linear, with quadratic costs. The optimum solves one linear system.
std::pair<Array, Array> of_carts() {
  const Array pull = numpy::array({{-2.0, 1.0, 0.0}, {1.0, -2.0, 1.0}, {0.0, 1.0, -1.0}});
  const auto next = [&](const Array& state, const Array& input) {
    const Array q = state[range(0, 3)], speed = state[range(3, 6)];
    const Array push = numpy::concatenate({input, numpy::zeros({1})});
    return numpy::concatenate({q + 0.1 * speed, speed + 0.1 * (numpy::matmul(pull, q) + push)});
  };
  const auto cost = [](const Array& x, const Array& u) {
    return numpy::sum(x * x) + 0.1 * numpy::sum(u * u) + 0.02 * x[0] * u[1];
  };
  const auto last = [](const Array& x) { return 5 * numpy::sum(x * x); };
  const Array start = numpy::array({1.0, -0.5, 0.3, 0.0, 0.2, 0.0}), plan = numpy::zeros({30, 2});
  const auto total = [&](const Array& flat) {
    const Array inputs = flat.reshape({30, 2}), states = robotics::roll_out(next, start, inputs);
    return numpy::sum(vmap(cost)(states[range(0, -1)], inputs)) + last(states[-1]);
  };
  const auto optimum = [&](const Array& flat) {
    return total(flat - linalg::solve(hessian(total)(flat), grad(total)(flat)));
  };
  const auto iterate = [&](const Array& from) {
    const robotics::Planned old{from, robotics::roll_out(next, start, from), total(from.reshape({60}))};
    return robotics::ilqr_iteration(next, cost, last, old, 0.0, 2).cost;
  };
  return {jit(iterate)(plan), jit(optimum)(plan.reshape({60}))};
}

int main() {
  or_throw(config().update("jax_enable_x64", true));
  const auto [by_iteration, optimum] = of_carts();

  constexpr double kStep = 0.02;
  const robotics::Model arm = robotics::load_urdf(HILO_EXAMPLE_DATA "/arm.urdf");
  const int64_t n = arm.size();
  const auto next = [&](const Array& state, const Array& torque) {
    const Array q = state[range(0, n)], speed = state[range(n, none)];
    const Array faster = speed + kStep * robotics::forward_dynamics(arm, q, speed, torque);
    return numpy::concatenate({q + kStep * faster, faster});
  };
  const Array goal = numpy::array({0.5, 0.8, 0.0, 1.0, 0.0, -0.5, 0.3});
  const auto away = [&](const Array& state) {
    return numpy::sum(numpy::square(state[range(0, n)] - goal)) +
           0.1 * numpy::sum(numpy::square(state[range(n, none)]));
  };
  const auto cost = [&](const Array& state, const Array& torque) {
    return kStep * (away(state) + 1e-4 * numpy::sum(torque * torque));
  };
  const auto last = [&](const Array& state) { return 100 * away(state); };
  const Array start = numpy::concatenate({numpy::full({n}, 0.1), numpy::zeros({n})});
  // Torques that hold the arm at the start.
  const Array hold = jit([&](const Array& q) {
    return robotics::inverse_dynamics(arm, q, numpy::zeros({n}), numpy::zeros({n}));
  })(start[range(0, n)]);
  const auto solve =
      jit([&](const Array& from, const Array& plan) { return robotics::ilqr(next, cost, last, from, plan, 30); });
  const robotics::Planned found = solve(start, numpy::tile(hold, {50, 1}));
  const Array off = numpy::max(numpy::abs(found.states[-1] - numpy::concatenate({goal, numpy::zeros({n})})));
  const Array most = numpy::max(numpy::abs(found.plan));
  std::printf("cost %.4f, largest torque %.1f Nm\n", found.cost.item<double>(), most.item<double>());
  return compare_with(
      "exact", "plan",
      {{"carts, one iteration", by_iteration, optimum.item<double>()}, {"arm, distance from the goal", off / 100, 0}},
      1e-4);
}
