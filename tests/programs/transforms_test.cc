// SPDX-License-Identifier: Apache-2.0
// Programs of users with experience in JAX who don't know hilo's headers: transformations and control flow.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "hilo/hilo.h"

using namespace hilo;

namespace {

TEST(Transforms, NewtonsMethodWithAHessian) {
  auto f = [](Array x) { return numpy::sum(numpy::power(x, 4)) + numpy::sum((x - 1) * (x - 1)); };
  Array x = numpy::array({3.0, -2.0});
  for (int i = 0; i < 20; ++i) x = x - numpy::linalg::solve(hessian(f)(x), grad(f)(x));
  EXPECT_LT(numpy::linalg::norm(grad(f)(x)).item<float>(), 1e-4f);
}

TEST(Transforms, Jacobians) {
  auto f = [](Array x) { return numpy::stack({x[0] * x[1], numpy::sin(x[0])}); };
  Array x = numpy::array({2.0f, 3.0f});
  Array forward = jacfwd(f)(x), reverse = jacrev(f)(x);
  EXPECT_TRUE(numpy::allclose(forward, reverse).item<bool>());
  EXPECT_NEAR(forward(1, 0).item<float>(), std::cos(2.0f), 1e-6);
}

TEST(Transforms, DerivativesOfHigherOrder) {
  auto f = [](Array x) { return x * x * x; };
  EXPECT_EQ(grad(grad(f))(3.0f).item<float>(), 18);
  EXPECT_EQ(grad(grad(grad(f)))(3.0f).item<float>(), 6);
}

TEST(Transforms, GradientWithRespectToTheSecondArgument) {
  auto f = [](Array x, Array y) { return x * y + y * y; };
  Array g = grad<1>(f)(2.0, 3.0);
  EXPECT_EQ(g.item<float>(), 8);
  auto [gx, gy] = grad<0, 1>(f)(2.0, 3.0);
  EXPECT_EQ(gx.item<float>(), 3);
  EXPECT_EQ(gy.item<float>(), 8);
}

TEST(Transforms, ForwardAndReverseProducts) {
  auto f = [](Array x) { return numpy::tanh(x); };
  Array x = numpy::linspace(-1, 1, 5), v = numpy::ones_like(x);
  auto [y, t] = jvp(f, std::tuple(x), std::tuple(v));
  auto [y2, pullback] = vjp(f, x);
  Array ct = std::get<0>(pullback(v));
  EXPECT_TRUE(numpy::allclose(t, 1 - y * y).item<bool>());
  EXPECT_TRUE(numpy::allclose(t, ct).item<bool>());
  auto [y3, lin] = linearize(f, x);
  EXPECT_TRUE(numpy::allclose(lin(v), t).item<bool>());
}

TEST(Transforms, RuleOfOnesOwnForward) {
  auto log1pexp = custom_jvp([](Array x) {
                    return numpy::log(1.0 + numpy::exp(x));
                  }).defjvp([](std::tuple<Array> primals, std::tuple<Array> tangents) {
    auto [x] = primals;
    auto [t] = tangents;
    Array y = numpy::log(1.0 + numpy::exp(x));
    return std::pair(y, (1 - 1 / (1 + numpy::exp(x))) * t);
  });
  EXPECT_EQ(grad(log1pexp)(100.0f).item<float>(), 1);
}

TEST(Transforms, RuleOfOnesOwnReverse) {
  auto clip_gradient =
      custom_vjp([](Array, Array, Array x) { return x; })
          .defvjp([](Array lo, Array hi, Array x) { return std::pair(x, std::tuple(lo, hi)); },
                  [](std::tuple<Array, Array> res, Array g) {
                    auto [lo, hi] = res;
                    return std::tuple(numpy::zeros_like(lo), numpy::zeros_like(hi), numpy::clip(g, lo, hi));
                  });
  auto f = [&](Array x) { return 10 * clip_gradient(-0.5f, 0.5f, x); };
  EXPECT_EQ(grad(f)(1.0f).item<float>(), 0.5f);
}

TEST(Transforms, BatchesOverSomeArguments) {
  auto f = [](Array a, Array b) { return numpy::dot(a, b); };
  Array m = numpy::arange(6.0).reshape(2, 3), v = numpy::ones(3);
  EXPECT_EQ(vmap(f, {0, none})(m, v).to_vector<float>(), (std::vector<float>{3, 12}));
  Array outer = vmap(vmap([](Array a, Array b) { return a * b; }, {none, 0}), {0, none})(v, v);
  EXPECT_EQ(outer.shape(), (numpy::Shape{3, 3}));
  Array columns = vmap([](Array c) { return c.sum(); }, {.in_axes = 1})(m);
  EXPECT_EQ(columns.shape(), (numpy::Shape{3}));
}

TEST(Transforms, GradientsOfEachExample) {
  auto loss = [](Array w, Array x, Array y) { return (numpy::dot(w, x) - y) * (numpy::dot(w, x) - y); };
  Array w = numpy::array({1.0f, 2.0f}), x = numpy::eye(2), y = numpy::zeros(2);
  Array g = jit(vmap(grad(loss), {none, 0, 0}))(w, x, y);
  EXPECT_TRUE(numpy::array_equal(g, numpy::array({{2.0f, 0.0f}, {0.0f, 4.0f}})).item<bool>());
}

TEST(Transforms, MeanOverANamedAxis) {
  auto normalize = [](Array x) { return x - lax::pmean(x, "batch"); };
  Array y = vmap(normalize, {.axis_name = "batch"})(numpy::arange(4.0f));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{-1.5, -0.5, 0.5, 1.5}));
}

