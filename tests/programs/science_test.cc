// SPDX-License-Identifier: Apache-2.0
// Programs of users with experience in JAX who don't know hilo's headers: small scientific models.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hilo/hilo.h"

using namespace hilo;

namespace {

TEST(Science, TypesByTheirBareNames) {
  Array a = numpy::ones({3}, bfloat16);
  Array b = numpy::zeros({3}, {.dtype = float16});
  EXPECT_EQ(a.dtype(), bfloat16);
  EXPECT_EQ(a.astype(float16).dtype(), b.dtype());
  EXPECT_EQ(bfloat16(b).dtype(), numpy::bfloat16);
  EXPECT_EQ(float(a[0].item<bfloat16_t>()), 1);
  EXPECT_EQ((a + numpy::array({1, 2, 3}, int8)).dtype(), bfloat16);
}

TEST(Science, GaussianProcessRegression) {
  auto kernel = [](Array x, Array y, Array length) {
    Array d = x(all, newaxis) - y(newaxis, all);
    return numpy::exp(-0.5 * numpy::square(d / length));
  };
  Array x = numpy::linspace(0.0, 1.0, 20);
  Array y = numpy::sin(6.0 * x) + 0.05 * random::normal(random::key(0), x.shape());
  auto nll = [&](Array log_length) {
    Array K = kernel(x, x, numpy::exp(log_length)) + 1e-2 * numpy::eye(20);
    Array L = numpy::linalg::cholesky(K);
    Array alpha = scipy::linalg::cho_solve({L, true}, y);
    return 0.5 * numpy::dot(y, alpha) + numpy::sum(numpy::log(numpy::diagonal(L)));
  };
  auto result = scipy::optimize::minimize([&](Array p) { return nll(p[0]); }, numpy::array({0.0}), {.method = "BFGS"});
  EXPECT_LT(float(result.fun), float(nll(0.0)));
  auto [value, slope] = value_and_grad(nll)(result.x[0]);
  EXPECT_NEAR(float(value), float(result.fun), 1e-3);
  EXPECT_NEAR(float(slope), 0, 0.1);
}

TEST(Science, MandelbrotSetByVmapOfALoop) {
  auto count = [](Array c) {
    auto cond = [](std::tuple<Array, Array> s) {
      auto [z, n] = s;
      return (numpy::abs(z) <= 2) & (n < 50);
    };
    auto body = [&](std::tuple<Array, Array> s) {
      auto [z, n] = s;
      return std::make_tuple(z * z + c, n + 1);
    };
    auto [z, n] = lax::while_loop(cond, body, std::make_tuple(numpy::zeros_like(c), Array(0)));
    return n;
  };
  Array re = numpy::linspace(-2, 1, 31), im = numpy::linspace(-1, 1, 21);
  Array grid = lax::complex(re(newaxis, all) + numpy::zeros({21, 1}), im(all, newaxis) + numpy::zeros({1, 31}));
  Array n = jit(vmap(vmap(count)))(grid);
  EXPECT_EQ(n.shape(), (numpy::Shape{21, 31}));
  EXPECT_EQ(n(10, 20).item<int>(), 50);  // c = 0 stays bounded
  EXPECT_EQ(n(0, 30).item<int>(), 2);    // c = 1 - i doesn't: 1 - 3i
}

TEST(Science, MetropolisWalk) {
  auto logp = [](Array x) { return scipy::stats::norm::logpdf(x, 1.0, 0.5).sum(); };
  auto step = [&](std::pair<Array, random::Key> state, Array) {
    auto [x, key] = state;
    auto [next, k1, k2] = random::split<3>(key);
    Array proposal = x + 0.8 * random::normal(k1, x.shape());
    Array accept = numpy::log(random::uniform(k2)) < logp(proposal) - logp(x);
    Array moved = lax::select(accept, proposal, x);
    return std::pair(std::pair(moved, next), moved);
  };
  auto [last, samples] = lax::scan(step, std::pair(numpy::array(0.0), random::key(0)), numpy::arange(4000));
  EXPECT_NEAR(float(samples.mean()), 1, 0.1);
  EXPECT_NEAR(float(samples.std()), 0.5, 0.1);
}

TEST(Science, ClustersByKMeans) {
  Array points =
      numpy::concatenate({random::normal(random::key(3), {50, 2}), 10 + random::normal(random::key(4), {50, 2})});
  Array centers = points[numpy::array({0, 99})];
  auto step = jit([&](Array centers) {
    Array ids = numpy::argmin(numpy::linalg::norm(points(all, none, all) - centers(none, all, all), {.axis = -1}), 1);
    Array onehot = nn::one_hot(ids, 2);
    return onehot.T().dot(points) / onehot.sum(0)(all, none);
  });
  for (int i = 0; i < 5; ++i) centers = step(centers);
  EXPECT_NEAR(float(centers(0, 0)), 0, 0.5);
  EXPECT_NEAR(float(centers(1, 1)), 10, 0.5);
}

TEST(Science, SpectraAndStatistics) {
  Array t = numpy::arange(256) / 256.0;
  Array x = numpy::cos(2 * numpy::pi * 32 * t) + 0.1 * random::normal(random::PRNGKey(0), {256});
  auto [f, Pxx] = scipy::signal::welch(x, {.fs = 256.0, .nperseg = 64});
  EXPECT_EQ(float(f[Pxx.argmax()]), 32);
  EXPECT_EQ(scipy::signal::fftconvolve(x, numpy::ones(5), "valid").size(), 252);
  EXPECT_EQ(scipy::signal::convolve(x, numpy::ones(5) / 5, {.mode = "same"}).size(), 256);
  EXPECT_NEAR(float(numpy::corrcoef(x, -x)(0, 1)), -1, 1e-5);
  EXPECT_EQ(numpy::percentile(x, {5, 95}).size(), 2);
  EXPECT_EQ(numpy::searchsorted(numpy::sort(x), 10.0, "right").item<int>(), 256);
  EXPECT_LE(float(numpy::clip(x, none, 0.5).max()), 0.5f);
  EXPECT_EQ(float(numpy::clip(x, 0).min()), 0);
  Array density = scipy::stats::gaussian_kde(x)(numpy::linspace(-1, 1, 5));
  EXPECT_GT(float(density.min()), 0);
}

TEST(Science, ProductsWithHessians) {
  auto f = [](Array x) { return numpy::sum(numpy::sin(x) * numpy::exp(-x)); };
  Array x = numpy::array({0.1, 0.2, 0.3}), v = numpy::ones(3);
  Array H = hessian(f)(x);
  Array hv = jvp(grad(f), {x}, {v}).second;
  EXPECT_TRUE(bool(numpy::allclose(numpy::dot(H, v), hv, {.atol = 1e-5})));
  auto [y, pull] = vjp(f, x);
  auto [g] = pull(1.0f);
  EXPECT_TRUE(bool(numpy::allclose(g, grad(f)(x))));
  EXPECT_EQ(float(grad(grad([](Array x) { return x * x * x; }))(2.0)), 12);
}

TEST(Science, SchedulesByPosition) {
  auto schedule = optim::cosine_decay_schedule(0.1, 100, 0.5);
  EXPECT_NEAR(float(schedule(0)), 0.1, 1e-7);
  EXPECT_NEAR(float(schedule(100)), 0.05, 1e-7);
}

}  // namespace
