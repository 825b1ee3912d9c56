// SPDX-License-Identifier: Apache-2.0
// bench/gradbench/descent.h -- minima of functions that contain derivatives, and derivatives of functions that contain
// minima: GradBench's particle and saddle.
// Source    Pearlmutter and Siskind, "Using programming language theory to make automatic differentiation sound and
//           efficient" (2008)
#pragma once

#include "hilo/hilo.h"

namespace gradbench {

using namespace hilo;

/// Whether a derivative is by reverse mode.
struct Modes {
  bool outer, inner;
};

template <typename F>
Array slope(const F& f, const Array& x, bool reverse) {
  return reverse ? Array(grad(f)(x)) : Array(jacfwd(f)(x));
}

/// Repeats `body` while `going(state)` is true. Reverse mode stores the states of a loop, so the loop has a limit
/// there; a state that is still going at the limit becomes NaN.
template <typename State, typename Going, typename Body>
State repeat(const Going& going, const Body& body, const State& start, bool reverse, int64_t limit) {
  if (!reverse) return lax::while_loop(going, body, start);
  const auto step = [&](const Array&, const State& s) {
    const Array more = going(s);
    return tree_map([&](const Array& next, const Array& now) { return numpy::where(more, next, now); }, body(s), s);
  };
  const State end = lax::fori_loop(0, limit, step, start);
  const Array more = going(end);
  return tree_map([&](const Array& x) { return numpy::where(more, std::nan(""), x); }, end);
}

/// A minimum near `start` by gradient descent. Its step doubles after ten that were good, and is halved for a bad one.
template <typename F>
Array argmin(const F& f, const Array& start, bool reverse, bool differentiated_in_reverse) {
  constexpr double kSmall = 1e-5;
  struct State {
    Array x, value, gradient, size, good, ended;
  };
  const auto length = [](const Array& v) {
    // The slope of a root at 0 is infinite; only comparisons read the length.
    return numpy::sqrt(lax::stop_gradient(numpy::sum(numpy::square(v))));
  };
  const auto body = [&](const State& s) {
    const Array tenth = s.good == 10.0, next = s.x - s.size * s.gradient, value = f(next);
    const Array near = numpy::logical_and(numpy::logical_not(tenth), length(next - s.x) <= kSmall);
    const Array flat = length(s.gradient) <= kSmall, ended = numpy::logical_or(flat, near);
    const Array good = numpy::logical_and(numpy::logical_not(numpy::logical_or(tenth, ended)), value < s.value);
    const Array bad = numpy::logical_not(numpy::logical_or(tenth, numpy::logical_or(ended, good)));
    const auto if_good = [&](const Array& yes, const Array& no) { return numpy::where(good, yes, no); };
    const Array size = s.size * numpy::where(tenth, 2.0, numpy::where(bad, 0.5, 1.0));
    return State{if_good(next, s.x),
                 if_good(value, s.value),
                 if_good(slope(f, next, reverse), s.gradient),
                 numpy::where(ended, s.size, size),
                 if_good(s.good + 1.0, numpy::where(ended, s.good, 0.0)),
                 numpy::where(ended, 1.0, 0.0)};
  };
  const State first = {start, f(start), slope(f, start, reverse), Array(1e-5), Array(0.0), Array(0.0)};
  constexpr int64_t kLimit = 1024;
  return repeat([](const State& s) { return s.ended == 0.0; }, body, first, differentiated_in_reverse, kLimit).x;
}

/// Where a particle between two charges, one of which `w` moves, crosses the axis: the square of its place.
inline Array crossing(const Array& w, bool outer_reverse, bool inner_reverse) {
  constexpr double kStep = 0.1;
  constexpr int64_t kLimit = 1024;
  struct State {
    Array place, speed;
  };
  const Array zero = 0.0 * w, moved = numpy::stack({zero + 10.0, 10.0 - w}), fixed = numpy::array({10.0, 0.0});
  const auto potential = [&](const Array& x) {
    const auto inverse = [&](const Array& from) { return 1.0 / numpy::sqrt(numpy::sum(numpy::square(x - from))); };
    return inverse(moved) + inverse(fixed);
  };
  const auto body = [&](const State& s) {
    return State{s.place + kStep * s.speed, s.speed - kStep * slope(potential, s.place, inner_reverse)};
  };
  const auto above = [&](const State& s) { return s.place[1] + kStep * s.speed[1] > 0.0; };
  const State start = {numpy::stack({zero, zero + 8.0}), numpy::stack({zero + 0.75, zero})};
  const State last = repeat(above, body, start, outer_reverse, kLimit);
  const Array below = last.place + kStep * last.speed;
  return numpy::square(below[0] - below[1] / last.speed[1] * last.speed[0]);
}

inline Array particle(const Array& w, const Modes& modes) {
  const auto f = [&](const Array& x) { return crossing(x, modes.outer, modes.inner); };
  return argmin(f, w, modes.outer, false);
}

/// The point where the squares of x less those of y are least in x and greatest in y: x, then y.
inline Array saddle(const Array& start, const Modes& modes) {
  const auto f = [](const Array& x, const Array& y) { return numpy::sum(x * x) - numpy::sum(y * y); };
  const auto best_y = [&](const Array& x, bool reverse, bool differentiated_in_reverse) {
    return argmin([&](const Array& y) { return -f(x, y); }, start, reverse, differentiated_in_reverse);
  };
  const auto greatest = [&](const Array& x) { return f(x, best_y(x, modes.inner, modes.outer)); };
  const Array x = argmin(greatest, start, modes.outer, false);
  return numpy::concatenate({x, best_y(x, modes.outer, false)}, 0);
}

}  // namespace gradbench
