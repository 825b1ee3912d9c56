// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/linesearch.h"

#include <string_view>

#include "hilo/array/refuse.h"
#include "hilo/optim/leaves.h"
#include "hilo/scipy/optimize/interpolation.h"

namespace hilo::optim {

using namespace leaves;  // arithmetic of leaves
using scipy::optimize::LinePoint;

namespace {

/// The arguments of update that a line search needs.
struct Loss {
  Leaves params, updates, grad;
  Array value;
  std::function<Array(const Leaves&)> value_fn;

  Leaves at(const Array& step) const {
    return map([&](const Array& p, const Array& u) { return numpy::astype(p + step * u, p.dtype()); }, params, updates);
  }
  /// Returns the directional derivative along the updates, for a gradient.
  Array slope(const Leaves& gradient) const {
    Array sum = numpy::zeros({}, value.dtype());
    for (size_t i = 0; i < gradient.size(); ++i)
      sum = sum + numpy::astype(numpy::real(numpy::sum(gradient[i] * updates[i])), value.dtype());
    return sum;
  }
};
Loss loss_of(const char* name, const Leaves& updates, const Given& inputs) {
  const Leaves& params = params_of(name, inputs);
  if (!inputs.value || !inputs.grad || !inputs.value_fn)
    refuse(name,
           "update needs the loss at the parameters, its gradient there, and the loss as a function. Hint: "
           "update(updates, state, params, {.value = value, .grad = gradients, .value_fn = loss})");
  const Array& value = *inputs.value;
  if (value.ndim() != 0 || !is_floating(value.dtype()))
    refuse(name, "value must be a real scalar; got " + value.aval_shape().to_string());
  return {params, updates, *inputs.grad, numpy::astype(value, value.dtype()), inputs.value_fn};
}

Array scalar(double value, const Array& like) { return numpy::full({}, value, like.dtype()); }
/// Returns a number in the real type of the first parameter, for the state.
Array number_like(const Leaves& params, double value) {
  return numpy::full({}, value, real_type_of(params.empty() ? default_float() : params[0].dtype()));
}
/// Returns x, but at least 0; infinity for NaN.
Array as_error(const Array& x) { return numpy::where(numpy::isnan(x), numpy::inf, numpy::maximum(x, 0.0)); }
Leaves chosen(const Array& condition, const Leaves& a, const Leaves& b) {
  return map([&](const Array& x, const Array& y) { return numpy::where(condition, x, y); }, a, b);
}
Leaves scaled(const Leaves& updates, const Array& rate) {
  return map([&](const Array& u) { return numpy::astype(rate * u, u.dtype()); }, updates);
}

}  // namespace

GradientTransformation scale_by_backtracking_linesearch(int64_t max_steps, const BacktrackingOptions& o) {
  constexpr const char* kName = "scale_by_backtracking_linesearch";
  struct Trial {
    Array rate, value, error, steps;
  };
  return {[=](const Parameters& p) {
            const Array infinite = number_like(p.arrays, numpy::inf);
            OptState state{kName,
                           {{"learning_rate", {number_like(p.arrays, 1.0)}},
                            {"value", {infinite}},
                            {"num_linesearch_steps", {no_steps()}},
                            {"decrease_error", {infinite}}}};
            if (o.store_grad) state.fields["grad"] = zeros_like(p.arrays);
            return state;
          },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            const Array before = field(state, kName, "learning_rate")[0];
            const Loss loss = loss_of(kName, updates, inputs);
            const Array slope = loss.slope(loss.grad);
            const auto shortened = [&](const Trial& t) -> Trial {
              const Array rate = numpy::where(t.steps > 0, o.decrease_factor * t.rate, t.rate);
              const Array value = detail::cast_like(loss.value_fn(loss.at(rate)), loss.value);
              const Array error = as_error(value - (1.0 + o.rtol) * loss.value - rate * o.slope_rtol * slope);
              return {rate, value, error, t.steps + 1};
            };
            const Array first = numpy::minimum(o.increase_factor * before, o.max_learning_rate);
            const Trial last = lax::while_loop(
                [&](const Trial& t) { return ~(t.error <= o.atol) & (t.steps <= max_steps); }, shortened,
                Trial{detail::cast_like(first, loss.value), loss.value, scalar(numpy::inf, loss.value), no_steps()});
            // If no rate has a finite loss, the step is 0.
            const Array rate = numpy::where(numpy::isinf(last.error), 0.0, last.rate);
            OptState next{kName,
                          {{"learning_rate", {detail::cast_like(rate, before)}},
                           {"value", {detail::cast_like(last.value, before)}},
                           {"num_linesearch_steps", {last.steps}},
                           {"decrease_error", {detail::cast_like(last.error, before)}}}};
            if (o.store_grad) next.fields["grad"] = grad(loss.value_fn)(loss.at(last.rate));
            return Updated{scaled(updates, rate), next};
          }};
}

