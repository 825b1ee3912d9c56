// SPDX-License-Identifier: Apache-2.0
// optim/linesearch.h -- learning rates that are searched for along the updates, step by step.
#pragma once

#include "hilo/lax/control_flow.h"
#include "hilo/optim/base.h"
#include "hilo/transform/grad.h"

namespace hilo::optim {

struct BacktrackingOptions {
  double slope_rtol = 1e-4;      ///< the value must fall by so much of what the slope promises
  double decrease_factor = 0.8;  ///< of the rate, until it does
  double increase_factor = 1.5;  ///< of the rate of the step before, to begin with
  double max_learning_rate = 1.0;
  double atol = 0.0, rtol = 0.0;  ///< the value may rise by so much
  bool store_grad = false;        ///< the state has the gradient at the end, for value_and_grad_from_state
};
/// Shortens the updates until the loss falls enough. The state has learning_rate, value and, if asked, grad.
/// Needs update(gradients, state, params, {.value = loss, .grad = gradients, .value_fn = loss function}).
/// Errors     INVALID_ARGUMENT where update isn't given these
/// Source     Armijo, "Minimization of functions having Lipschitz continuous first partial derivatives" (1966)
/// Example    chain(sgd(1.0), scale_by_backtracking_linesearch(15))
GradientTransformation scale_by_backtracking_linesearch(int64_t max_backtracking_steps,
                                                        const BacktrackingOptions& options = {});

struct ZoomLinesearchOptions {
  std::optional<double> max_learning_rate = std::nullopt;
  double tol = 0.0;                              ///< by how much both conditions may be missed
  double increase_factor = 2.0;                  ///< of the rate, while no interval is found
  double slope_rtol = 1e-4, curv_rtol = 0.9;     ///< the value falls enough, the slope flattens enough
  std::optional<double> approx_dec_rtol = 1e-6;  ///< near the least value the slope says whether it falls; none: never
  double stepsize_precision = 1e-5;              ///< an interval this short ends the search
  const char* initial_guess_strategy = "keep";   ///< the rate of the step before; or one
};
/// Scales the updates so that they meet both Wolfe conditions: the loss falls and its slope flattens. The state has
/// learning_rate, value, grad and what of the conditions is missed. Needs what scale_by_backtracking_linesearch needs.
/// Source     Nocedal and Wright, "Numerical optimization" (2006), algorithms 3.5 and 3.6; Hager and Zhang, "Algorithm 851:
///            CG_DESCENT" (2006)
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
/// The value and gradient that a line search left in the state.
/// Errors    INVALID_ARGUMENT where there are none
std::pair<Array, Leaves> value_and_grad_in(const OptState& state);
Array is_finite(const Array& value);
/// In the type of `like`.
Array cast_like(const Array& x, const Array& like);
}  // namespace detail

struct StateOption {
  OptState state;
};
/// What value_and_grad_from_state returns.
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
/// value_and_grad of a loss, which takes both from the state of a line search where they are there already: f(params, state).
/// Errors     INVALID_ARGUMENT for a state without them
/// Example    const auto [value, gradients] = value_and_grad_from_state(loss)(params, {.state = state});
template <typename F>
ValueAndGradFromState<F> value_and_grad_from_state(F value_fn) {
  return {std::move(value_fn)};
}

}  // namespace hilo::optim
