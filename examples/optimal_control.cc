// SPDX-License-Identifier: Apache-2.0
// examples/optimal_control.cc -- brings a pendulum to rest at an angle within 1,000 steps and limits of the torque, by
// an interior-point method. States, torques and multipliers of all steps are one vector of 5,000 numbers. Each Newton
// step computes the sparse Jacobian of the optimality conditions by colouring, and solves with its sparse factors.
#include <cstdio>

#include "hilo/hilo.h"

using namespace hilo;

constexpr int64_t kSteps = 1000, kPerStep = 5;  // angle, speed, torque, two multipliers
constexpr double kStep = 0.01, kGoal = 0.5, kMost = 6.0;

struct Trajectory {
  Array state, torque, multiplier;  // [steps, 2], [steps], [steps, 2]
};
Trajectory trajectory(const Array& z) {
  const Array rows = z.reshape({kSteps, kPerStep});
  return {rows(all, range(0, 2)), rows(all, 2), rows(all, range(3, 5))};
}

// The states after one step from each state.
Array moved(const Array& state, const Array& torque) {
  const Array angle = state(all, 0), speed = state(all, 1);
  const Array faster = speed + kStep * (torque - 9.81 * numpy::sin(angle) - 0.1 * speed);
  return numpy::stack({angle + kStep * faster, faster}, {.axis = 1});
}

Array lagrangian(const Array& z, const Array& start, const Array& barrier) {
  const Trajectory t = trajectory(z);
  const Array before = numpy::concatenate({numpy::expand_dims(start, 0), t.state[range(0, -1)]}, 0);
  const Array away = t.state(all, 0) - kGoal, speed = t.state(all, 1);
  const Array cost = away * away + 0.1 * speed * speed + 0.001 * t.torque * t.torque;
  const Array room = 1 - numpy::square(t.torque / kMost);
  return kStep * numpy::sum(cost - barrier * numpy::log(room)) +
         numpy::sum(t.multiplier * (t.state - moved(before, t.torque)));
}

// The optimality conditions. NaN outside of the limits, so that Newton steps stay within.
Array conditions(const Array& z, const Array& start, const Array& barrier) {
  const Array slope = grad([&](const Array& v) { return lagrangian(v, start, barrier); })(z);
  const Array inside = numpy::all(numpy::abs(trajectory(z).torque) < kMost);
  return numpy::where(inside, slope, numpy::nan);
}

// A step's conditions depend on its own numbers, on the states before and on the multipliers after it. Multipliers
// don't depend on each other.
SparsityPattern pattern() {
  SparsityPattern p{kSteps * kPerStep, kSteps * kPerStep, {}};
  const auto is_multiplier = [](int64_t k) { return k % kPerStep >= 3; };
  for (int64_t row = 0; row < p.rows; ++row) {
    const int64_t step = row / kPerStep, end = std::min(kSteps, step + 2) * kPerStep;
    for (int64_t column = std::max<int64_t>(0, step - 1) * kPerStep; column < end; ++column) {
      const int64_t apart = column / kPerStep - step;
      const bool own = apart == 0 && !(is_multiplier(row) && is_multiplier(column));
      const bool linked =
          apart != 0 && is_multiplier(row) != is_multiplier(column) && is_multiplier(apart > 0 ? column : row);
      if (own || linked) p.entries.emplace_back(row, column);
    }
  }
  return p;
}

int main() {
  or_throw(config().update("jax_enable_x64", true));
  const SparsityPattern sparsity = pattern();
  // The optimum for one size of the barrier, from that for a larger one.
  const auto solve = jit([&](const Array& z, const Array& start, const Array& barrier) {
    const auto f = [=](const Array& v) { return conditions(v, start, barrier); };
    return scipy::optimize::sparse_root(f, z, sparsity, {.tol = 1e-9, .maxiter = 100});
  });
  const Array start = numpy::array({2.5, 0.0});
  Array z = numpy::zeros({kSteps * kPerStep}), barrier = 10.0;
  bool right = true;
  int steps = 0;
  for (int k = 0; k < 10; ++k, barrier = 0.25 * barrier) {
    const auto found = solve(z, start, barrier);
    z = found.x;
    right = right && found.success.item<bool>();
    steps += found.nit.item<int>();
  }
  const Trajectory t = trajectory(z);
  const double torque = numpy::max(numpy::abs(t.torque)).item(), end = t.state(kSteps / 2, 0).item();
  std::printf("%d Newton steps, largest torque %.3f, angle half way %.3f\n", steps, torque, end);
  right = right && torque < kMost && torque > 0.99 * kMost && std::abs(end - kGoal) < 0.05;
  std::printf("optimal control: %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
