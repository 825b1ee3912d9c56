// SPDX-License-Identifier: Apache-2.0
#include "hilo/random/counts.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/special.h"
#include "hilo/numpy/numpy.h"
#include "hilo/numpy/promotion.h"
#include "hilo/random/support.h"
#include "hilo/trace/ops.h"

namespace hilo::random {
namespace {

using numpy::Shape;

Array any_true(const Array& flags) { return numpy::any(flags); }
Array both(const Array& x, const Array& y) { return ops::bitwise_and(x, y); }
Array either(const Array& x, const Array& y) { return ops::bitwise_or(x, y); }
Array without(const Array& x) { return ops::bitwise_not(x); }
Array is_nan(const Array& x) { return ops::ne(x, x); }

/// Counts uniform numbers until their product is below exp(-lam).
/// Source    Knuth, TAOCP 2, 3.4.1, algorithm Q
Array poisson_by_product(const Key& key, const Array& lam, ElementType type) {
  using State = std::tuple<Array, Key, Array>;  // count, key, log of the product
  const Shape shape = lam.shape();
  const auto more = [&](const State& s) { return any_true(std::get<2>(s) > -lam); };
  const auto draw = [&](const State& s) {
    const auto& [count, state, log_product] = s;
    const std::vector<Key> keys = split(state);
    const Array next = ops::select(log_product > -lam, count + ops::full_like(count, 1), count);
    return State(next, keys[0], log_product + numpy::log(uniform(keys[1], shape, ElementType::kF32)));
  };
  const State last =
      lax::while_loop(more, draw, State(numpy::zeros(shape, type), key, numpy::zeros(shape, ElementType::kF32)));
  return std::get<0>(last) - ops::full_like(std::get<0>(last), 1);
}

/// Samples by transformed rejection.
/// Source    Hoermann, "The transformed rejection method for generating Poisson random variables" (Insurance:
///           Mathematics and Economics 12, 1993), algorithm PTRS
Array poisson_by_rejection(const Key& key, const Array& lam, ElementType type) {
  using State = std::tuple<Array, Array, Key>;  // count, accepted, key
  const Shape shape = lam.shape();
  const Array log_lam = ops::log(lam);
  const Array b = 0.931 + 2.53 * ops::sqrt(lam), a = -0.059 + 0.02483 * b;
  const Array inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  const auto more = [](const State& s) { return any_true(without(std::get<1>(s))); };
  const auto draw = [&](const State& s) {
    const std::vector<Key> keys = split(std::get<2>(s), 3);
    const Array u = uniform(keys[1], shape, lam.dtype()) - 0.5, v = uniform(keys[2], shape, lam.dtype());
    const Array us = 0.5 - numpy::abs(u);
    const Array k = ops::floor((2 * a / us + b) * u + lam + 0.43);
    const Array left = ops::log(v * inverse_alpha / (a / (us * us) + b));
    const Array right = -lam + k * log_lam - lax::lgamma(k + 1);
    const Array at_once = both(us >= 0.07, v <= v_r);
    const Array never = either(k < 0, both(us<0.013, v> us));
    const Array accept = either(at_once, both(without(never), left <= right));
    return State(ops::select(accept, k, std::get<0>(s)), either(std::get<1>(s), accept), keys[0]);
  };
  const State last =
      lax::while_loop(more, draw, State(ops::full_like(lam, -1), numpy::zeros(shape, ElementType::kPred), key));
  return ops::convert_element_type(std::get<0>(last), type);
}

/// Sums geometric numbers until they exceed the count; efficient for few successes.
/// Source    Devroye, "Non-Uniform Random Variate Generation" (1986), X.4
Array binomial_by_waiting(const Key& key, const Array& count, const Array& p) {
  using State = std::tuple<Array, Array, Key>;  // number of waiting times, their sum, key
  const Shape shape = count.shape();
  const Array log_failure = ops::log1p(ops::neg(p));
  const auto more = [&](const State& s) { return any_true(std::get<1>(s) <= count); };
  const auto draw = [&](const State& s) {
    const auto& [waits, sum, state] = s;
    const std::vector<Key> keys = split(state);
    const Array next = ops::select(sum <= count, waits + 1, waits);
    const Array wait = numpy::ceil(numpy::log(uniform(keys[0], shape, p.dtype())) / log_failure);
    return State(next, sum + wait, keys[1]);
  };
  const Array zero = ops::full_like(count, 0);
  return std::get<0>(lax::while_loop(more, draw, State(zero, zero, key))) - 1;
}

/// Returns the error of Stirling's approximation of log k!: from a table up to 9, then from its series.
/// Source    DLMF 5.11.1
Array stirling_rest(const Array& k) {
  const Array table = ops::convert_element_type(
      numpy::array({0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
                    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273,
                    0.00833056343336287}),
      k.dtype());
  const Array small = numpy::clip(k, 0.0, 9.0), square = (small + 1) * (small + 1);
  const Array series = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (small + 1);
  const Array index = ops::convert_element_type(ops::floor(small), ElementType::kS32);
  return ops::select(k <= 9, numpy::take(table, index, 0, IndexMode::kPromiseInBounds), series);
}

/// Samples by transformed rejection.
/// Source    Hoermann, "The generation of binomial random variates" (Journal of Statistical Computation and Simulation
///           46, 1993), algorithm BTRS
Array binomial_by_rejection(const Key& key, const Array& count, const Array& p) {
  using State = std::tuple<Array, Array, Key>;  // successes, accepted, key
  const Shape shape = count.shape();
  const Array deviation = numpy::sqrt(count * p * (1 - p));
  const Array b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p, c = count * p + 0.5;
  const Array v_r = 0.92 - 4.2 / b, r = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation;
  const Array m = numpy::floor((count + 1) * p);
  const auto bound = [&](const Array& k) {
    return (m + 0.5) * numpy::log((m + 1) / (r * (count - m + 1))) +
           (count + 1) * numpy::log((count - m + 1) / (count - k + 1)) +
           (k + 0.5) * numpy::log(r * (count - k + 1) / (k + 1)) + stirling_rest(m) + stirling_rest(count - m) -
           stirling_rest(k) - stirling_rest(count - k);
  };
  const auto more = [](const State& s) { return any_true(without(std::get<1>(s))); };
  const auto draw = [&](const State& s) {
    const std::vector<Key> keys = split(std::get<2>(s), 3);
    const Array u = uniform(keys[1], shape, p.dtype()) - 0.5, v = uniform(keys[2], shape, p.dtype());
    const Array us = 0.5 - numpy::abs(u);
    const Array k = numpy::floor((2 * a / us + b) * u + c);
    const Array at_once = both(us >= 0.07, v <= v_r), never = either(k<0, k> count);
    const Array log_v = numpy::log(v * alpha / (a / (us * us) + b));
    const Array accept = either(at_once, both(without(never), log_v <= bound(k)));
    return State(ops::select(accept, k, std::get<0>(s)), either(std::get<1>(s), accept), keys[0]);
  };
  return std::get<0>(
      lax::while_loop(more, draw, State(ops::full_like(count, -1), numpy::zeros(shape, ElementType::kPred), key)));
}

}  // namespace

Array geometric(const Key& key, const Operand& p, const DistributionOptions& options) {
  const UserLocation here(p.location());
  const ElementType type = numpy::type_or("geometric", options.dtype, default_integer());
  if (!is_integer(type))
    refuse("geometric", fmt::format("dtype must be an integer type; got {}", element_type_name(type)));
  const Array chance = numpy::promote_inexact(p);
  const Shape shape = shape_or("geometric", options.shape, {&chance});
  const Array u = uniform(key, shape, chance.dtype());
  const Array log_u = numpy::log(numpy::where(u == 0, 1, u));
  const Array failures = numpy::broadcast_to(numpy::log1p(-chance), shape);
  return ops::convert_element_type(numpy::floor(log_u / failures) + 1, type);
}

Array poisson(const Key& key, const Operand& lam, const DistributionOptions& options) {
  const UserLocation here(lam.location());
  const ElementType type = numpy::type_or("poisson", options.dtype, default_integer());
  if (key.impl != KeyImpl::threefry2x32)
    or_throw(
        unimplemented(at_user_line("poisson") + ": only for keys of threefry2x32, as in JAX; got " + key_impl(key)));
  const Shape shape = shape_or("poisson", options.shape, {&lam.array()});
  const Array mean = ops::convert_element_type(numpy::broadcast_to(lam, shape), ElementType::kF32);
  const Array small = either(is_nan(mean), mean < 10);
  const Array product = poisson_by_product(key, ops::select(small, mean, ops::full_like(mean, 0)), type);
  const Array rejection = poisson_by_rejection(clone(key), ops::select(small, ops::full_like(mean, 1e5), mean), type);
  const Array result = ops::select(small, product, rejection);
  return ops::select(mean == 0, ops::full_like(result, 0), result);
}

Array binomial(const Key& key, const Operand& n, const Operand& p, const DistributionOptions& options) {
  const UserLocation here(n.location());
  const ElementType type = float_type("binomial", options.dtype);
  const Shape shape = shape_or("binomial", options.shape, {&n.array(), &p.array()});
  const Array chance = ops::convert_element_type(numpy::promote_inexact(p), numpy::promote_inexact(p).dtype());
  const Array trials = numpy::broadcast_to(ops::convert_element_type(n, chance.dtype()), shape);
  const Array prob = numpy::broadcast_to(chance, shape);
  const Array below_half = prob < 0.5, q_given = ops::select(below_half, prob, 1.0 - prob);
  const Array no_count = either(is_nan(trials), trials < 0), no_p = is_nan(q_given), negative = q_given < 0;
  const Array infinite = numpy::isinf(trials);
  const Array q = ops::select(either(no_p, negative), ops::full_like(q_given, 0.01), q_given);
  const Array few = either(no_count, trials * q <= 10.0), count = numpy::floor(trials);
  const Array waited = binomial_by_waiting(key, ops::select(few, count, ops::full_like(count, 0)), q);
  const Array rejected = binomial_by_rejection(clone(key), ops::select(few, ops::full_like(count, 1e4), count),
                                               ops::select(few, ops::full_like(q, 0.5), q));
  const Array drawn = ops::convert_element_type(ops::select(few, waited, rejected), type);
  const Array invalid = either(either(negative, no_p), no_count);
  const Array valid = ops::select(invalid, ops::full_like(drawn, numpy::nan), drawn);
  const Array all = ops::select(both(infinite, without(invalid)), ops::full_like(valid, numpy::inf), valid);
  const Array as_is = either(either(below_half, no_count), either(no_p, infinite));
  return ops::select(as_is, all, ops::sub(ops::convert_element_type(count, type), all));
}

Array multinomial(const Key& key, const Operand& n, const Operand& p, const MultinomialOptions& options) {
  const UserLocation here(n.location());
  const ElementType type = float_type("multinomial", options.dtype);
  const ElementType promoted = numpy::result_type(n, p), inexact = is_floating(promoted) ? promoted : default_float();
  const Array probs = ops::convert_element_type(p, inexact);
  if (probs.ndim() < 1) refuse("multinomial", "p must have an axis of outcomes; got " + probs.aval_shape().to_string());
  const Shape shape = options.shape ? *options.shape : Shape(probs.shape());
  const Shape batch(shape.begin(), shape.end() - 1);
  const Array trials = numpy::broadcast_to(ops::convert_element_type(n, inexact), batch);
  const Array outcomes = numpy::moveaxis(numpy::broadcast_to(probs, shape), -1, 0);
  const Array left = numpy::flip(numpy::cumsum(numpy::flip(outcomes, 0), 0), 0);
  const Array ratios = outcomes / numpy::where(left == 0, 1, left);
  const auto step = [&](const Array& remaining, const std::pair<Array, Key>& x) {
    const Array count = binomial(x.second, remaining, numpy::clip(x.first, 0, 1), {.dtype = remaining.dtype()});
    return std::pair(remaining - count, count);
  };
  const auto [rest, counts] =
      lax::scan(step, trials, std::pair(ratios, split(key, ratios.shape(0))), {.unroll = options.unroll});
  (void)rest;
  return ops::convert_element_type(numpy::moveaxis(counts, 0, -1), type);
}

}  // namespace hilo::random