namespace {

/// A search for a step: first for an interval, then inside it.
struct Search {
  Array count;
  LinePoint now;
  Leaves grad;
  Array decrease_error, curvature_error;
  Array interval_found, done, failed;
  LinePoint low, high;
  Array last, value_last;  ///< interval end that was discarded last
  Array safe_step, safe_value;
  Leaves safe_grad;  ///< gradient at a step that at least decreases the value enough
};

/// A tried step, for both phases: the point, and the violation of the conditions.
struct Tried {
  LinePoint point;
  Leaves grad;
  Array decrease_error, curvature_error;
};
Tried tried(const Loss& loss, const Array& start_slope, const Array& step, const ZoomLinesearchOptions& o) {
  const auto [at_step, gradient] = value_and_grad(loss.value_fn)(loss.at(step));
  const Array value = detail::cast_like(at_step, loss.value), slope = loss.slope(gradient);
  Array decrease = value - loss.value - o.slope_rtol * step * start_slope;
  if (o.approx_dec_rtol) {
    const Array by_slope = slope - (2 * o.slope_rtol - 1.0) * start_slope;
    const Array rise = value - loss.value - *o.approx_dec_rtol * numpy::abs(loss.value);
    decrease = numpy::minimum(numpy::maximum(by_slope, rise), decrease);
  }
  const Array curvature = numpy::abs(slope) - o.curv_rtol * numpy::abs(start_slope);
  return {{step, value, slope}, map(detail::cast_like, gradient, loss.grad), as_error(decrease), as_error(curvature)};
}

/// Advances the search by a tried step. `safer` marks it as the best known fallback if the conditions cannot be met.
Search moved_to(const Search& s, const Tried& t, const Array& safer) {
  Search next = s;
  next.count = leaves::safe_increment(s.count);
  next.now = t.point, next.grad = t.grad;
  next.decrease_error = t.decrease_error, next.curvature_error = t.curvature_error;
  next.safe_step = numpy::where(safer, t.point.step, s.safe_step);
  next.safe_value = numpy::where(safer, t.point.value, s.safe_value);
  next.safe_grad = chosen(safer, t.grad, s.safe_grad);
  return next;
}
Array meets_both(const Tried& t, double tol) { return numpy::maximum(t.decrease_error, t.curvature_error) <= tol; }

/// Increases the step until an interval is found that contains a step with both conditions.
Search grow(const Loss& loss, const Search& s, const Array& start_slope, const Array& guess, int64_t max_steps,
            const ZoomLinesearchOptions& o) {
  const Array first = s.count == 0;
  Array step = numpy::where(first, guess, o.increase_factor * s.now.step);
  Array at_maximum = numpy::zeros({}, ElementType::kPred);
  if (o.max_learning_rate) {
    at_maximum = step >= *o.max_learning_rate;
    step = numpy::minimum(step, *o.max_learning_rate);
  }
  const Tried t = tried(loss, start_slope, step, o);
  const Array beyond = (t.decrease_error > 0) | ((t.point.value >= s.now.value) & ~first);
  const Array rising = (t.point.slope >= 0) & ~beyond, good = meets_both(t, o.tol);
  Search next = moved_to(s, t, t.decrease_error <= o.tol);
  next.low = where(rising, t.point, s.now), next.high = where(rising, s.now, t.point);
  next.last = next.low.step, next.value_last = next.low.value;
  next.interval_found = beyond | rising | good;
  next.done = good | (at_maximum & ~next.interval_found);
  next.failed = (s.count + 1 >= max_steps) & ~next.done;
  return next;
}

/// Tries a step inside the interval, which then becomes one of its ends.
Search narrow(const Loss& loss, const Search& s, const Array& start_slope, int64_t max_steps,
              const ZoomLinesearchOptions& o) {
  const Array width = numpy::abs(s.high.step - s.low.step), always = numpy::ones({}, ElementType::kPred);
  const Array step = scipy::optimize::step_between(s.low, s.high, s.last, s.value_last, always, width);
  const Tried t = tried(loss, start_slope, step, o);
  const Array high_to_t = (t.decrease_error > 0) | (t.point.value >= s.low.value);
  const Array high_to_low = (t.point.slope * (s.high.step - s.low.step) >= 0) & ~high_to_t;
  const Array high_moves = high_to_t | high_to_low;
  Search next = moved_to(s, t, (t.decrease_error <= o.tol) & (t.point.value < s.safe_value));
  next.high = where(high_to_t, t.point, where(high_to_low, s.low, s.high));
  next.low = where(high_to_t, s.low, t.point);
  next.last = numpy::where(high_moves, s.high.step, s.low.step);
  next.value_last = numpy::where(high_moves, s.high.value, s.low.value);
  next.done = meets_both(t, o.tol);
  const Array too_short = (width <= o.stepsize_precision) & (next.safe_step > 0);
  next.failed = ((s.count + 1 >= max_steps) | too_short) & ~next.done;
  return next;
}

/// A failed search returns the safe step, if there is one or the last loss is not finite.
Search fallen_back(const Search& s) {
  const Array back = s.failed & ((s.safe_step > 0) | numpy::isinf(s.decrease_error));
  Search out = s;
  out.now.step = numpy::where(back, s.safe_step, s.now.step);
  out.now.value = numpy::where(back, s.safe_value, s.now.value);
  out.grad = chosen(back, s.safe_grad, s.grad);
  return out;
}

}  // namespace

