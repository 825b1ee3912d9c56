// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/optimize/line_search.h"

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/scipy/optimize/interpolation.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::optimize {

namespace {

Array no() { return numpy::zeros({}, ElementType::kPred); }

/// The line, and the conditions for a step along it.
struct Line {
  std::function<std::pair<LinePoint, Array>(const Array& step)> at;  ///< returns the point and its gradient
  LinePoint start;
  double c1, c2;
  Array too_high(const LinePoint& p) const { return p.value > start.value + c1 * p.step * start.slope; }
  Array flat(const LinePoint& p) const { return numpy::abs(p.slope) <= -c2 * start.slope; }
};

/// A search in an interval: `low` has the least value so far; a suitable step is between it and `high`.
struct Zoom {
  Array done, failed, j;
  LinePoint low, high;
  Array last, value_last;  ///< interval end that was discarded last
  LinePoint best;
  Array gradient;
};

Zoom zoom_step(const Line& line, const Zoom& z) {
  const Array width = z.high.step - z.low.step;
  // As in JAX, an interval with reversed ends counts as too small.
  const double least = width.dtype() == ElementType::kF64 ? 1e-10 : 1e-5;
  const auto [p, gradient] = line.at(step_between(z.low, z.high, z.last, z.value_last, z.j > 0, width));
  const Array high_to_p = line.too_high(p) | (p.value >= z.low.value), done = line.flat(p) & ~high_to_p;
  const Array low_to_p = ~high_to_p & ~done, high_to_low = low_to_p & (p.slope * width >= 0);
  const Array high_moves = high_to_p | high_to_low;
  const auto given_up = [&](const Array& high, const Array& low, const Array& last) {
    return numpy::where(high_moves, high, numpy::where(low_to_p, low, last));
  };
  const Array j = z.j + 1;
  return {z.done | done,
          z.failed | (width <= least) | (j >= 30),
          j,
          where(low_to_p, p, z.low),
          where(high_to_p, p, where(high_to_low, z.low, z.high)),
          given_up(z.high.step, z.low.step, z.last),
          given_up(z.high.value, z.low.value, z.value_last),
          where(done, p, z.best),
          numpy::where(done, gradient, z.gradient)};
}

/// Runs only if `condition` is true.
Zoom zoom(const Line& line, const LinePoint& low, const LinePoint& high, const Array& gradient,
          const Array& condition) {
  const Zoom first{no(),
                   ~condition,
                   numpy::zeros({}, default_integer()),
                   low,
                   high,
                   (low.step + high.step) / 2.0,
                   (low.value + high.value) / 2.0,
                   {numpy::ones_like(low.step), low.value, low.slope},
                   gradient};
  Zoom last = lax::while_loop([](const Zoom& z) { return ~z.done & ~z.failed; },
                              [&](const Zoom& z) { return zoom_step(line, z); }, first);
  last.failed = last.failed & condition;
  return last;
}

/// Increases the step until it meets the conditions, or until an interval is known to contain a suitable step.
struct Growth {
  Array done, failed, i;
  LinePoint before;
  Array evaluations;
  LinePoint best;
  Array gradient;
};

Growth grown(const Line& line, const Growth& g, const Array& start_step, const Array& start_gradient) {
  const Array first = g.i == 1;
  const auto [p, gradient] = line.at(numpy::where(first, start_step, g.before.step * 2.0));
  const Array beyond = line.too_high(p) | ((p.value >= g.before.value) & ~first);
  const Array found = line.flat(p) & ~beyond, rising = (p.slope >= 0) & ~beyond & ~found;
  const Zoom z = zoom(line, where(beyond, g.before, p), where(beyond, p, g.before), start_gradient, beyond | rising);
  const Array zoomed = beyond | rising;
  return {g.done | zoomed | found,
          g.failed | z.failed,
          g.i + 1,
          p,
          g.evaluations + 1 + z.j,
          where(zoomed, z.best, where(found, p, g.best)),
          numpy::where(zoomed, z.gradient, numpy::where(found, gradient, g.gradient))};
}

}  // namespace

LineSearchResults line_search(const Objective& f, const Operand& from, const Operand& along,
                              const LineSearchOptions& o) {
  const UserLocation here(from.location());
  const auto [xk, pk] = numpy::promote_inexact(from.array(), along.array());
  const auto slope_of = [&](const Array& gradient, const Array& p) { return numpy::real(numpy::dot(gradient, p)); };
  const Array origin = xk, direction = pk;  // a lambda cannot capture a structured binding
  const bool known = o.old_fval && o.gfk;
  Array value0, gradient0;
  if (known) value0 = *o.old_fval, gradient0 = *o.gfk;
  else std::tie(value0, gradient0) = value_and_grad(f)(origin);
  const ElementType type = value0.dtype();
  const Array slope0 = numpy::astype(slope_of(gradient0, direction), type);
  const auto at = [&](const Array& step) {
    const auto [value, gradient] = value_and_grad(f)(origin + numpy::astype(step, direction.dtype()) * direction);
    const Array slope = numpy::astype(slope_of(gradient, direction), type);
    return std::pair(LinePoint{step, numpy::astype(value, type), slope}, numpy::astype(gradient, gradient0.dtype()));
  };
  const LinePoint start{numpy::zeros({}, type), value0, slope0};
  const Line line{at, start, o.c1, o.c2};
  Array first_step = numpy::ones({}, type);
  if (o.old_old_fval) {
    const Array guess = 1.01 * 2.0 * (value0 - *o.old_old_fval) / slope0;
    first_step = numpy::astype(numpy::where(guess > 1, 1.0, guess), type);
  }
  const Array one = numpy::ones({}, default_integer());
  const Growth begun{no(), no(), one, start, known ? one - 1 : one, start, gradient0};
  const Growth g = lax::while_loop([&](const Growth& s) { return ~s.done & ~s.failed & (s.i <= o.maxiter); },
                                   [&](const Growth& s) { return grown(line, s, first_step, gradient0); }, begun);

  Array step = g.best.step;
  if (type != ElementType::kF64)  // a smaller step would not change x, and the search would restart at the same point
    step = numpy::where(numpy::abs(step) < 1e-8, numpy::sign(step) * 1e-8, step);
  const Array status = numpy::astype(numpy::where(g.failed, 1, numpy::where(g.i > o.maxiter, 3, 0)), default_integer());
  return {g.failed | ~g.done, g.i - 1, g.evaluations, g.evaluations, g.i, step, g.best.value, g.gradient, status};
}

}  // namespace hilo::scipy::optimize