TEST(Transforms, LoopsWithBoundsAndConditions) {
  Array factorial = lax::fori_loop(1, 6, [](Array i, Array acc) { return acc * i; }, 1);
  EXPECT_EQ(factorial.item<int>(), 120);
  auto [steps, n] =
      lax::while_loop([](std::tuple<Array, Array> s) { return std::get<1>(s) != 1; },
                      [](std::tuple<Array, Array> s) {
                        auto [steps, n] = s;
                        return std::tuple(steps + 1, numpy::where(n % 2 == 0, n / 2, 3 * n + 1).astype(int32));
                      },
                      std::tuple<Array, Array>(0, 27));
  EXPECT_EQ(steps.item<int>(), 111);
}

TEST(Transforms, PowerIterationInAJittedLoop) {
  Array a = numpy::array({{2.0f, 1.0f}, {1.0f, 3.0f}});
  auto power = jit([](Array a) {
    Array v = lax::fori_loop(
        0, 50, [&](Array, Array v) { return numpy::matmul(a, v) / numpy::linalg::norm(a * v); }, numpy::ones(2));
    v = v / numpy::linalg::norm(v);
    return numpy::vdot(v, numpy::matmul(a, v));
  });
  EXPECT_NEAR(power(a).item<float>(), (5 + std::sqrt(5.0)) / 2, 1e-4);
}

TEST(Transforms, BranchesOfTracedValues) {
  auto f = jit([](Array x) { return lax::cond(x > 0, [](Array x) { return x * 2; }, [](Array x) { return -x; }, x); });
  EXPECT_EQ(f(3.0f).item<float>(), 6);
  EXPECT_EQ(f(-3.0f).item<float>(), 3);
  auto g = [](Array i, Array x) {
    return lax::switch_(i, {[](Array x) { return x + 1; }, [](Array x) { return x * 10; }, [](Array x) { return -x; }},
                        x);
  };
  EXPECT_EQ(g(1, 4.0f).item<float>(), 40);
}

TEST(Transforms, ScanOfASequence) {
  auto [last, all_of_them] =
      lax::scan([](Array carry, Array x) { return std::pair(carry + x, carry + x); }, 0, numpy::arange(5));
  EXPECT_EQ(last.item<int>(), 10);
  EXPECT_EQ(all_of_them.to_vector<int>(), (std::vector<int>{0, 1, 3, 6, 10}));
  Array prefix = lax::associative_scan([](Array a, Array b) { return a * b; }, numpy::arange(1, 6));
  EXPECT_EQ(prefix[-1].item<int>(), 120);
  Array squares = lax::map([](Array x) { return x * x; }, numpy::arange(4));
  EXPECT_EQ(squares[3].item<int>(), 9);
}

TEST(Transforms, CheckpointedLayers) {
  auto block = checkpoint([](Array x) { return numpy::sin(numpy::sin(x)); });
  auto f = [&](Array x) { return block(block(x)); };
  EXPECT_NEAR(grad(f)(0.0f).item<float>(), 1, 1e-6);
}

TEST(Transforms, ShapesWithoutValues) {
  auto f = [](Array x) { return numpy::matmul(x, x.T()); };
  auto out = eval_shape(f, ShapeDtypeStruct({3, 5}, float32));
  EXPECT_EQ(out.shape(), (numpy::Shape{3, 3}));
  auto compiled = jit(f).lower(numpy::ones({3, 5})).compile();
  EXPECT_EQ(compiled(numpy::ones({3, 5})).shape(0), 3);
}

}  // namespace
