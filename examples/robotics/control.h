// SPDX-License-Identifier: Apache-2.0
// examples/robotics/control.h -- controllers for any system: `next(state, input)` returns the state after a step.
// States f[n] and inputs f[m] are vectors; a plan is the inputs of all steps, f[steps, m].
#pragma once

#include "hilo/hilo.h"

namespace robotics {

/// Returns the states before each step and after the last: f[steps + 1, n].
template <typename Next>
hilo::Array roll_out(const Next& next, const hilo::Array& start, const hilo::Array& plan) {
  using namespace hilo;
  const auto step = [&](const Array& state, const Array& input) {
    const Array after = next(state, input);
    return std::pair(after, after);
  };
  return numpy::concatenate({start(newaxis, all), lax::scan(step, start, plan).second}, 0);
}

/// Options of mppi().
struct Mppi {
  int64_t samples = 256;                      ///< plans that are tried
  double deviation = 1;                       ///< of the noise in each input
  double temperature = 1;                     ///< a plan's weight is exp(-cost / temperature)
  double least = -INFINITY, most = INFINITY;  ///< limits of the inputs
};

/// Returns a better plan by model predictive path integral control (MPPI): the mean of random plans around `plan`,
/// weighted by their costs. `cost(state, input)` is the cost of a step, `last(state)` that of the end. It needs no
/// derivatives.
template <typename Next, typename Cost, typename Last>
hilo::Array mppi(const Next& next, const Cost& cost, const Last& last, const hilo::Array& start,
                 const hilo::Array& plan, const hilo::random::Key& key, const Mppi& options = {}) {
  using namespace hilo;
  const Array noise = random::normal(key, {options.samples, plan.shape(0), plan.shape(1)}, plan.dtype());
  const Array plans = numpy::clip(plan + options.deviation * noise, options.least, options.most);
  const auto cost_of = [&](const Array& inputs) {
    const auto step = [&](const std::pair<Array, Array>& so_far, const Array& input) {
      const auto& [state, sum] = so_far;
      return std::pair(std::pair(next(state, input), sum + cost(state, input)), std::nullopt);
    };
    const auto [end, sum] = lax::scan(step, std::pair(start, numpy::zeros({}, start.dtype())), inputs).first;
    return sum + last(end);
  };
  const Array weights = nn::softmax(-vmap(cost_of)(plans) / options.temperature);
  return numpy::tensordot(weights, plans, 1);
}

/// A plan, its states and its cost.
struct Planned {
  hilo::Array plan, states, cost;
  HILO_TREE(plan, states, cost)
};

namespace detail {

/// How the input of a step answers to the state: input += gain (state - planned state) + size change.
struct Answer {
  hilo::Array gain, change;
  HILO_TREE(gain, change)
};

/// Returns the answers of all steps: a Riccati recursion from the end.
template <typename Next, typename Cost, typename Last>
Answer answers(const Next& next, const Cost& cost, const Last& last, const hilo::Array& states, const hilo::Array& plan,
               const hilo::Array& damping) {
  using namespace hilo;
  const auto step = [&](const std::pair<Array, Array>& after, const std::pair<Array, Array>& at) {
    const auto& [slope, curve] = after;
    const auto& [x, u] = at;
    const auto [a, b] = jacfwd<0, 1>(next)(x, u);
    const auto [cost_x, cost_u] = grad<0, 1>(cost)(x, u);
    const Array cost_xx = hessian([&](const Array& y) { return cost(y, u); })(x);
    const Array cost_uu = hessian([&](const Array& v) { return cost(x, v); })(u);
    const Array cost_ux =
        jacfwd([&](const Array& y) { return grad([&](const Array& v) { return cost(y, v); })(u); })(x);
    const Array ca = numpy::matmul(curve, a), cb = numpy::matmul(curve, b);
    const Array qx = cost_x + numpy::matmul(slope, a), qu = cost_u + numpy::matmul(slope, b);
    const Array qxx = cost_xx + numpy::matmul(a.T(), ca), qux = cost_ux + numpy::matmul(b.T(), ca);
    const Array quu = cost_uu + numpy::matmul(b.T(), cb) + damping * numpy::eye(u.shape(0));
    const Array solved = -linalg::solve(quu, numpy::concatenate({qux, qu(all, newaxis)}, 1));
    const Array gain = solved(all, range(0, -1)), change = solved(all, -1);
    const Array before = qxx + numpy::matmul(qux.T(), gain);
    return std::pair(std::pair(qx + numpy::matmul(qux.T(), change), 0.5 * (before + before.T())), Answer{gain, change});
  };
  const Array end = states[-1];
  return lax::scan(step, std::pair(grad(last)(end), hessian(last)(end)), std::pair(states[range(0, -1)], plan),
                   {.reverse = true})
      .second;
}

}  // namespace detail

/// Returns the plan and its states: each input answers to the states that it really meets.
template <typename Next, typename Cost, typename Last>
Planned answered(const Next& next, const Cost& cost, const Last& last, const Planned& old, const detail::Answer& answer,
                 const hilo::Array& size) {
  using namespace hilo;
  const auto step = [&](const std::pair<Array, Array>& so_far, const auto& at) {
    const auto& [state, sum] = so_far;
    const auto& [x, u, gain, change] = at;
    const Array input = u + numpy::matmul(gain, state - x) + size * change;
    const Array after = next(state, input);
    return std::pair(std::pair(after, sum + cost(state, input)), std::pair(input, after));
  };
  const Array start = old.states[0];
  const auto [end, results] = lax::scan(step, std::pair(start, numpy::zeros({}, start.dtype())),
                                        std::tuple(old.states[range(0, -1)], old.plan, answer.gain, answer.change));
  return {results.first, numpy::concatenate({start(newaxis, all), results.second}, 0), end.second + last(end.first)};
}

/// Returns a better plan by one iteration of the iterative linear-quadratic regulator (iLQR). It computes the
/// linear-quadratic optimum around the plan, and tries steps of full, half, quarter size and so on towards it. If no
/// size improves the plan, it is returned unchanged.
template <typename Next, typename Cost, typename Last>
Planned ilqr_iteration(const Next& next, const Cost& cost, const Last& last, const Planned& old,
                       const hilo::Operand& damping = 1e-6, int64_t sizes = 8) {
  using namespace hilo;
  const detail::Answer answer = detail::answers(next, cost, last, old.states, old.plan, Array(damping));
  const Array all_sizes = numpy::power(0.5, numpy::arange(0.0, static_cast<double>(sizes)));
  const Planned tried =
      vmap([&](const Array& size) { return robotics::answered(next, cost, last, old, answer, size); })(all_sizes);
  const Array costs = numpy::where(numpy::isfinite(tried.cost), tried.cost, INFINITY);
  const Array best = numpy::argmin(costs), better = costs[best] < old.cost;
  return tree_map([&](const Array& a, const Array& b) { return numpy::where(better, a[best], b); }, tried, old);
}

/// Returns the plan after `iterations` iterations from `plan`.
template <typename Next, typename Cost, typename Last>
Planned ilqr(const Next& next, const Cost& cost, const Last& last, const hilo::Array& start, const hilo::Array& plan,
             int64_t iterations) {
  using namespace hilo;
  const Array states = robotics::roll_out(next, start, plan);
  const Array sum = numpy::sum(vmap(cost)(states[range(0, -1)], plan)) + last(states[-1]);
  return lax::fori_loop(
      0, iterations, [&](const Array&, const Planned& old) { return robotics::ilqr_iteration(next, cost, last, old); },
      Planned{plan, states, sum});
}

}  // namespace robotics