GradientTransformation scale_by_zoom_linesearch(int64_t max_steps, const ZoomLinesearchOptions& o) {
  constexpr const char* kName = "scale_by_zoom_linesearch";
  const std::string_view strategy = o.initial_guess_strategy;
  if (strategy != "keep" && strategy != "one")
    refuse(kName, "initial_guess_strategy must be keep or one; got '" + std::string(strategy) + "'");
  const bool keep = strategy == "keep";
  return {[=](const Parameters& p) {
            const Array infinite = number_like(p.arrays, numpy::inf);
            return OptState{kName,
                            {{"learning_rate", {number_like(p.arrays, 1.0)}},
                             {"value", {infinite}},
                             {"grad", zeros_like(p.arrays)},
                             {"num_linesearch_steps", {no_steps()}},
                             {"decrease_error", {infinite}},
                             {"curvature_error", {infinite}}}};
          },
          [=](const Leaves& updates, const OptState& state, const Given& inputs) {
            const Array before = field(state, kName, "learning_rate")[0];
            const Loss loss = loss_of(kName, updates, inputs);
            const Array zero = scalar(0, loss.value), infinite = scalar(numpy::inf, loss.value);
            const Array guess = keep ? detail::cast_like(before, loss.value) : scalar(1, loss.value);
            const Array no = numpy::zeros({}, ElementType::kPred);
            const LinePoint start{zero, loss.value, loss.slope(loss.grad)};
            const auto widen = [&](const Search& s) { return grow(loss, s, start.slope, guess, max_steps, o); };
            const auto zoom = [&](const Search& s) { return narrow(loss, s, start.slope, max_steps, o); };
            const Search end = fallen_back(
                lax::while_loop([](const Search& s) { return ~s.done & ~s.failed; },
                                [&](const Search& s) { return lax::cond(s.interval_found, zoom, widen, s); },
                                Search{no_steps(), start, loss.grad, infinite, infinite, no, no, no, start, start, zero,
                                       loss.value, zero, loss.value, loss.grad}));
            return Updated{scaled(updates, end.now.step),
                           OptState{kName,
                                    {{"learning_rate", {detail::cast_like(end.now.step, before)}},
                                     {"value", {detail::cast_like(end.now.value, before)}},
                                     {"grad", map(detail::cast_like, end.grad, zeros_like(updates))},
                                     {"num_linesearch_steps", {end.count}},
                                     {"decrease_error", {detail::cast_like(end.decrease_error, before)}},
                                     {"curvature_error", {detail::cast_like(end.curvature_error, before)}}}}};
          }};
}

namespace detail {

namespace {
/// Returns the innermost state with both fields, or null.
const OptState* searched(const OptState& state) {
  if (state.fields.contains("value") && state.fields.contains("grad")) return &state;
  for (const OptState& inner : state.inner)
    if (const OptState* found = searched(inner)) return found;
  return nullptr;
}
}  // namespace

std::pair<Array, Leaves> value_and_grad_in(const OptState& state) {
  const OptState* found = searched(state);
  if (found == nullptr)
    refuse("value_and_grad_from_state",
           "the state has no value and gradient. Hint: use a line search that stores them, as "
           "scale_by_backtracking_linesearch(15, {.store_grad = true})");
  return {found->fields.at("value")[0], found->fields.at("grad")};
}
Array is_finite(const Array& value) { return numpy::isfinite(value); }
Array cast_like(const Array& x, const Array& like) { return numpy::astype(x, like.dtype()); }

}  // namespace detail

}  // namespace hilo::optim
