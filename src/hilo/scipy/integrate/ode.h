// SPDX-License-Identifier: Apache-2.0
// scipy/integrate/ode.h -- ordinary differential equations: jax.experimental.ode.odeint, and SciPy's solve_ivp.
#pragma once

#include <source_location>

#include "hilo/numpy/dtypes.h"
#include "hilo/transform/flat_call.h"

namespace hilo::scipy::integrate {

struct OdeintOptions {
  // Tolerances: the error of a step is at most atol + rtol * |y|.
  double rtol = 1.4e-8, atol = 1.4e-8;
  double mxstep = numpy::inf;  ///< maximum number of steps between two times
  double hmax = numpy::inf;    ///< maximum length of a step
};

namespace detail {
/// Implements odeint: `func` maps the leaves of y, followed by t, to the leaves of dy/dt.
std::vector<Array> odeint(const FlatFunction& func, std::span<const Array> y0, const Operand& t,
                          const OdeintOptions& options);
}  // namespace detail

/// Solves dy/dt = func(y, t, args...) with y(t[0]) = y0, and returns y at the times `t`. The result is a pytree like y0
/// whose arrays have a leading axis of times. Step lengths are adaptive.
/// Types      y0: a pytree of real floats; t: a vector of increasing floats
/// Errors     INVALID_ARGUMENT for other types, or if func returns another structure or shape. If mxstep steps don't
///            reach a time, y is NaN from there on
/// Cost       memory for one step; the derivative solves an equation backwards in time and stores y only at the times
///            `t`
/// Gradient   reverse mode, with respect to y0, t, args and captured values (Chen et al., "Neural ordinary differential
///            equations", 2018)
/// Source     Dormand and Prince, "A family of embedded Runge-Kutta formulae" (1980); Shampine, "Some practical
///            Runge-Kutta formulas" (1986), for y between steps; Hairer, Norsett and Wanner, "Solving ordinary
///            differential equations I", section II.4, for the length of the first step
/// Example    const auto decay = [](Array y, Array) { return -y; };
///            odeint(decay, Array(1.0f), numpy::linspace(0, 1, 3))  // [1. 0.6065307 0.36787942]
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

/// Solves the equation for arguments that are arrays, as JAX takes args.
template <typename F, Tree Y, typename... Args>
  requires(sizeof...(Args) > 0 && (std::convertible_to<const Args&, Array> && ...))
Y odeint(const F& func, const Y& y0, const Operand& t, const Args&... args) {
  return scipy::integrate::odeint(func, y0, t, std::tuple(Array(args)...));
}

/// A continuous solution of an ODE. A pytree.
struct OdeSolution {
  Array ts;            ///< [s + 1]: the ends of steps, in order from the start; unused entries repeat the last one
  Array coefficients;  ///< [5, s, n]: polynomials in the fraction of the step, highest power first

  /// Evaluates the solution at a time: y [n]; or at a vector of times: y [n, k]. Outside of the time span, extrapolates
  /// the first or last step.
  Array operator()(const Operand& t) const;
};
struct SolveIvpOptions {
  std::string method = "RK45";                 ///< only RK45 is implemented
  std::optional<Array> t_eval = std::nullopt;  ///< times at which y is returned, in order; default both ends
  bool dense_output = false;  ///< whether to return a continuous solution, of at most `max_steps` steps
  double rtol = 1e-3, atol = 1e-6;
  double max_step = numpy::inf;
  int64_t max_steps = 1000;
};
/// The result of solve_ivp. A pytree.
struct OdeResult {
  Array t, y;                      ///< y [n, k] at the k times t
  std::optional<OdeSolution> sol;  ///< only with dense_output
  Array success;                   ///< whether the end was reached
};
/// Solves dy/dt = fun(t, y) from y(t_span[0]) = y0 to t_span[1], which may be earlier. The arguments are SciPy's. The
/// number of steps is not known at compile time, so t holds t_eval or both ends.
/// Shapes     y0 [n], fun(t, y) [n]
/// Errors     INVALID_ARGUMENT for another method, shape or type
/// Gradient   y: reverse mode, as odeint; sol: forward mode, through the steps
/// Example    solve_ivp([](Array, Array y) { return -y; }, {0.0, 1.0}, numpy::ones({1})).y.round(3)  // [[1. 0.368]]
OdeResult solve_ivp(const std::function<Array(const Array& t, const Array& y)>& fun,
                    const std::pair<Array, Array>& t_span, const Operand& y0, const SolveIvpOptions& options = {});

}  // namespace hilo::scipy::integrate

namespace hilo::experimental {
namespace ode = scipy::integrate;  ///< JAX's name of the namespace
}  // namespace hilo::experimental
