// SPDX-License-Identifier: Apache-2.0
// scipy/integrate/ode.h -- ordinary differential equations: jax.experimental.ode.odeint, and SciPy's solve_ivp.
#pragma once

#include <source_location>

#include "hilo/numpy/dtypes.h"
#include "hilo/transform/flat_call.h"

namespace hilo::scipy::integrate {

struct OdeintOptions {
  // The error of a step is at most atol + rtol |y|.
  double rtol = 1.4e-8, atol = 1.4e-8;
  double mxstep = numpy::inf;  ///< steps from one time to the next
  double hmax = numpy::inf;    ///< the longest step
};

namespace detail {
/// `func` maps the leaves of y, and t behind them, to the leaves of dy/dt.
std::vector<Array> odeint(const FlatFunction& func, std::span<const Array> y0, const Operand& t,
                          const OdeintOptions& options);
}  // namespace detail

/// The solution y at the times `t` of dy/dt = func(y, t, args...), y(t[0]) = y0: a tree like y0 whose arrays have an axis of
/// times in front. Steps are as long as their error allows.
/// Types      y0: a tree of real floats; t: a vector of floats that rise
/// Errors     INVALID_ARGUMENT for other types, or where func gives another tree or shape. Where mxstep steps don't reach a
///            time, y is NaN from there on
/// Cost       memory for one step. Derivatives solve an equation backwards in time and keep y at `t` alone
/// Gradient   in reverse mode, with respect to y0, t, args and whatever func closes over. Source    Chen et al., "Neural ordinary
///            differential equations" (2018)
/// Source     Dormand and Prince, "A family of embedded Runge-Kutta formulae" (1980); Shampine, "Some practical Runge-Kutta
///            formulas" (1986), for y between steps; Hairer, Norsett and Wanner, "Solving ordinary differential equations I",
///            section II.4, for the length of the first step
/// Example    odeint([&](Array y, Array) { return -k * y; }, numpy::ones({2}), numpy::linspace(0, 1, 11))
template <typename F, Tree Y, typename... Args>
Y odeint(const F& func, const Y& y0, const Operand& t, const std::tuple<Args...>& args,
         const OdeintOptions& options = {}) {
  using Slope =
      std::remove_cvref_t<typename flat_call::CallOf<F, std::tuple<const Y&, const Array&, const Args&...>>::Result>;
  static_assert(flat_call::gives<Slope, Y>, "func(y, t, args...) returns dy/dt, of the C++ type of y0");
  const FlatFunction flat = [&](std::span<const Array> leaves) {
    const Y y = hilo::unflatten(y0, leaves.first(leaves.size() - 1));
    const auto slope = tree_detail::apply(
        [&](const auto&... arg) { return flat_call::call_with(func, y, leaves.back(), arg...); }, args);
    return hilo::flatten(flat_call::as<Y>(slope)).leaves;
  };
  return hilo::unflatten(y0, detail::odeint(flat, hilo::flatten(y0).leaves, t, options));
}
template <typename F, Tree Y>
Y odeint(const F& func, const Y& y0, const Operand& t, const OdeintOptions& options = {}) {
  return scipy::integrate::odeint(func, y0, t, std::tuple<>(), options);
}

/// The same of arrays one by one, as JAX takes args.
template <typename F, Tree Y, typename... Args>
  requires(sizeof...(Args) > 0 && (std::convertible_to<const Args&, Array> && ...))
Y odeint(const F& func, const Y& y0, const Operand& t, const Args&... args) {
  return scipy::integrate::odeint(func, y0, t, std::tuple(Array(args)...));
}

/// A solution between its steps. A tree.
struct OdeSolution {
  Array ts;  ///< [s + 1]: where steps end, away from the start; the last one again behind the steps that were needed
  Array coefficients;  ///< [5, s, n]: of a polynomial in the part of the step that is done, the highest power first

  /// y at a time [n], or at a vector of times [n, k]. Outside of the span the first and last step go on.
  Array operator()(const Operand& t) const;
};
struct SolveIvpOptions {
  std::string method = "RK45";                 ///< the only one
  std::optional<Array> t_eval = std::nullopt;  ///< where y is wanted, in order; by default at both ends
  bool dense_output = false;                   ///< y everywhere, by at most `max_steps` steps
  double rtol = 1e-3, atol = 1e-6;
  double max_step = numpy::inf;
  int64_t max_steps = 1000;
};
/// A tree.
struct OdeResult {
  Array t, y;                      ///< y [n, k] at the k times t
  std::optional<OdeSolution> sol;  ///< with dense_output
  Array success;                   ///< the end was reached
};
/// The solution of dy/dt = fun(t, y), y(t_span[0]) = y0, to t_span[1], which may lie before. It is odeint with the arguments of
/// SciPy; since the number of steps isn't known when a program is made, t holds t_eval or the two ends.
/// Shapes     y0 [n], fun(t, y) [n]
/// Errors     INVALID_ARGUMENT for another method, shape or type
/// Gradient   of y in reverse mode, as odeint; of sol in forward mode, through the steps
/// Example    solve_ivp([](Array, Array y) { return -y; }, {0.0, 5.0}, numpy::ones({1}), {.dense_output = true}).sol
OdeResult solve_ivp(const std::function<Array(const Array& t, const Array& y)>& fun,
                    const std::pair<Array, Array>& t_span, const Operand& y0, const SolveIvpOptions& options = {});

}  // namespace hilo::scipy::integrate

namespace hilo::experimental {
namespace ode = scipy::integrate;  ///< as JAX has odeint
}  // namespace hilo::experimental
