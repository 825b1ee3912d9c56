// SPDX-License-Identifier: Apache-2.0
// examples/statistics/nuts.h -- the no-U-turn sampler with a warm-up that finds the step and the scale of each
// coordinate. It is one program: vmap runs many chains.
// Source    Hoffman and Gelman, "The no-U-turn sampler" (2014), also for the step; Betancourt, "A conceptual
//           introduction to Hamiltonian Monte Carlo" (2017), appendix A: weights; Phan, Pradhan and Jankowiak,
//           "Composable effects for flexible and accelerated probabilistic programming in NumPyro" (2019): no recursion
#pragma once

#include <cmath>
#include <limits>

#include "hilo/hilo.h"

namespace statistics {

using namespace hilo;

struct NutsOptions {
  int64_t warm_up = 500, samples = 500;
  int64_t max_depth = 8;    ///< a move has less than two to this many steps
  double target = 0.8;      ///< of the acceptance
  double max_error = 1000;  ///< of the energy; beyond, the path diverges
};

struct NutsResult {
  Array samples;   ///< [samples, d]
  Array accepted;  ///< the mean probability of a step
  Array diverged;  ///< how many moves
  Array step;      ///< of time
  Array variance;  ///< [d]: the scale that the warm-up found
};

namespace nuts_detail {

/// A point of a path.
struct Point {
  Array q, p, gradient, energy;  // the energy of q alone
};

/// A part of a path, and the point that was drawn from it.
struct Tree {
  Point first, last;
  Array q, gradient, energy;  // of the drawn point
  Array momentum;             // the sum over the points
  Array log_weight;
  Array turning, diverging;
  Array acceptance, steps;  // sums
};

inline Array kinetic(const Array& p, const Array& variance) { return 0.5 * numpy::sum(variance * numpy::square(p)); }

/// Whether a path with these ends and this sum of momenta turns back.
inline Array is_turning(const Array& first, const Array& last, const Array& sum, const Array& variance) {
  const Array between = variance * (sum - 0.5 * (first + last));
  return numpy::logical_or(numpy::dot(first, between) <= 0.0, numpy::dot(last, between) <= 0.0);
}

template <typename T>
T choose(const Array& condition, const T& yes, const T& no) {
  return tree_map([&](const Array& a, const Array& b) { return numpy::where(condition, a, b); }, yes, no);
}

template <typename F>
Point leapfrog(const F& energy, const Point& at, const Array& step, const Array& variance) {
  const Array half = at.p - 0.5 * step * at.gradient, q = at.q + step * variance * half;
  const auto [value, gradient] = value_and_grad(energy)(q);
  return {q, half - 0.5 * step * gradient, gradient, value};
}

/// Two to the power `depth` steps from `start`, ended early by a turn of any part that is a power of two long.
template <typename F>
Tree grown(const F& energy, const Point& start, const Array& total, const Array& depth, const Array& step,
           const Array& variance, const random::Key& key, const NutsOptions& options) {
  const int64_t d = start.q.size();
  const Array none = numpy::zeros({}, float64), no = none > 1.0;
  struct Loop {
    Array leaf;
    Tree tree;
    Array momenta, sums;  // of the first points of parts that are not complete
  };
  const auto going = [&](const Loop& s) {
    const Array ended = numpy::logical_or(s.tree.turning, s.tree.diverging);
    return numpy::logical_and(s.leaf < numpy::left_shift(Array(int32_t{1}), depth), numpy::logical_not(ended));
  };
  const auto body = [&](const Loop& s) {
    const Point now = leapfrog(energy, s.tree.last, step, variance);
    const Array error = now.energy + kinetic(now.p, variance) - total;
    const Array change = numpy::where(numpy::isnan(error), std::numeric_limits<double>::infinity(), error);
    const Array log_weight = numpy::logaddexp(s.tree.log_weight, -change);
    const Array draw = numpy::log(random::uniform(random::fold_in(key, s.leaf), {}, float64));
    const Array taken = draw < -change - log_weight;
    const Array sum = s.tree.momentum + now.p;
    // Even leaves begin parts; an odd leaf ends as many parts as its number has ones at its end.
    const Array even = numpy::bitwise_and(s.leaf, 1) == 0, place = lax::population_count(numpy::right_shift(s.leaf, 1));
    const Array ones = lax::population_count(numpy::bitwise_and(s.leaf, numpy::bitwise_not(s.leaf + 1)));
    const Array momenta = numpy::where(even, s.momenta.at(place).set(now.p), s.momenta);
    const Array sums = numpy::where(even, s.sums.at(place).set(sum), s.sums);
    const Array places = numpy::arange(options.max_depth, int32);
    const Array ends_here = numpy::logical_and(places <= place, places > place - ones);
    const Array turns = vmap([&](const Array& p, const Array& before) {
      return is_turning(p, now.p, sum - before + p, variance);
    })(momenta, sums);
    const Array turned = numpy::any(numpy::logical_and(turns, ends_here));
    const Array turning = numpy::logical_and(numpy::logical_not(even), turned);
    const Tree& t = s.tree;
    const Tree tree = {t.first,
                       now,
                       numpy::where(taken, now.q, t.q),
                       numpy::where(taken, now.gradient, t.gradient),
                       numpy::where(taken, now.energy, t.energy),
                       sum,
                       log_weight,
                       turning,
                       change > options.max_error,
                       t.acceptance + numpy::minimum(1.0, numpy::exp(-change)),
                       t.steps + 1.0};
    return Loop{s.leaf + 1, tree, momenta, sums};
  };
  const Array zeros = numpy::zeros({options.max_depth, d}, float64);
  const Tree empty = {start,
                      start,
                      start.q,
                      start.gradient,
                      start.energy,
                      numpy::zeros({d}, float64),
                      none - std::numeric_limits<double>::infinity(),
                      no,
                      no,
                      none,
                      none};
  return lax::while_loop(going, body, Loop{numpy::zeros({}, int32), empty, zeros, zeros}).tree;
}

/// One move: paths to either side, each as long as all before, until the whole path turns.
template <typename F>
Tree moved(const F& energy, const Point& at, const Array& step, const Array& variance, const random::Key& key,
           const NutsOptions& options) {
  const auto [of_momentum, of_depths] = random::split<2>(key);
  Point start = at;
  start.p = random::normal(of_momentum, at.q.shape(), float64) / numpy::sqrt(variance);
  const Array total = start.energy + kinetic(start.p, variance), none = numpy::zeros({}, float64), no = none > 1.0;
  struct Loop {
    Array depth;
    Tree tree;
  };
  const auto going = [&](const Loop& s) {
    const Array ended = numpy::logical_or(s.tree.turning, s.tree.diverging);
    return numpy::logical_and(s.depth < options.max_depth, numpy::logical_not(ended));
  };
  const auto body = [&](const Loop& s) {
    const auto [side, inside, draw] = random::split<3>(random::fold_in(of_depths, s.depth));
    const Array forward = random::uniform(side, {}, float64) < 0.5;
    const Tree& t = s.tree;
    const Array signed_step = numpy::where(forward, step, -step);
    const Tree more =
        grown(energy, choose(forward, t.last, t.first), total, s.depth, signed_step, variance, inside, options);
    const Array whole = numpy::logical_not(numpy::logical_or(more.turning, more.diverging));
    const Array wins = numpy::log(random::uniform(draw, {}, float64)) < more.log_weight - t.log_weight;
    const Array taken = numpy::logical_and(whole, wins);
    const Point first = choose(forward, t.first, more.last), last = choose(forward, more.last, t.last);
    const Array sum = t.momentum + more.momentum;
    return Loop{s.depth + 1,
                {first, last, numpy::where(taken, more.q, t.q), numpy::where(taken, more.gradient, t.gradient),
                 numpy::where(taken, more.energy, t.energy), sum, numpy::logaddexp(t.log_weight, more.log_weight),
                 numpy::logical_or(more.turning, is_turning(first.p, last.p, sum, variance)), more.diverging,
                 t.acceptance + more.acceptance, t.steps + more.steps}};
  };
  const Tree alone = {start, start, at.q, at.gradient, at.energy, start.p, none, no, no, none, none};
  return lax::while_loop(going, body, Loop{numpy::zeros({}, int32), alone}).tree;
}

/// The step that a warm-up looks for by dual averaging, and the running variance.
struct Adaptation {
  Array log_step, log_mean, error, count;  // of the step
  Array centre;                            // what the step is drawn to
  Array seen, mean, squares;               // of the positions
  Array variance;
};

inline Adaptation with_step(const Adaptation& a, const Array& acceptance, double target) {
  Adaptation next = a;
  next.count = a.count + 1.0;
  next.error = a.error + (target - acceptance - a.error) / (next.count + 10.0);
  next.log_step = a.centre - numpy::sqrt(next.count) / 0.05 * next.error;
  const Array weight = numpy::power(next.count, -0.75);
  next.log_mean = weight * next.log_step + (1.0 - weight) * a.log_mean;
  return next;
}

inline Adaptation with_position(const Adaptation& a, const Array& q) {
  Adaptation next = a;
  next.seen = a.seen + 1.0;
  next.mean = a.mean + (q - a.mean) / next.seen;
  next.squares = a.squares + (q - a.mean) * (q - next.mean);
  return next;
}

/// With the variance of the positions seen, a little towards a small one. Both searches restart.
inline Adaptation renewed(const Adaptation& a) {
  Adaptation next = a;
  next.variance = (a.squares * a.seen / (a.seen - 1.0) / (a.seen + 5.0)) + 1e-3 * 5.0 / (a.seen + 5.0);
  next.centre = std::log(10.0) + a.log_mean;
  next.count = next.error = next.seen = numpy::zeros_like(a.count);
  next.mean = next.squares = numpy::zeros_like(a.mean);
  return next;
}

/// What a move of the warm-up does: 0 finds the step only, 1 also looks at the position, 2 also ends a window.
inline Array windows(int64_t warm_up) {
  const int64_t begin = warm_up * 15 / 100, end = warm_up * 9 / 10;
  std::vector<int32_t> kinds(static_cast<size_t>(warm_up), 0);
  for (int64_t first = begin, size = 25; first < end; size *= 2) {
    const int64_t last = end - (first + size) < 2 * size ? end : first + size;  // the last one takes the rest
    for (int64_t i = first; i < last; ++i) kinds[static_cast<size_t>(i)] = i + 1 == last ? 2 : 1;
    first = last;
  }
  return numpy::array(kinds);
}

}  // namespace nuts_detail

/// Samples of the distribution whose density is exp(-energy).
/// Shapes    start f64[d]
template <typename F>
NutsResult nuts(const F& energy, const Array& start, const random::Key& key, const NutsOptions& options = {}) {
  using namespace nuts_detail;
  const auto [of_warm_up, of_samples] = random::split<2>(key);
  const Array none = numpy::zeros({}, float64), zeros = numpy::zeros_like(start);
  const auto [value, gradient] = value_and_grad(energy)(start);
  struct State {
    Point at;
    Adaptation adaptation;
  };
  const auto warm = [&](const State& s, const std::pair<random::Key, Array>& now) {
    const auto& [own, kind] = now;
    const Adaptation& a = s.adaptation;
    const Tree t = moved(energy, s.at, numpy::exp(a.log_step), a.variance, own, options);
    const Adaptation stepped = with_step(a, t.acceptance / t.steps, options.target);
    const Adaptation looked = choose(kind > 0, with_position(stepped, t.q), stepped);
    return std::pair(State{{t.q, zeros, t.gradient, t.energy}, choose(kind == 2, renewed(looked), looked)},
                     std::tuple<>());
  };
  const Array first_step = none + std::log(0.1);
  const Adaptation unknown = {
      first_step, first_step, none, none, first_step + std::log(10.0), none, zeros, zeros, numpy::ones_like(start)};
  const State begin = {{start, zeros, gradient, value}, unknown};
  const std::pair moves(random::split(of_warm_up, options.warm_up), windows(options.warm_up));
  const State warmed = lax::scan(warm, begin, moves).first;
  const Array step = numpy::exp(warmed.adaptation.log_mean), variance = warmed.adaptation.variance;
  const auto sample = [&](const Point& at, const random::Key& own) {
    const Tree t = moved(energy, at, step, variance, own, options);
    return std::pair(Point{t.q, zeros, t.gradient, t.energy},
                     std::tuple(t.q, t.acceptance / t.steps, t.diverging.astype(float64)));
  };
  const auto [samples, accepted, diverged] =
      lax::scan(sample, warmed.at, random::split(of_samples, options.samples)).second;
  return {samples, numpy::mean(accepted), numpy::sum(diverged), step, variance};
}

}  // namespace statistics
