// SPDX-License-Identifier: Apache-2.0
// examples/statistics/hmc.cc -- Hamiltonian Monte Carlo: sixty-four chains on a correlated normal distribution, one
// vmap over all.
// Source    Neal, "MCMC using Hamiltonian dynamics" (2011)
#include "examples/support/compared.h"

using namespace hilo;

using State = std::pair<Array, Array>;  // position and momentum

Array energy(const Array& q) {
  const Array precision = numpy::array({{2.0f, -1.2f}, {-1.2f, 1.5f}});
  return 0.5f * numpy::dot(numpy::matmul(q, precision), q);
}

State leapfrog(const Array& q0, const Array& p0) {
  constexpr float kSize = 0.25f;
  const auto force = grad(energy);
  const auto step = [&](const Array&, const State& s) {
    const Array q = s.first + kSize * s.second;
    return State(q, s.second - kSize * force(q));
  };
  const auto [q, p] = lax::fori_loop(0, 12, step, State(q0, p0 - kSize / 2 * force(q0)));
  return {q, p + kSize / 2 * force(q)};
}

// One proposal, taken or not.
std::pair<Array, State> move(const Array& q, const random::Key& key) {
  const std::vector<random::Key> keys = random::split(key);
  const Array p = random::normal(keys[0], {2});
  const auto [q_new, p_new] = leapfrog(q, p);
  const Array change = energy(q) + 0.5f * numpy::dot(p, p) - energy(q_new) - 0.5f * numpy::dot(p_new, p_new);
  const Array accept = numpy::log(random::uniform(keys[1], {})) < change;
  const Array next = numpy::where(accept, q_new, q);
  return {next, {next, accept}};
}

// Samples of a chain without its beginning, and how often a proposal was taken.
State chain(const random::Key& key) {
  const auto [samples, accepted] = lax::scan(move, numpy::zeros({2}), random::split(key, 500)).second;
  return {samples(range(100, none)), numpy::mean(accepted)};
}

int main() {
  const auto [samples, rate] = jit(vmap(chain))(random::split(random::key(0), 64));
  const Array flat = numpy::reshape(samples, {-1, 2});
  const Array centred = flat - numpy::mean(flat, 0);
  const Array covariance = numpy::matmul(numpy::transpose(centred), centred) / static_cast<float>(flat.shape(0));
  std::printf("the distribution's covariance is 0.9615, 0.7692, 1.282\n");
  return compare_with_jax("HMC",
                          {{"covariance (0, 0)", covariance(0, 0), 0.9630659},
                           {"covariance (0, 1)", covariance(0, 1), 0.7645022},
                           {"covariance (1, 1)", covariance(1, 1), 1.272646},
                           {"accepted", numpy::mean(rate), 0.985375}},
                          2e-3);
}
