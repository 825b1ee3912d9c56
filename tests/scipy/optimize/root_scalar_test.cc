// SPDX-License-Identifier: Apache-2.0
// Comparisons with SciPy's values are in tests/scipy/golden.inc.
#include "hilo/scipy/optimize/root_scalar.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::optimize {
namespace {

std::pair<Array, Array> between(double a, double b) { return {Array(a), Array(b)}; }

TEST(RootScalar, EveryMethodFindsTheRoot) {
  const auto f = [](const Array& x) { return numpy::exp(x) - 2.0; };
  for (const char* method : {"brentq", "bisect"}) {
    const RootScalarResults r = root_scalar(f, {.method = method, .bracket = between(-3, 4)});
    EXPECT_TRUE(r.converged.item<bool>()) << method;
    EXPECT_NEAR(r.root.item<float>(), std::log(2.0), 1e-6) << method;
    EXPECT_EQ(r.function_calls.item<int>(), r.iterations.item<int>() + 2) << method;
  }
  const RootScalarResults r = root_scalar(f, {.x0 = Array(1.0f)});
  EXPECT_TRUE(r.converged.item<bool>());
  EXPECT_NEAR(r.root.item<float>(), std::log(2.0), 1e-6);
}

TEST(RootScalar, BrentIsFasterThanHalving) {
  const auto f = [](const Array& x) { return numpy::exp(x) - 2.0; };
  const auto steps = [&](const char* method) {
    return root_scalar(f, {.method = method, .bracket = between(-3, 4)}).iterations.item<int>();
  };
  EXPECT_LT(steps("brentq"), 12);
  EXPECT_GT(steps("bisect"), 18);
}

TEST(RootScalar, RootsOfHighOrderAndAtTheEnds) {
  EXPECT_NEAR(brentq([](const Array& x) { return numpy::power(x - 0.5, 9); }, -1, 4).item<float>(), 0.5, 0.05);
  EXPECT_EQ(brentq([](const Array& x) { return x - 1.0; }, 1, 4).item<float>(), 1);
  EXPECT_EQ(bisect([](const Array& x) { return x - 4.0; }, 1, 4).item<float>(), 4);
}

TEST(RootScalar, WithoutAChangeOfSignThereIsNone) {
  const RootScalarResults r = root_scalar([](const Array& x) { return x * x + 1.0; }, {.bracket = between(-1, 2)});
  EXPECT_TRUE(std::isnan(r.root.item<float>()));
  EXPECT_FALSE(r.converged.item<bool>());
  const RootScalarResults n = root_scalar([](const Array& x) { return x * x + 1.0; }, {.x0 = Array(0.3f)});
  EXPECT_FALSE(n.converged.item<bool>());
}

TEST(RootScalar, DifferentiatesWhatItClosesOver) {
  const auto root_of = [](const Array& a) { return brentq([&](const Array& x) { return x * x - a; }, 0, 10); };
  const auto by_newton = [](const Array& a) { return newton([&](const Array& x) { return x * x - a; }, 3.0); };
  EXPECT_NEAR(grad(root_of)(Array(4.0f)).item<float>(), 0.25, 1e-6);
  EXPECT_NEAR(grad(grad(by_newton))(Array(4.0f)).item<float>(), -1.0 / 32, 1e-5);
  EXPECT_NEAR(jvp(by_newton, std::tuple(Array(4.0f)), std::tuple(Array(2.0f))).second.item<float>(), 0.5, 1e-6);
  const Array roots = vmap(jit(root_of))(numpy::array({1.0f, 4.0f, 9.0f}));
  for (int64_t i = 0; i < 3; ++i) EXPECT_NEAR(roots[i].item<float>(), static_cast<double>(i + 1), 1e-5);
}

TEST(Newton, OfAnArrayFindsEach) {
  const Array a = numpy::array({4.0f, 9.0f, 2.0f});
  const Array x = newton([&](const Array& v) { return v * v - a; }, numpy::ones({3}));
  EXPECT_NEAR(x[2].item<float>(), std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(x[1].item<float>(), 3, 1e-5);
}

TEST(RootScalar, RefusesWhatItLacks) {
  const auto f = [](const Array& x) { return x; };
  EXPECT_THROW(root_scalar(f, {}), Error);
  EXPECT_THROW(root_scalar(f, {.method = "brentq", .x0 = Array(1.0f)}), Error);
  EXPECT_THROW(root_scalar(f, {.method = "toms748", .bracket = between(-1, 1)}), Error);
  EXPECT_THROW(brentq(f, numpy::ones({2}), 1), Error);
}

}  // namespace
}  // namespace hilo::scipy::optimize
