// SPDX-License-Identifier: Apache-2.0
// Programs of users: an arm with two links, an option by Monte Carlo, a graph network, a particle filter, bundle
// adjustment.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "hilo/hilo.h"

using namespace hilo;

namespace {

// ---- an arm with two links: the equations of motion from the energies
// -------------------------------------------------
struct Joint {
  Array q, v;
};
Array kinetic(const Array& q, const Array& v) {
  const Array x1 = numpy::cos(q[0]) * v[0], y1 = numpy::sin(q[0]) * v[0];
  const Array x2 = x1 + numpy::cos(q[1]) * v[1], y2 = y1 + numpy::sin(q[1]) * v[1];
  return 0.5f * (x1 * x1 + y1 * y1 + x2 * x2 + y2 * y2);
}
Array potential(const Array& q) { return -9.81f * (2 * numpy::cos(q[0]) + numpy::cos(q[1])); }
Array energy(const Joint& s) { return kinetic(s.q, s.v) + potential(s.q); }
Joint derivative(const Joint& s) {
  const auto lagrangian = [](Array q, Array v) { return kinetic(q, v) - potential(q); };
  const Array mass = jacfwd<1>(grad<1>(lagrangian))(s.q, s.v);
  const Array mixed = jacfwd<0>(grad<1>(lagrangian))(s.q, s.v);
  return {s.v, numpy::linalg::solve(mass, grad<0>(lagrangian)(s.q, s.v) - numpy::matmul(mixed, s.v))};
}
Joint moved(const Joint& s, float h, const Joint& d) {
  return tree::map([h](Array a, Array b) { return a + h * b; }, s, d);
}

TEST(Users, AnArmKeepsItsEnergy) {
  const auto step = [](Joint s, auto) {
    const float h = 0.01f;
    const Joint a = derivative(s), b = derivative(moved(s, h / 2, a)), c = derivative(moved(s, h / 2, b)),
                d = derivative(moved(s, h, c));
    const Joint next =
        tree::map([h](Array x, Array p, Array q, Array r, Array t) { return x + h / 6 * (p + 2 * q + 2 * r + t); }, s,
                  a, b, c, d);
    return std::pair(next, energy(next));
  };
  const Joint start{numpy::array({1.0f, 0.5f}), numpy::zeros({2})};
  const auto run = jit([&](const Joint& s) { return lax::scan(step, s, {.length = 100}); });
  const auto [last, energies] = run(start);
  EXPECT_EQ(energies.shape(), (numpy::Shape{100}));
  EXPECT_NEAR(numpy::max(numpy::abs(energies - energy(start))).item<float>(), 0, 2e-3);
  EXPECT_GT(numpy::abs(last.v).max().item<float>(), 0.1f);
}

// ---- an option by Monte Carlo, and its Greeks by one reverse pass
// ------------------------------------------------------
struct Market {
  Array spot, volatility, rate;
};

TEST(Users, AnOptionsGreeksAreThoseOfTheFormula) {
  const auto price = [](const Market& m, const Array& z) {
    const Array end = m.spot * numpy::exp((m.rate - 0.5f * m.volatility * m.volatility) + m.volatility * z);
    return numpy::mean(numpy::exp(-m.rate) * numpy::maximum(end - 100, 0));
  };
  const Array z = random::normal(random::key(1), {200000});
  const auto [value, greeks] = jit(value_and_grad(price))(Market{100.0f, 0.2f, 0.05f}, z);
  EXPECT_NEAR(value.item<float>(), 10.4506, 0.12);           // the Black-Scholes price
  EXPECT_NEAR(greeks.spot.item<float>(), 0.6368, 0.005);     // delta, N(d1)
  EXPECT_NEAR(greeks.volatility.item<float>(), 37.52, 0.8);  // vega
  EXPECT_NEAR(greeks.rate.item<float>(), 53.23, 0.6);        // rho
}

// ---- a graph network
// ---------------------------------------------------------------------------------------------------
struct Graph {
  Array nodes, senders, receivers;
};

TEST(Users, MessagesOfAGraphAreThoseOfItsMatrix) {
  const Graph g{random::normal(random::key(2), {4, 3}), numpy::array({0, 1, 2, 3, 0}), numpy::array({1, 1, 2, 3, 3})};
  const Array w = random::normal(random::key(3), {3, 3});
  const auto layer = [&](Array weights) {
    const Array messages = numpy::tanh(numpy::matmul(g.nodes, weights))[g.senders];
    return ops::segment_sum(messages, g.receivers, 4, {.indices_are_sorted = true});
  };
  const Array adjacency = numpy::zeros({4, 4}).at(g.receivers, g.senders).add(1.0f);
  const auto dense = [&](Array weights) {
    return numpy::matmul(adjacency, numpy::tanh(numpy::matmul(g.nodes, weights)));
  };
  EXPECT_TRUE(numpy::allclose(layer(w), dense(w), {.atol = 1e-5}).item<bool>());
  const auto loss = [](auto f) { return [f](Array weights) { return numpy::sum(numpy::square(f(weights))); }; };
  EXPECT_TRUE(numpy::allclose(grad(loss(layer))(w), grad(loss(dense))(w), {.atol = 1e-4}).item<bool>());
}

// ---- a particle filter
// -------------------------------------------------------------------------------------------------
TEST(Users, AParticleFilterFollowsTheKalmanFilter) {
  const int n = 2000;
  const Array observed = numpy::array({0.3f, 0.9f, 1.2f, 0.8f, 1.5f});
  const auto step = [&](std::tuple<Array, random::Key> carry, Array y) {
    auto [particles, key] = carry;
    const auto [next, move, choose] = random::split<3>(key);
    const Array moved = particles + random::normal(move, {n});
    const Array log_weights = -0.5f * numpy::square(y - moved) / 0.25f;
    const Array kept = moved[random::categorical(choose, log_weights, {.shape = {n}})];
    return std::pair(std::tuple<Array, random::Key>(kept, next), numpy::mean(kept));
  };
  const Array start = random::normal(random::key(4), {n});
  const Array means = lax::scan(step, std::tuple<Array, random::Key>(start, random::key(5)), observed).second;
  float mean = 0, variance = 1;
  for (int t = 0; t < 5; ++t) {
    variance += 1;
    const float gain = variance / (variance + 0.25f);
    mean += gain * (observed[t].item<float>() - mean);
    variance *= 1 - gain;
    EXPECT_NEAR(means[t].item<float>(), mean, 0.1) << t;
  }
}

// ---- bundle adjustment
// -------------------------------------------------------------------------------------------------
struct Scene {
  Array cameras;  ///< [c, 3]: an angle and a position
  Array points;   ///< [p, 2]
};
Array projected(const Array& camera, const Array& point) {
  const Array c = numpy::cos(camera[0]), s = numpy::sin(camera[0]);
  const Array x = point[0] - camera[1], y = point[1] - camera[2];
  return (c * x - s * y) / (5 + s * x + c * y);
}
Array views(const Scene& scene) {
  return vmap([&](Array camera) { return vmap([&](Array p) { return projected(camera, p); })(scene.points); })(
      scene.cameras);
}

TEST(Users, BundlesAreAdjustedByGaussNewton) {
  const Scene truth{numpy::array({{0.1f, 0.0f, 0.2f}, {-0.2f, 0.5f, 0.0f}, {0.3f, -0.4f, 0.1f}, {0.0f, 0.2f, -0.3f}}),
                    random::uniform(random::key(6), {12, 2}, {.minval = -1.0f, .maxval = 1.0f})};
  const Array seen = views(truth);
  Scene guess = tree::map([](Array a) { return a + 0.02f * numpy::cos(13 * a); }, truth);
  const auto [flat, unravel] = flatten_util::ravel_pytree(guess);
  const auto residual = [&, &unravel = unravel](Array x) { return (views(unravel(x)) - seen).ravel(); };
  const auto step = jit([&](Array x) {
    const Array j = jacrev(residual)(x), r = residual(x);
    return x - numpy::linalg::solve(numpy::matmul(j.T(), j) + 1e-4f * numpy::eye(x.shape(0)), numpy::matmul(j.T(), r));
  });
  Array x = flat;
  const float before = numpy::linalg::norm(residual(x)).item<float>();
  for (int i = 0; i < 8; ++i) x = step(x);
  EXPECT_LT(numpy::linalg::norm(residual(x)).item<float>(), 0.01f * before);
}

}  // namespace
