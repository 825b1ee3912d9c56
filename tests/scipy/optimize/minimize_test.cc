// SPDX-License-Identifier: Apache-2.0
// Comparisons with JAX's values are in tests/scipy/golden.inc.
#include "hilo/scipy/optimize/minimize.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::optimize {
namespace {

constexpr const char* kLbfgs = "l-bfgs-experimental-do-not-rely-on-this";
float greatest(const Array& x) { return numpy::max(numpy::abs(x)).item<float>(); }
Array target() { return numpy::array({1.0f, -2.0f, 0.5f}); }
Array bowl(const Array& x) { return numpy::sum(numpy::cosh(x - target())); }

TEST(Minimize, FindsTheBottomByBothMethods) {
  for (const char* method : {"BFGS", "bfgs", kLbfgs}) {
    const OptimizeResults r = minimize(bowl, numpy::zeros({3}), {.method = method});
    EXPECT_TRUE(r.success.item<bool>()) << method;
    EXPECT_EQ(r.status.item<int>(), 0);
    EXPECT_LT(greatest(r.x - target()), 1e-3);
    EXPECT_LT(greatest(r.jac), 1e-4);
    EXPECT_NEAR(r.fun.item<float>(), 3, 1e-5);
    EXPECT_GE(r.nfev.item<int>(), r.nit.item<int>());
  }
}

TEST(Minimize, KnowsTheInverseHessianByBfgs) {
  const OptimizeResults r = minimize(bowl, numpy::zeros({3}), {.method = "BFGS"});
  EXPECT_LT(greatest(*r.hess_inv - numpy::eye(3)), 0.2);  // the Hessian of cosh at its minimum is 1
  EXPECT_FALSE(minimize(bowl, numpy::zeros({3}), {.method = kLbfgs}).hess_inv.has_value());
}

TEST(Minimize, TakesArgumentsAndOptions) {
  const auto f = [](const Array& x, const Array& a) { return numpy::sum(numpy::square(x - a)); };
  const OptimizeResults r = minimize(f, numpy::zeros({3}), std::tuple(target()), {.method = "BFGS"});
  EXPECT_LT(greatest(r.x - target()), 1e-4);
  const OptimizeResults one = minimize(bowl, numpy::zeros({3}), {.method = "BFGS", .options = {{"maxiter", 1}}});
  EXPECT_EQ(one.nit.item<int>(), 1);
  EXPECT_EQ(one.status.item<int>(), 1);
  EXPECT_FALSE(one.success.item<bool>());
  const OptimizeResults loose = minimize(bowl, numpy::zeros({3}), {.method = "BFGS", .tol = 10.0});
  EXPECT_EQ(loose.nit.item<int>(), 0);
}

TEST(Minimize, TracedBatchedAndDifferentiatedForwards) {
  const auto best = [](const Array& x0) { return minimize(bowl, x0, {.method = "BFGS"}).x; };
  const Array starts = numpy::array({{0.0f, 0.0f, 0.0f}, {2.0f, -1.0f, 0.0f}});
  EXPECT_LT(greatest(jit(best)(starts[0]) - target()), 1e-3);
  EXPECT_LT(greatest(vmap(best)(starts) - target()), 1e-3);
  const auto moved = [](const Array& a) {
    return minimize([&](const Array& x) { return numpy::sum(numpy::square(x - a)); }, numpy::zeros({2}),
                    {.method = "BFGS"})
        .x;
  };
  const Array a = numpy::array({1.0f, 2.0f}), direction = numpy::array({0.5f, -1.0f});
  EXPECT_LT(greatest(jvp(moved, std::tuple(a), std::tuple(direction)).second - direction), 1e-3);
}

TEST(Minimize, RefusesWhatItDoesNotKnow) {
  const Array x = numpy::zeros({3});
  EXPECT_THROW(minimize(bowl, x, {.method = "Nelder-Mead"}), Error);
  EXPECT_THROW(minimize(bowl, x, {.method = "BFGS", .options = {{"maxfun", 3}}}), Error);
  EXPECT_THROW(minimize(bowl, numpy::zeros({2, 2}), {.method = "BFGS"}), Error);
  EXPECT_THROW(minimize(bowl, numpy::array({1, 2, 3}), {.method = "BFGS"}), Error);
  EXPECT_THROW(minimize(bowl, numpy::zeros({3}, ElementType::kC64), {.method = kLbfgs}), Error);
  EXPECT_THROW(minimize(bowl, x, {.method = kLbfgs, .options = {{"maxcor", 0}}}), Error);
}

}  // namespace
}  // namespace hilo::scipy::optimize
