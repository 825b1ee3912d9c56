// SPDX-License-Identifier: Apache-2.0
// Comparisons with JAX's and SciPy's values are in tests/scipy/golden.inc.
#include "hilo/scipy/integrate/ode.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::integrate {
namespace {

constexpr OdeintOptions kFloat = {.rtol = 1e-6, .atol = 1e-6};
float greatest(const Array& x) { return numpy::max(numpy::abs(x)).item<float>(); }
Array times() { return numpy::array({0.0f, 0.5f, 1.0f, 2.0f}); }

struct Body {
  Array place, speed;
};

TEST(Odeint, SolvesATree) {
  const auto spring = [](const Body& b, const Array&) { return Body{b.speed, -b.place}; };
  const Body y = odeint(spring, Body{numpy::array({1.0f, 0.0f}), numpy::array({0.0f, 2.0f})}, times(), kFloat);
  EXPECT_LT(greatest(y.place(all, 0) - numpy::cos(times())), 1e-5);
  EXPECT_LT(greatest(y.speed(all, 1) - 2.0 * numpy::cos(times())), 1e-5);
}

TEST(Odeint, GradientsAreThoseOfTheSolution) {
  // y' = a y cos(t), y = y0 exp(a (sin t - sin t0))
  const auto last = [](const Array& y0, const Array& a, const Array& t1) {
    const auto f = [](const Array& y, const Array& t, const Array& rate) { return rate * y * numpy::cos(t); };
    return odeint(f, y0, numpy::stack({Array(0.25f), t1}), std::tuple(a), kFloat)[1];
  };
  const Array y0(1.5f), a(0.7f), t1(1.25f);
  const float span = std::sin(1.25f) - std::sin(0.25f), y = 1.5f * std::exp(0.7f * span);
  EXPECT_NEAR(last(y0, a, t1).item<float>(), y, 1e-5);
  EXPECT_NEAR(grad<0>(last)(y0, a, t1).item<float>(), y / 1.5f, 1e-4);
  EXPECT_NEAR(grad<1>(last)(y0, a, t1).item<float>(), y * span, 1e-4);
  EXPECT_NEAR(grad<2>(last)(y0, a, t1).item<float>(), 0.7f * y * std::cos(1.25f), 1e-4);
  EXPECT_NEAR(jit(grad<1>(last))(y0, a, t1).item<float>(), y * span, 1e-4);
}

TEST(Odeint, DifferentiatesWhatTheFunctionClosesOver) {
  const auto sum = [](const Array& rates) {
    const Array y = odeint([&](const Array& y, const Array&) { return -rates * y; }, numpy::ones({2}), times(), kFloat);
    return numpy::sum(y);
  };
  const Array rates = numpy::array({0.5f, 2.0f});
  const std::vector<float> got = grad(sum)(rates).to_vector<float>();
  for (size_t i = 0; i < 2; ++i) {
    float wanted = 0;
    for (float t : {0.0f, 0.5f, 1.0f, 2.0f}) wanted -= t * std::exp(-rates[static_cast<int64_t>(i)].item<float>() * t);
    EXPECT_NEAR(got[i], wanted, 1e-4);
  }
}

TEST(Odeint, Batches) {
  const auto last = [](const Array& rate) {
    return odeint([&](const Array& y, const Array&) { return -rate * y; }, Array(1.0f), times(), kFloat)[-1];
  };
  const Array rates = numpy::array({0.1f, 1.0f, 5.0f});
  EXPECT_LT(greatest(vmap(last)(rates) - numpy::exp(-2.0f * rates)), 1e-5);
  EXPECT_LT(greatest(vmap(grad(last))(rates) + 2.0f * numpy::exp(-2.0f * rates)), 1e-4);
}

TEST(Odeint, TimesThatAreNotReachedAreNan) {
  const auto f = [](const Array& y, const Array&) { return numpy::cos(40.0 * y) * 40.0; };
  const Array y = odeint(f, Array(0.0f), times(), {.rtol = 1e-6, .atol = 1e-6, .mxstep = 2});
  EXPECT_EQ(y[0].item<float>(), 0);
  EXPECT_TRUE(std::isnan(y[3].item<float>()));
}

TEST(Odeint, RefusesOtherTypesAndShapes) {
  const auto same = [](const Array& y, const Array&) { return y; };
  EXPECT_THROW((void)odeint(same, Array(numpy::arange(3)), times()), Error);
  EXPECT_THROW((void)odeint(same, numpy::ones({2}), numpy::arange(3)), Error);
  EXPECT_THROW((void)odeint(same, numpy::ones({2}), Array(1.0f)), Error);
  EXPECT_THROW((void)odeint([](const Array& y, const Array&) { return numpy::sum(y); }, numpy::ones({2}), times()),
               Error);
}

TEST(SolveIvp, DenseOutputIsTheSolutionEverywhere) {
  const auto f = [](const Array& t, const Array& y) { return y * numpy::cos(t); };
  for (double end : {3.0, -2.0}) {
    const OdeResult r = solve_ivp(f, {Array(0.0), Array(end)}, numpy::array({1.0f, 2.0f}),
                                  {.dense_output = true, .rtol = 1e-6, .atol = 1e-7, .max_steps = 100});
    EXPECT_TRUE(r.success.item<bool>());
    const Array t = numpy::linspace(0.0, end, 23);
    const Array y = (*r.sol)(t), wanted = numpy::exp(numpy::sin(t));
    EXPECT_LT(greatest(y[0] - wanted), 2e-5) << end;
    EXPECT_LT(greatest(y[1] - 2.0 * wanted), 4e-5) << end;
    EXPECT_LT(greatest(r.y(all, -1) - y(all, -1)), 1e-5) << end;
    EXPECT_EQ(Dimensions((*r.sol)(0.5).shape()), (Dimensions{2}));
  }
}

TEST(SolveIvp, TooFewStepsAreNoSuccess) {
  const auto f = [](const Array&, const Array& y) { return -50.0 * y; };
  const OdeResult r = solve_ivp(f, {Array(0.0), Array(10.0)}, numpy::ones({1}), {.dense_output = true, .max_steps = 3});
  EXPECT_FALSE(r.success.item<bool>());
}

TEST(Odeint, TakesItsArgumentsOneByOne) {
  const auto f = [](Array y, Array, Array k, Array shift) { return shift - k * y; };
  const Array t = numpy::array({0.0f, 1.0f});
  const Array got = odeint(f, numpy::array(1.0f), t, 2.0, Array(0.0f));
  EXPECT_NEAR(got.to_vector<float>()[1], std::exp(-2.0f), 1e-5f);
  const Array in_k = grad([&](Array k) { return odeint(f, numpy::array(1.0f), t, k, 0.0)[1]; })(2.0f);
  EXPECT_NEAR(in_k.item<float>(), -std::exp(-2.0f), 1e-4f);
}

TEST(SolveIvp, RefusesOtherMethodsAndShapes) {
  const auto f = [](const Array&, const Array& y) { return y; };
  const std::pair<Array, Array> span{Array(0.0), Array(1.0)};
  EXPECT_THROW(solve_ivp(f, span, numpy::ones({1}), {.method = "Radau"}), Error);
  EXPECT_THROW(solve_ivp(f, span, Array(1.0f)), Error);
  EXPECT_THROW(solve_ivp(f, span, numpy::ones({1}), {.max_steps = 0}), Error);
}

}  // namespace
}  // namespace hilo::scipy::integrate
