// SPDX-License-Identifier: Apache-2.0
// optim/linesearch.h -- learning rates found by a line search along the updates, in each step.
#pragma once

#include "hilo/lax/control_flow.h"
#include "hilo/optim/base.h"
#include "hilo/transform/grad.h"

namespace hilo::optim {

struct BacktrackingOptions {
  double slope_rtol = 1e-4;      ///< required decrease, as a fraction of the decrease that the slope predicts
  double decrease_factor = 0.8;  ///< factor of the rate while the decrease is too small
  double increase_factor = 1.5;  ///< factor of the previous rate for the first trial
  double max_learning_rate = 1.0;
  double atol = 0.0, rtol = 0.0;  ///< tolerances by which the value may rise
  bool store_grad = false;        ///< whether the state stores the final gradient, for value_and_grad_from_state
};
/// Shortens the updates until the loss decreases enough. The state has learning_rate, value and, if requested, grad.
/// Call update(gradients, state, params, {.value = loss, .grad = gradients, .value_fn = loss function}).
/// Errors     INVALID_ARGUMENT if update lacks these arguments
/// Source     Armijo, "Minimization of functions having Lipschitz continuous first partial derivatives" (1966)
/// Example    chain(sgd(1.0), scale_by_backtracking_linesearch(15))
GradientTransformation scale_by_backtracking_linesearch(int64_t max_backtracking_steps,
                                                        const BacktrackingOptions& options = {});

struct ZoomLinesearchOptions {
  std::optional<double> max_learning_rate = std::nullopt;
  double tol = 0.0;                           ///< tolerance of both conditions
  double increase_factor = 2.0;               ///< factor of the rate while no interval is found
  double slope_rtol = 1e-4, curv_rtol = 0.9;  ///< parameters of the sufficient decrease and the curvature condition
  /// near the minimum, tests the decrease by the slope; nullopt never does
  std::optional<double> approx_dec_rtol = 1e-6;
  double stepsize_precision = 1e-5;             ///< interval length that ends the search
  const char* initial_guess_strategy = "keep";  ///< "keep" (the rate of the previous step) or "one"
};
/// Scales the updates so that they meet both Wolfe conditions: the loss decreases and its slope flattens. The state has
/// learning_rate, value, grad and the violation of the conditions. Needs the arguments of
/// scale_by_backtracking_linesearch.
/// Source     Nocedal and Wright, "Numerical optimization" (2006), algorithms 3.5 and 3.6; Hager and Zhang, "Algorithm
///            851: CG_DESCENT" (2006)
/// Example    chain(sgd(1.0), scale_by_zoom_linesearch(15))
GradientTransformation scale_by_zoom_linesearch(int64_t max_linesearch_steps,
                                                const ZoomLinesearchOptions& options = {});
template <Number T>
GradientTransformation scale_by_zoom_linesearch(int64_t max_linesearch_steps, T max_learning_rate,
                                                ZoomLinesearchOptions options = ZoomLinesearchOptions()) {
  options.max_learning_rate = static_cast<double>(max_learning_rate);
  return scale_by_zoom_linesearch(max_linesearch_steps, options);
}

namespace detail {
/// Returns the value and the gradient that a line search stored in the state.
/// Errors    INVALID_ARGUMENT if none exist
std::pair<Array, Leaves> value_and_grad_in(const OptState& state);
Array is_finite(const Array& value);
/// Converts to the type of `like`.
Array cast_like(const Array& x, const Array& like);
}  // namespace detail

struct StateOption {
  OptState state;
};
/// The result of value_and_grad_from_state.
template <typename F>
struct ValueAndGradFromState {
  F value_fn;

  template <Tree P>
  std::pair<Array, P> operator()(const P& params, const OptState& state,
                                 std::source_location location = std::source_location::current()) const {
    const UserLocation here(location);
    const auto [value, gradients] = detail::value_and_grad_in(state);
    const std::pair<Array, P> known(value, hilo::unflatten(params, gradients));
    const auto keep = [](const P&, const std::pair<Array, P>& k) { return k; };
    const auto compute = [&](const P& p, const std::pair<Array, P>& k) {
      const auto [v, g] = hilo::value_and_grad(value_fn)(p);
      return std::pair<Array, P>(detail::cast_like(v, k.first), hilo::tree_map(detail::cast_like, g, k.second));
    };
    return lax::cond(detail::is_finite(value), keep, compute, params, known);
  }
  template <Tree P>
  std::pair<Array, P> operator()(const P& params, const StateOption& option,
                                 std::source_location location = std::source_location::current()) const {
    return (*this)(params, option.state, location);
  }
};
/// Returns value_and_grad of a loss that reuses value and gradient from the state of a line search, if available:
/// f(params, state).
/// Errors     INVALID_ARGUMENT for a state without them
/// Example    const auto [value, gradients] = value_and_grad_from_state(loss)(params, {.state = state});
template <typename F>
ValueAndGradFromState<F> value_and_grad_from_state(F value_fn) {
  return {std::move(value_fn)};
}

}  // namespace hilo::optim
