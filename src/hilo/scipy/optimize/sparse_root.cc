// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/optimize/sparse_root.h"

#include <fmt/format.h>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/custom_solve.h"
#include "hilo/numpy/numpy.h"

namespace hilo::scipy::optimize {
namespace {

using sparse::linalg::Symbolic;

/// x, fun(x) and the number of steps; whether the last step helped.
struct State {
  Array x, fun, steps, moves;
};
/// A trial step: its length, its end and the function there.
struct Trial {
  Array length, x, fun;
};

Array squared(const Array& v) { return numpy::sum(v * v); }

/// Halves the step until the norm decreases enough.
Trial line_search(const VectorFunction& fun, const State& now, const Array& direction) {
  constexpr double kDecrease = 1e-4, kShortest = 1e-9;
  const Array before = squared(now.fun);
  const auto at = [&](const Array& length) {
    const Array x = now.x + length * direction;
    return Trial{length, x, fun(x)};
  };
  // NaN is no decrease.
  const auto too_long = [&](const Trial& t) {
    const Array enough = squared(t.fun) <= (1 - 2 * kDecrease * t.length) * before;
    return numpy::logical_and(numpy::logical_not(enough), t.length > kShortest);
  };
  return lax::while_loop(
      too_long, [&](const Trial& t) { return at(0.5 * t.length); }, at(numpy::ones({}, now.x.dtype())));
}

State newton(const VectorFunction& fun, const Array& x0, const SparsityPattern& pattern, const Symbolic& symbolic,
             double tol, int64_t maxiter) {
  const auto jacobian = sparse_jacfwd(fun, pattern);
  const auto more = [&](const State& s) {
    const Array far = numpy::logical_not(numpy::all(numpy::abs(s.fun) <= tol));
    return numpy::logical_and(numpy::logical_and(far, s.moves), s.steps < maxiter);
  };
  const auto step = [&](const State& s) {
    const Array direction = -symbolic.solve(jacobian(s.x).data, s.fun);
    const Trial trial = line_search(fun, s, direction);
    const Array helps = squared(trial.fun) < squared(s.fun);
    return State{numpy::where(helps, trial.x, s.x), numpy::where(helps, trial.fun, s.fun), s.steps + 1, helps};
  };
  return lax::while_loop(more, step, State{x0, fun(x0), numpy::zeros({}, int32), numpy::ones({}, bool_)});
}

void check(const Array& x0, const SparsityPattern& pattern) {
  const bool is_float = x0.dtype() == ElementType::kF32 || x0.dtype() == ElementType::kF64;
  if (x0.ndim() == 1 && is_float && x0.size() == pattern.rows && pattern.rows == pattern.columns) return;
  or_throw(invalid_argument(
      fmt::format("{}: x0 is {} and the pattern [{}, {}]; wanted a vector of floats and a square "
                  "pattern of its size",
                  at_user_line("sparse_root"), x0.aval_shape().to_string(), pattern.rows, pattern.columns)));
}

}  // namespace

SparseRootResults sparse_root(const VectorFunction& fun, const Operand& x0, const SparsityPattern& pattern,
                              const SparseRootOptions& options, std::source_location location) {
  const UserLocation here(location);
  check(x0.array(), pattern);
  const double tol = options.tol.value_or(x0.array().dtype() == ElementType::kF64 ? 1.5e-8 : 3.5e-4);
  const Symbolic symbolic = sparse::linalg::analyze(pattern, {.factorization = options.factorization});
  const auto solve = has_aux([&](const auto& f, const Array& guess) {
    const State end = newton([&](const Array& x) { return f(x); }, guess, pattern, symbolic, tol, options.maxiter);
    return std::pair(end.x, std::pair(end.fun, end.steps));
  });
  const auto tangent_solve = [&](const auto& slope, const Array& y) {
    const VectorFunction linear = [&](const Array& x) { return slope(x); };
    return symbolic.solve(sparse_jacfwd(linear, pattern)(y).data, y);
  };
  const auto [x, aux] = lax::custom_root(fun, x0.array(), solve, tangent_solve, location);
  const Array value = stop_gradient(aux.first);
  return {x, value, aux.second, numpy::all(numpy::abs(value) <= tol)};
}

}  // namespace hilo::scipy::optimize
