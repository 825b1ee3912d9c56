// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/custom_jvp.h"

#include <gtest/gtest.h>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/golden_values.h"

namespace hilo {
namespace {

using Pair = std::pair<Array, Array>;

Array x() { return numpy::array({-3.0f, 0.5f, 2.0f}); }
Array y() { return numpy::array({1.5f, -2.0f, 0.25f}); }
Array rows() { return numpy::stack({x(), y()}); }

/// A function of two arguments. Its rule is not its derivative, so that the tests see whether the rule was used.
Array twice_the_slope(const Array& a, const Array& b) {
  static const auto f = custom_jvp([](Array p, Array q) {
                          return numpy::sin(p) * q;
                        }).defjvp([](std::tuple<Array, Array> primals, std::tuple<Array, Array> tangents) {
    const auto& [p, q] = primals;
    const auto& [tp, tq] = tangents;
    return Pair(twice_the_slope(p, q), 2.0f * numpy::cos(p) * q * tp + 3.0f * numpy::sin(p) * tq);
  });
  return f(a, b);
}

Array log1pexp(const Array& a) {
  static const auto f =
      custom_jvp([](Array p) { return numpy::log(1.0f + numpy::exp(p)); }).defjvps([](Array t, Array ans, Array p) {
        return (1.0f - numpy::exp(-numpy::where(p > 50.0f, p, ans))) * t;
      });
  return f(a);
}

Array total(const Array& a, const Array& b) { return numpy::sum(twice_the_slope(a, b)); }

Array slopes_summed(const Array& a) { return numpy::sum(grad(total)(a, y())); }

Array running(const Array& start, const Array& factors) {
  return lax::scan(
             [](Array c, Array b) {
               c = twice_the_slope(c, b);
               return Pair(c, c);
             },
             start, factors)
      .second;
}

TEST(CustomJvp, GivesTheFunctionsValueAndTheRulesSlope) {
  EXPECT_EQ(twice_the_slope(x(), y()).to_string(), (numpy::sin(x()) * y()).to_string());
  expect_golden("custom_jvp.grad", grad<0, 1>(total)(x(), y()));
  expect_golden("custom_jvp.grad", jit(grad<0, 1>(total))(x(), y()));
  expect_golden("custom_jvp.grad", grad<0, 1>(jit(total))(x(), y()));
}

TEST(CustomJvp, RuleIsUsedAgainInSecondDerivatives) {
  expect_golden("custom_jvp.grad_grad", grad(slopes_summed)(x()));
  expect_golden("custom_jvp.grad_grad", jit(grad(jit(slopes_summed)))(x()));
  const auto second = vmap(grad(grad(log1pexp)));
  expect_golden("custom_jvp.log1pexp", second(numpy::array({-3.0f, 0.5f, 100.0f})));
  expect_golden("custom_jvp.log1pexp", jit(second)(numpy::array({-3.0f, 0.5f, 100.0f})));
}

TEST(CustomJvp, RuleStaysThroughVmap) {
  const auto over_rows = [](Array a, Array b) { return numpy::sum(vmap(twice_the_slope, {0, kNoAxis})(a, b)); };
  expect_golden("custom_jvp.grad_vmap", grad(over_rows)(rows(), y()));
  expect_golden("custom_jvp.grad_vmap", jit(grad(over_rows))(rows(), y()));
  expect_golden("custom_jvp.grad_vmap", grad(jit(over_rows))(rows(), y()));
  expect_golden("custom_jvp.grad_of_unbatched", grad<1>(over_rows)(rows(), y()));
  expect_golden("custom_jvp.vmap_grad", vmap(grad(twice_the_slope))(x(), y()));
  expect_golden("custom_jvp.vmap_grad",
                vmap(vmap(grad(twice_the_slope)))(numpy::reshape(x(), {1, 3}), numpy::reshape(y(), {1, 3})));
}

TEST(CustomJvp, RuleIsUsedInsideLoops) {
  const auto sum = [](Array a, Array b) { return numpy::sum(running(a, b)); };
  expect_golden("custom_jvp.scan", grad<0, 1>(sum)(0.3f, y()));
  expect_golden("custom_jvp.scan", jit(grad<0, 1>(jit(sum)))(0.3f, y()));
  expect_golden("custom_jvp.scan_jvp", jvp(running, std::tuple(Array(0.3f), y()), std::tuple(Array(1.0f), x())));
}

bool close(const Array& got, const Array& wanted) { return numpy::allclose(got, wanted).item<bool>(); }

TEST(CustomJvp, RulesMayPushThroughLoopsThatReverseModePulls) {
  const auto loop = [](Array v) {
    const auto step = [](Array c, Array s) { return std::pair(numpy::sin(c) * s, c * c); };
    const auto [last, all] = lax::scan(step, v, numpy::stack({v, v * v, numpy::cos(v)}));
    return last + numpy::sum(all, 0);
  };
  const auto called = jit(loop);
  const auto branch = [&](Array v) { return lax::cond(numpy::sum(v) < 100.0f, loop, [](Array w) { return w; }, v); };
  const auto check = [](const auto& f) {
    const auto ruled = custom_jvp(f).defjvp([f](std::tuple<Array> p, std::tuple<Array> t) { return jvp(f, p, t); });
    const auto gradient_of = [](const auto& g) { return grad([&g](Array v) { return numpy::sum(g(v)); }); };
    const Array wanted = gradient_of(f)(x());
    EXPECT_TRUE(close(gradient_of(ruled)(x()), wanted));
    EXPECT_TRUE(close(jit(gradient_of(ruled))(x()), wanted));
    EXPECT_TRUE(close(vmap(gradient_of(ruled))(rows())[0], wanted));
  };
  check(loop);
  check([&](Array v) { return called(v); });
  check(branch);
}

TEST(CustomJvp, TakesTreesAndAddsUpDefjvps) {
  struct Point {
    Array a, b;
  };
  const auto f = custom_jvp([](Point p, Array s) { return Point{p.a * s, p.b + s}; })
                     .defjvps([](Point t, Point, Point, Array) { return Point{t.a * 10.0f, t.b}; },
                              [](Array t, Point ans, Point, Array) { return Point{ans.a * t, ans.b * t}; });
  const Point p{2.0f, 3.0f};
  const auto [value, tangent] = jvp(f, std::tuple(p, Array(5.0f)), std::tuple(Point{1.0f, 1.0f}, Array(1.0f)));
  EXPECT_EQ(value.a.item<float>(), 10);
  EXPECT_EQ(tangent.a.item<float>(), 20);  // 10 + 10
  EXPECT_EQ(tangent.b.item<float>(), 9);   // 1 + 8
  const auto nothing = custom_jvp([](Array a) { return a * a; }).defjvps(nullptr);
  EXPECT_EQ(grad(nothing)(3.0f).item<float>(), 0);
}

TEST(CustomJvp, NondiffArgumentsComeFirstAndMayBeAnything) {
  const auto f = custom_jvp<0, 2>([](auto function, Array a, int n) {
                   return function(a) * static_cast<float>(n);
                 }).defjvp([](auto function, int n, std::tuple<Array> primals, std::tuple<Array> tangents) {
    const Array out = function(std::get<0>(primals)) * static_cast<float>(n);
    return Pair(out, std::get<0>(tangents) * static_cast<float>(100 * n));
  });
  const auto square = [](Array a) { return a * a; };
  EXPECT_EQ(f(square, Array(3.0f), 2).item<float>(), 18);
  EXPECT_EQ(grad([&](Array a) { return f(square, a, 2); })(3.0f).item<float>(), 200);
  EXPECT_EQ(grad(jit([&](Array a) { return f(square, a, 3); }))(3.0f).item<float>(), 300);
}

TEST(CustomJvp, RuleSeesValuesOutsideOfJit) {
  const auto f = custom_jvp([](Array a) { return a * 2.0f; }).defjvp([](std::tuple<Array> a, std::tuple<Array> t) {
    return Pair(std::get<0>(a) * 2.0f, std::get<0>(a) > 0.0f ? std::get<0>(t) : -std::get<0>(t));
  });
  EXPECT_EQ(grad(f)(3.0f).item<float>(), 1);
  EXPECT_EQ(grad(f)(-3.0f).item<float>(), -1);
  EXPECT_THROW(jit(grad(f))(3.0f), ConcretizationError);
}

TEST(CustomJvp, ClosedOverArraysAreConstantsOfTheRule) {
  const Array factors = numpy::array({1.0f, 10.0f, 100.0f});
  const auto f = custom_jvp([factors](Array a) {
                   return a * factors;
                 }).defjvp([factors](std::tuple<Array> a, std::tuple<Array> t) {
    return Pair(std::get<0>(a) * factors, std::get<0>(t) * factors * factors);
  });
  const auto loop = [&](Array a) { return numpy::sum(lax::fori_loop(0, 2, [&](Array, Array c) { return f(c); }, a)); };
  EXPECT_EQ(grad(loop)(x()).to_vector<float>(), (std::vector<float>{1, 1e4f, 1e8f}));
  EXPECT_EQ(jit(grad(jit(loop)))(x()).to_vector<float>(), (std::vector<float>{1, 1e4f, 1e8f}));
}

TEST(CustomJvp, RefusesDerivativesOfWhatItClosesOver) {
  const std::string text = error_of(
      [] {
        grad([](Array w) {
          return custom_jvp([w](Array a) { return a * w; }).defjvp([](std::tuple<Array> a, std::tuple<Array> t) {
            return Pair(std::get<0>(a), std::get<0>(t));
          })(Array(2.0f) * w);
        })(3.0f);
      },
      StatusCode::kUnimplemented);
  EXPECT_NE(text.find("Detected differentiation of a custom_jvp function with respect to a closed-over value"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("custom_jvp_test.cc:"), std::string::npos) << text;
}

TEST(CustomJvp, SaysWhatARuleGotWrong) {
  const auto wrong_shape = custom_jvp([](Array a) { return a; }).defjvp([](std::tuple<Array> a, std::tuple<Array> t) {
    return Pair(std::get<0>(a), numpy::sum(std::get<0>(t)));
  });
  const std::string shape =
      error_of([&] { grad([&](Array a) { return numpy::sum(wrong_shape(a)); })(x()); }, StatusCode::kInvalidArgument);
  EXPECT_NE(shape.find("Custom JVP rule must produce primal and tangent outputs with equal shapes and dtypes"),
            std::string::npos)
      << shape;
  EXPECT_NE(shape.find("tangent output 0 is f32[], wanted f32[3]"), std::string::npos) << shape;

  using List = std::vector<Array>;
  const auto wrong_tree =
      custom_jvp([](Array a) { return List{a, a}; }).defjvp([](std::tuple<Array> a, std::tuple<Array> t) {
        return std::pair(List{std::get<0>(a), std::get<0>(a)}, List{std::get<0>(t)});
      });
  const std::string tree =
      error_of([&] { grad([&](Array a) { return numpy::sum(wrong_tree(a)[0]); })(x()); }, StatusCode::kInvalidArgument);
  EXPECT_NE(tree.find("equal container structures"), std::string::npos) << tree;

  const auto f =
      custom_jvp<1>([](Array a, Array) { return a; }).defjvp([](Array, std::tuple<Array> a, std::tuple<Array> t) {
        return Pair(std::get<0>(a), std::get<0>(t));
      });
  const std::string tracer =
      error_of([&] { grad([&](Array a) { return f(a, a); })(3.0f); }, StatusCode::kFailedPrecondition);
  EXPECT_NE(tracer.find("Tracers cannot be passed as non-differentiable arguments"), std::string::npos) << tracer;
}

TEST(CustomJvp, TakesIntegersEmptyArraysAndNarrowTypes) {
  const auto f = custom_jvp([](Array a, Array n) {
                   return std::pair(a * numpy::astype(n, a.dtype()), n + 1);
                 }).defjvp([](std::tuple<Array, Array> p, std::tuple<Array, Array> t) {
    const auto& [a, n] = p;
    return std::pair(std::pair(a * numpy::astype(n, a.dtype()), n + 1),
                     std::pair(std::get<0>(t) * 7.0f, std::get<1>(t)));
  });
  for (const ElementType type : {ElementType::kBf16, ElementType::kF32, ElementType::kC64}) {
    const Array a = numpy::astype(numpy::ones({0}), type), n = numpy::arange(0);
    const auto [value, tangent] = jvp(f, std::tuple(a, n), std::tuple(a, n));
    EXPECT_EQ(tangent.first.dtype(), type);
    EXPECT_EQ(value.second.dtype(), ElementType::kS32);
    EXPECT_EQ(tangent.first.shape(0), 0);
  }
}

TEST(CustomJvp, SymbolicZerosSayWhatDoesntMove) {
  std::vector<bool> zeros;
  const auto rule = [&zeros](std::tuple<Array, Array> primals, std::tuple<Array, Array> tangents) {
    const auto& [a, b] = primals;
    const auto& [da, db] = tangents;
    zeros = {is_symbolic_zero(da), is_symbolic_zero(db)};
    return std::pair(a * b, is_symbolic_zero(db) ? da * b : da * b + a * db);
  };
  const auto product = [](Array a, Array b) { return a * b; };
  const auto f = custom_jvp(product).defjvp(rule, {.symbolic_zeros = true});
  EXPECT_EQ(grad(f)(2.0f, 3.0f).item<float>(), 3);
  EXPECT_EQ(zeros, (std::vector<bool>{false, true}));
  const auto both = jit(grad<0, 1>(f))(2.0f, 3.0f);
  EXPECT_EQ(std::get<1>(both).item<float>(), 2);
  EXPECT_EQ(zeros, (std::vector<bool>{false, false}));
  grad(custom_jvp(product).defjvp(rule))(2.0f, 3.0f);
  EXPECT_EQ(zeros, (std::vector<bool>{false, false})) << "nobody asked";
}

}  // namespace
}  // namespace hilo
