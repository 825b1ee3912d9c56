// SPDX-License-Identifier: Apache-2.0
// random/gamma.cc -- gamma and loggamma: one rejection loop for each sample.
// Source    Marsaglia and Tsang, "A simple method for generating gamma variables" (ACM TOMS 26, 2000)
#include <tuple>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/incomplete_gamma.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/distributions.h"
#include "hilo/random/support.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::random {
namespace {

using ops::add, ops::full_like, ops::mul, ops::sub;

struct Normal {
  Array x, v;
};
/// Samples a normal x with v = 1 + c x, repeated until v is positive.
Normal with_positive_v(const Key& key, const Array& c) {
  using State = std::tuple<Key, Array, Array>;
  const auto again = [](const State& s) { return ops::le(std::get<2>(s), full_like(std::get<2>(s), 0)); };
  const auto draw = [&](const State& s) {
    const std::vector<Key> keys = split(std::get<0>(s));
    const Array x = normal(keys[1], {}, c.dtype());
    return State(keys[0], x, add(full_like(c, 1), mul(x, c)));
  };
  const State last = lax::while_loop(again, draw, State(key, full_like(c, 0), full_like(c, -1)));
  return {std::get<1>(last), std::get<2>(last)};
}

/// Returns the accepted v; d v is a sample with parameter d + 1/3.
Array accepted_v(const Key& key, const Array& d, const Array& c) {
  using State = std::tuple<Key, Array, Array, Array>;  // key, x^2, v^3, u
  const Array one = full_like(d, 1), half = full_like(d, 0.5), squeeze = full_like(d, 0.0331);
  const auto rejected = [&](const State& s) {
    const auto& [unused, x2, v, u] = s;
    const Array exact = add(mul(x2, half), mul(d, add(sub(one, v), ops::log(v))));
    return ops::bitwise_and(ops::ge(u, sub(one, mul(squeeze, mul(x2, x2)))), ops::ge(ops::log(u), exact));
  };
  const auto draw = [&](const State& s) {
    const std::vector<Key> keys = split(std::get<0>(s), 3);
    const auto [x, v] = with_positive_v(keys[1], c);
    return State(keys[0], mul(x, x), mul(mul(v, v), v), uniform(keys[2], {}, d.dtype()));
  };
  return std::get<2>(lax::while_loop(rejected, draw, State(key, full_like(d, 0), one, full_like(d, 2))));
}

/// Returns one sample or its logarithm. A parameter below 1 is raised by one, and the sample multiplied by u^(1/a).
template <bool kLog>
Array one_sample(const Key& key, const Array& a) {
  const Array one = full_like(a, 1), third = full_like(a, 1.0 / 3);
  const Array large = ops::ge(a, one), inverse = ops::div(one, a);
  const Array d = sub(ops::select(large, a, add(a, one)), third), c = ops::div(third, ops::sqrt(d));
  const std::vector<Key> keys = split(key);
  const Array v = accepted_v(keys[0], d, c);
  if constexpr (kLog) {
    const Array log_u = ops::neg(exponential(keys[1], {}, a.dtype())), zero = full_like(a, 0);
    const Array none = ops::bitwise_or(large, ops::eq(log_u, zero));
    return add(add(ops::log(d), ops::log(v)), ops::select(none, zero, mul(log_u, inverse)));
  } else {
    const Array u = sub(one, uniform(keys[1], {}, a.dtype()));
    return mul(mul(d, v), ops::select(large, one, ops::pow(u, inverse)));
  }
}

/// Returns a sample for each parameter of a vector, each with its own key.
template <bool kLog>
Array samples(const Key& key, const Array& a) {
  static const auto* const each =
      new auto(jit(vmap([](const Key& k, const Array& x) { return one_sample<kLog>(k, x); })));
  return (*each)(split(key, a.size()), a);
}

/// Returns the derivative of a sample by its parameter.
template <bool kLog>
Array slope(const Array& a, const Array& sample) {
  if constexpr (!kLog) return lax::random_gamma_grad(a, sample);
  const Array x = ops::exp(sample);
  const Array least = full_like(x, numpy::finfo(x.dtype()).tiny);
  const Array positive = ops::select(ops::eq(sample, full_like(sample, 0)), least, x);
  return ops::div(lax::random_gamma_grad(a, positive), positive);
}

template <bool kLog>
Array differentiable(const Key& key, const Array& a) {
  static const auto* const f =
      new auto(custom_jvp([](const Key& k, const Array& x) {
                 return samples<kLog>(k, x);
               }).defjvps(nullptr, [](const Array& t, const Array& ans, const Key&, const Array& x) {
        return mul(t, slope<kLog>(x, ans));
      }));
  return (*f)(key, a);
}

template <bool kLog>
Array gamma_of(const char* function, const Key& key, const Operand& a, const DistributionOptions& options) {
  const UserLocation here(a.location());
  const ElementType type = float_type(function, options.dtype);
  const numpy::Shape shape = shape_or(function, options.shape, {&a.array()});
  const Array flat = numpy::ravel(numpy::broadcast_to(ops::convert_element_type(a, type), shape));
  if (flat.size() == 0) return numpy::zeros(shape, type);
  return numpy::reshape(differentiable<kLog>(key, flat), shape);
}

}  // namespace

Array gamma(const Key& key, const Operand& a, const DistributionOptions& options) {
  return gamma_of<false>("gamma", key, a, options);
}
Array loggamma(const Key& key, const Operand& a, const DistributionOptions& options) {
  return gamma_of<true>("loggamma", key, a, options);
}

}  // namespace hilo::random
