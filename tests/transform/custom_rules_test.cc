// SPDX-License-Identifier: Apache-2.0
// custom_vjp and custom_vmap: cases of JAX's custom_api_test. Expected numbers are computed by hand.
#include "hilo/transform/custom_rules.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/collective.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/sequential_vmap.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_vjp.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/linear_transpose.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/scanned.h"
#include "tests/support/x64.h"

namespace hilo {
namespace {

using Pair = std::pair<Array, Array>;
using One = std::tuple<Array>;
using Floats = std::vector<float>;

/// sin, with a reverse-mode rule that doubles its slope.
const auto reverse_sine = custom_vjp([](Array x) { return numpy::sin(x); })
                              .defvjp([](Array x) { return Pair(numpy::sin(x), numpy::cos(x)); },
                                      [](Array c, Array g) { return 2.0f * c * g; });
Array pulled_sine(const Array& x) { return reverse_sine(x); }

TEST(CustomVjp, RuleIsThereUnderEveryTransformation) {
  const Array x = numpy::arange(3, float32), xx = numpy::reshape(numpy::arange(6, float32), {2, 3});
  const auto slope = [](Array v) { return 2.0f * numpy::cos(v); };
  const auto total = [](const auto& f) { return [&f](Array v) { return numpy::sum(f(v)); }; };
  const auto once = vmap(pulled_sine);
  const auto twice = vmap(vmap(pulled_sine));
  expect_near(vmap(grad(pulled_sine))(x), slope(x));
  expect_near(vmap(vmap(grad(pulled_sine)))(xx), slope(xx));
  expect_near(vmap(value_and_grad(pulled_sine))(x).first, numpy::sin(x));
  expect_near(grad(total(once))(x), slope(x));
  expect_near(grad(total(twice))(xx), slope(xx));
  expect_near(vmap(grad(total(once)))(xx), slope(xx));
  expect_near(jit(grad(pulled_sine))(3.0f), slope(3.0f));
  expect_near(grad(jit(pulled_sine))(3.0f), slope(3.0f));
  const auto loop = [](Array v) { return scanned(pulled_sine, v); };
  expect_near(grad(loop)(3.0f), slope(3.0f));
  expect_near(grad(grad(loop))(3.0f), -2.0f * numpy::sin(3.0f));
  const auto over_rows = vmap(loop);
  expect_near(grad(total(over_rows))(x), slope(x));
  const auto nested = [](Array v) { return pulled_sine(pulled_sine(v)); };
  const auto plain = [](Array v) { return numpy::sin(numpy::sin(v)); };
  expect_near(grad(checkpoint(nested))(2.0f), 4.0f * grad(plain)(2.0f));
  expect_near(grad(grad(checkpoint(nested)))(2.0f), grad(grad(nested))(2.0f), 1e-5);
  expect_near(grad(checkpoint(grad(nested)))(2.0f), grad(grad(nested))(2.0f), 1e-5);
}

struct Wave {
  static Array call(const Array& x) {
    static const auto f = custom_vjp([](Array a) {
                            return numpy::cos(2.0f * a) / 2.0f;
                          }).defvjp([](Array a) { return Pair(call(a), a); }, [](Array, Array g) { return g * 3.0f; });
    return f(x);
  }
};

TEST(CustomVjp, ValueIsTheSameHoweverOftenItIsDifferentiated) {
  const auto f = Wave::call;  // The rule calls the function again.
  const auto first = [&](Array x) { return value_and_grad([&](Array v) { return f(v); })(x).first; };
  const auto second = [&](Array x) { return value_and_grad(first)(x).first; };
  EXPECT_EQ(first(1.0f).item<float>(), f(Array(1.0f)).item<float>());
  EXPECT_EQ(second(1.0f).item<float>(), f(Array(1.0f)).item<float>());
  EXPECT_EQ(grad(first)(1.0f).item<float>(), 3);
  EXPECT_EQ(grad(second)(1.0f).item<float>(), 3);
}

TEST(CustomVjp, RulesSeeValuesOutsideOfJit) {
  const auto f =
      custom_vjp([](Array x) {
        return lax::cond(x > 0.0f, [](Array v) { return numpy::sin(v); }, [](Array v) { return numpy::cos(v); }, x);
      })
          .defvjp([](Array x) { return Pair(x > 0.0f ? numpy::sin(x) : numpy::cos(x), x); },
                  [](Array x, Array g) { return x > 0.0f ? 2.0f * g : 3.0f * g; });
  const auto [y, dy] = value_and_grad([&](Array v) { return f(v); })(2.0f);
  EXPECT_FLOAT_EQ(y.item<float>(), std::sin(2.0f));
  EXPECT_EQ(dy.item<float>(), 2);
  EXPECT_EQ(grad([&](Array v) { return f(v); })(-2.0f).item<float>(), 3);
}

TEST(CustomVjp, ForwardModeIsRefusedUnderVmapAndJitToo) {
  const Array x = numpy::arange(3, float32);
  error_of([&] { jvp(vmap(pulled_sine), One(x), One(x)); }, StatusCode::kUnimplemented);
  error_of([&] { jvp(jit(pulled_sine), One(3.0f), One(1.0f)); }, StatusCode::kUnimplemented);
}

TEST(CustomVjp, TakesMapsAndPartialCotangents) {
  using Map = std::map<std::string, Array>;
  const auto f =
      custom_vjp([](Map x) { return Map{{"b", numpy::sin(x["a"])}}; })
          .defvjp([](Map x) { return std::pair(Map{{"b", numpy::sin(x["a"])}}, Map{{"r", numpy::cos(x["a"])}}); },
                  [](Map r, Map g) { return std::tuple(Map{{"a", 2.0f * r["r"] * g["b"]}}); });
  const Map slope = grad([&](Map x) { return f(x).at("b"); })(Map{{"a", 3.0f}});
  EXPECT_FLOAT_EQ(slope.at("a").item<float>(), 2 * std::cos(3.0f));
  const auto g = custom_vjp([](Array x, Array y) { return x * numpy::sin(y); })
                     .defvjp([](Array x, Array y) { return Pair(x * numpy::sin(y), numpy::cos(y)); },
                             [](Array c, Array ct) { return std::tuple(std::nullopt, 2.0f * c * ct); });
  EXPECT_FLOAT_EQ(grad([&](Array x) { return g(x, x); })(3.0f).item<float>(), 2 * std::cos(3.0f));
  const Array x = numpy::arange(3, float32);
  expect_near(grad([&](Array v) { return numpy::sum(vmap([&](Array a, Array b) { return g(a, b); })(v, v)); })(x),
              2.0f * numpy::cos(x));
  const auto of_pair =
      custom_vjp([](Pair xs, Array y) { return xs.first * xs.second * numpy::sin(y); })
          .defvjp([](Pair xs, Array y) { return Pair(xs.first * xs.second * numpy::sin(y), numpy::cos(y)); },
                  [](Array c, Array ct) { return std::tuple(std::nullopt, 2.0f * c * ct); });
  EXPECT_FLOAT_EQ(grad([&](Array v) { return of_pair(Pair(v, v), v); })(3.0f).item<float>(), 2 * std::cos(3.0f));
}

TEST(CustomVjp, ClipsGradients) {
  const auto clip = custom_vjp([](Array, Array, Array x) { return x; })
                        .defvjp([](Array lo, Array hi, Array x) { return std::pair(x, Pair(lo, hi)); },
                                [](Pair r, Array g) {
                                  return std::tuple(std::nullopt, std::nullopt, numpy::clip(g, r.first, r.second));
                                });
  EXPECT_FLOAT_EQ(grad([&](Array x) { return clip(Array(-0.1f), x + 0.1f, x); })(0.1f).item<float>(), 0.2f);
}

TEST(CustomVjp, LivesInLoopsThatAreBatchedAndDifferentiated) {
  const X64Scope x64;
  const auto product = custom_vjp([](Array x, Array k) { return x * k; })
                           .defvjp([](Array x, Array k) { return std::pair(x * k, Pair(x, k)); },
                                   [](Pair r, Array g) { return std::tuple(g * r.second, numpy::sum(r.first * g)); });
  const auto loop = [&](Array x, Array k) {
    return lax::scan([&](Array c, Array) { return std::pair(product(c, k), std::tuple<>()); }, x, numpy::arange(3))
        .first;
  };
  const auto batched = vmap(loop, {0, kNoAxis});
  const Array x = numpy::reshape(numpy::sin(numpy::arange(6, float64)), {3, 2}), k = numpy::array(1.3);
  const auto [y, pull] = vjp(batched, x, k);
  const Array ct = numpy::cos(x);
  const auto [dx, dk] = pull(ct);
  expect_near(dx, ct * 1.3 * 1.3 * 1.3, 1e-12);
  EXPECT_NEAR(dk.item<double>(), numpy::sum(ct * 3.0 * 1.3 * 1.3 * x).item<double>(), 1e-12);
  const auto rows = [](Array m) {
    const auto total = custom_vjp([](Array v) { return numpy::sum(v); })
                           .defvjp([](Array v) { return Pair(numpy::sum(v), numpy::ones_like(v)); },
                                   [](Array ones, Array g) { return g * ones; });
    const auto summed = [&](Array v) { return numpy::sum(vmap([&](Array row) { return total(row); })(v)); };
    return lax::scan([&](Array c, Array) { return Pair(c, grad(summed)(c)); }, m, numpy::arange(4)).second;
  };
  EXPECT_EQ(rows(numpy::ones({10, 3})).to_vector<double>(), std::vector<double>(120, 1.0));
}

TEST(CustomVjp, FunctionsMaySpeakOverANamedAxis) {
  const auto f = custom_vjp([](Array x) { return lax::psum(x, "foo"); })
                     .defvjp([](Array x) { return std::pair(lax::psum(x, "foo"), std::tuple<>()); },
                             [](std::tuple<>, Array g) { return g; });
  const auto g = [&](Array, Array x) { return scanned([&](Array v) { return f(v); }, x); };
  EXPECT_EQ(vmap(g, VmapOptions{.in_axes = {0, kNoAxis}, .axis_name = "foo"})(numpy::arange(4, float32), 2.0f)
                .to_vector<float>(),
            (Floats{8, 8, 8, 8}));
}

TEST(CustomVjp, RulesMayCloseOverTracersOutside) {
  const auto by_bwd = [](Array y) {
    const auto f = custom_vjp([](Array x) { return 2.0f * numpy::sin(x); })
                       .defvjp([](Array x) { return std::pair(2.0f * numpy::sin(x), std::tuple<>()); },
                               [y](std::tuple<>, Array g) { return 2.0f * numpy::cos(y) * g; });
    return grad([&](Array x) { return f(x); })(1.0f);
  };
  const auto by_fwd = [](Array y) {
    const auto f = custom_vjp([](Array x) { return 2.0f * numpy::sin(x); })
                       .defvjp([y](Array x) { return Pair(2.0f * numpy::sin(x), y); },
                               [](Array v, Array g) { return 2.0f * numpy::cos(v) * g; });
    return grad([&](Array x) { return f(x); })(1.0f);
  };
  const Array ys = numpy::arange(3, float32);
  const auto check = [&](const auto& f) {
    expect_near(jit(f)(2.0f), 2.0f * numpy::cos(2.0f));
    expect_near(vmap(f)(ys), 2.0f * numpy::cos(ys));
    expect_near(jit(vmap(f))(ys), 2.0f * numpy::cos(ys));
    expect_near(vmap(jit(f))(ys), 2.0f * numpy::cos(ys));
    expect_near(grad(f)(4.0f), -2.0f * numpy::sin(4.0f));
  };
  check(by_bwd);
  check(by_fwd);
  const auto outer = [](Array x) {
    return custom_vjp([x](Array y) { return x * y; })
        .defvjp([x](Array y) { return std::pair(x * y, Pair(x, numpy::cos(y))); },
                [](Pair r, Array g) { return r.second * g * r.first; })(Array(3.0f));
  };
  EXPECT_EQ(vmap(outer)(ys).to_vector<float>(), (Floats{0, 3, 6}));
}

TEST(CustomVjp, RulesMayHoldPullbacks) {
  const auto square = [](Array x) { return x * x; };
  const auto f = custom_vjp(square).defvjp([=](Array x) { return Pair(square(x), x); },
                                           [=](Array x, Array g) { return std::get<0>(vjp(square, x).second(g)); });
  const auto g = [&](Array x) { return f(x); };
  EXPECT_EQ(std::get<0>(vjp(g, Array(1.0f)).second(1.0f)).item<float>(), 2);
  EXPECT_EQ(jit([&](Array x, Array ct) { return std::get<0>(vjp(g, x).second(ct)); })(1.0f, 3.0f).item<float>(), 6);
  const auto twice = vjp(vmap(g), numpy::array({3.0f})).second;
  EXPECT_EQ(std::get<0>(twice(numpy::array({1.0f}))).to_vector<float>(), (Floats{6}));
  EXPECT_EQ(std::get<0>(twice(numpy::array({2.0f}))).to_vector<float>(), (Floats{12}));
}

TEST(CustomVjp, IntegersHaveNoCotangentWhateverTheRuleSays) {
  const auto f = custom_vjp([](Array x, Array) { return x; })
                     .defvjp([](Array x, Array) { return std::pair(x, Pair(2.0f, 1)); },
                             [](Pair, Array) { return std::tuple(Array(2.0f), Array(1)); });
  const auto g = [&](Array x, Array n) { return f(x, n); };
  const auto [dx, dn] = grad<0, 1>(g, {.allow_int = true})(2.0f, 3);
  EXPECT_EQ(dx.item<float>(), 2);
  EXPECT_EQ(dn.item<int>(), 0);
  EXPECT_EQ(dn.dtype(), ElementType::kS32);
  const auto pulled = jit([&](Array n) { return vjp(g, Array(0.0f), n).second(1.0f); })(1);
  EXPECT_EQ(std::get<0>(pulled).item<float>(), 2);
  const auto indexed = custom_vjp([](Array, Array x) { return numpy::sin(x); })
                           .defvjp([](Array, Array x) { return Pair(numpy::sin(x), numpy::cos(x)); },
                                   [](Array c, Array ct) { return std::tuple(std::nullopt, 2.0f * c * ct); });
  EXPECT_FLOAT_EQ(grad<1>([&](Array i, Array x) { return indexed(i, x); })(numpy::array({1, 2}), 3.0f).item<float>(),
                  2 * std::cos(3.0f));
  const auto in_loop = [&](Array x, Array n) {
    return lax::scan(
               [&](Pair c, std::nullopt_t) { return std::pair(Pair(f(c.first, c.second), c.second), std::tuple<>()); },
               Pair(x, n), std::nullopt, 1)
        .first.first;
  };
  const auto [ddx, ddn] = grad<0, 1>(in_loop, {.allow_int = true})(2.0f, 3);
  EXPECT_EQ(ddx.item<float>(), 2);
  EXPECT_EQ(ddn.item<int>(), 0);
}

TEST(CustomVjp, GivesOneCotangentForEachOfSeveralResults) {
  const auto f = custom_vjp([](Array x, Array y) { return Pair(numpy::sin(x), x + numpy::cos(y)); })
                     .defvjp(
                         [](Array x, Array y) {
                           return std::pair(Pair(numpy::sin(x), x + numpy::cos(y)), Pair(numpy::cos(x), numpy::sin(y)));
                         },
                         [](Pair r, Pair g) {
                           return std::tuple(2.0f * r.first * g.first + 1.5f * g.second, -0.5f * r.second * g.second);
                         });
  const auto first = grad<0, 1>([&](Array x, Array y) { return f(x, y).first; })(0.1f, -1.3f);
  EXPECT_FLOAT_EQ(std::get<0>(first).item<float>(), 2 * std::cos(0.1f));
  EXPECT_EQ(std::get<1>(first).item<float>(), 0);
  const auto second = grad<0, 1>([&](Array x, Array y) { return f(x, y).second; })(0.1f, -1.3f);
  EXPECT_EQ(std::get<0>(second).item<float>(), 1.5f);
  EXPECT_FLOAT_EQ(std::get<1>(second).item<float>(), -0.5f * std::sin(-1.3f));
}

TEST(CustomVjp, NestedPartsMayHaveNoCotangent) {
  using Nested = std::pair<Array, std::optional<Array>>;
  const auto f = custom_vjp([](Nested x) { return x.first; })
                     .defvjp([](Nested x) { return std::pair(x.first, x); },
                             [](Nested r, Array g) { return std::tuple(Nested(g, r.second)); });
  const Nested slope = grad([&](Nested x) { return f(x); })(Nested(1.0f, std::nullopt));
  EXPECT_EQ(slope.first.item<float>(), 1);
  EXPECT_FALSE(slope.second.has_value());
}

TEST(CustomVjp, SymbolicZerosReachRulesWhateverIsAround) {
  std::vector<bool> perturbed, zeros;
  const auto f = custom_vjp([](Array fixed, Array x) { return Pair(fixed, fixed + x); })
                     .defvjp(
                         [&](Array fixed, Array x) {
                           perturbed = {is_perturbed(fixed), is_perturbed(x)};
                           return std::pair(Pair(fixed, fixed + x), fixed);
                         },
                         [&](Array fixed, Pair g) {
                           zeros = {is_symbolic_zero(g.first), is_symbolic_zero(g.second)};
                           return std::tuple(fixed + 90.0f, g.second + 93.0f);
                         },
                         {.symbolic_zeros = true});
  const Array fixed = numpy::array({2.0f, 3.0f}), x = numpy::array({5.0f, 6.0f}), ct = numpy::array({8.0f, 9.0f});
  const auto plain = [&](Array v) { return f(fixed, v).second; };
  const auto batched = [&](Array v) { return vmap([&](Array a, Array b) { return f(a, b).second; })(fixed, v); };
  const auto check = [&](const auto& g) {
    const auto [y, pull] = vjp(g, x);
    EXPECT_EQ(y.template to_vector<float>(), (Floats{7, 9}));
    EXPECT_EQ(std::get<0>(pull(ct)).template to_vector<float>(), (Floats{101, 102}));
    EXPECT_EQ(perturbed, (std::vector<bool>{false, true}));
    EXPECT_EQ(zeros, (std::vector<bool>{true, false}));
  };
  check(plain);
  check(batched);
  check(jit(batched));
  check(checkpoint(plain));
}

TEST(CustomVjp, FwdRunsAgainWhereALoopFindsMoreThatMoves) {
  const auto f = custom_vjp([](Array x, Array y) { return x + y; })
                     .defvjp([](Array x, Array y) { return std::pair(x + y, std::tuple<>()); },
                             [](std::tuple<>, Array g) { return std::tuple(g, g); }, {.symbolic_zeros = true});
  const auto g = [&](Array x) {
    const auto body = [&](Pair s, std::nullopt_t) {
      return std::pair(Pair(f(s.first, s.second), s.first), std::tuple<>());
    };
    return lax::scan(body, Pair(x, 1.0f), std::nullopt, 2).first.first;
  };
  EXPECT_EQ(grad(g)(1.0f).item<float>(), 2) << "x + 1, then x";
}

TEST(CustomVjp, CotangentsOfAnotherShapeAreNamed) {
  const auto f = custom_vjp([](Array x, Array) { return x; })
                     .defvjp([](Array x, Array) { return std::pair(x, std::tuple<>()); },
                             [](std::tuple<>, Array) { return std::tuple(numpy::zeros({3}), numpy::zeros({3})); });
  const std::string text = error_of(
      [&] { grad<1>([&](Array x, Array y) { return numpy::sum(f(x, y * y)); })(numpy::ones({3}), numpy::ones({4})); },
      StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("args[1] is f32[3], wanted f32[4]"), std::string::npos) << text;
  const auto swaps =
      custom_vjp([](Array x, Array y) { return Pair(x, y); })
          .defvjp([](Array x, Array y) { return std::pair(Pair(x, y), std::tuple<>()); },
                  [](std::tuple<>, Pair g) { return std::tuple(g.second, g.first); }, {.symbolic_zeros = true});
  error_of(
      [&] {
        grad<0>([&](Array x, Array y) { return numpy::sum(swaps(x, y).second); })(numpy::ones({1}), numpy::ones({2}));
      },
      StatusCode::kInvalidArgument);
}

TEST(CustomVjp, OptimizeRematRunsTheFunctionWhereNoResidualIsNeeded) {
  // fwd's value differs from the function's, so that the test sees which of the two ran.
  const auto make = [](bool optimize_remat) {
    return custom_vjp([](Array x) { return numpy::tan(x); })
        .defvjp([](Array x) { return Pair(numpy::sin(x), x); }, [](Array x, Array g) { return numpy::cos(x) * g; },
                {.optimize_remat = optimize_remat});
  };
  const auto f = make(true), plain = make(false);
  const auto value = [](const auto& g) {
    return jit([&](Array x) { return vjp([&](Array v) { return g(v); }, x).first; });
  };
  const auto both = [](const auto& g) {
    return jit([&](Array x) {
      const auto [y, pull] = vjp([&](Array v) { return g(v); }, x);
      return Pair(y, std::get<0>(pull(numpy::ones_like(y))));
    });
  };
  const Array x = numpy::linspace(0.1f, 1.2f, 10);
  expect_near(value(f)(x), numpy::tan(x));
  expect_near(value(plain)(x), numpy::sin(x));
  expect_near(both(f)(x).first, numpy::sin(x));
  expect_near(both(f)(x).second, numpy::cos(x));
  const auto batched = vmap([&](Array v) { return f(v); });
  expect_near(value(batched)(x), numpy::tan(x));
  expect_near(both(batched)(x).second, numpy::cos(x));
  const auto squared = [&](Array v) { return numpy::square(checkpoint([&](Array u) { return f(u); })(v)); };
  const auto [y, slope] = jit(value_and_grad(squared))(1.2f);
  expect_near(y, numpy::square(numpy::tan(1.2f)));
  expect_near(slope, 2.0f * numpy::tan(1.2f) * numpy::cos(1.2f));
}

TEST(CustomVjp, OptimizeRematChangesNoDerivative) {
  const auto plain = [](Array x, Array y) { return numpy::sin(x) * y; };
  const auto f = custom_vjp(plain).defvjp(
      [=](Array x, Array y) { return std::pair(plain(x, y), std::tuple(numpy::cos(x), numpy::sin(x), y)); },
      [](std::tuple<Array, Array, Array> r, Array g) {
        const auto& [c, s, y] = r;
        return std::tuple(c * g * y, s * g);
      },
      {.optimize_remat = true});
  const auto g = [&](Array x, Array y) { return f(x, y); };
  for (const auto& [got, wanted] : {std::pair(grad<0, 1>(g)(3.2f, 1.5f), grad<0, 1>(plain)(3.2f, 1.5f)),
                                    std::pair(jit(grad<0, 1>(g))(3.2f, 1.5f), grad<0, 1>(plain)(3.2f, 1.5f))}) {
    expect_near(std::get<0>(got), std::get<0>(wanted));
    expect_near(std::get<1>(got), std::get<1>(wanted));
  }
  expect_near(jit(grad(grad(g)))(0.7f, 1.5f), grad(grad(plain))(0.7f, 1.5f));
  const Array xs = numpy::linspace(0.0f, 1.0f, 5), ys = numpy::linspace(2.0f, 5.0f, 5);
  expect_near(jit(vmap(grad(g)))(xs, ys), vmap(grad(plain))(xs, ys));
  const auto branched = [&](Array x) {
    return lax::cond(x > 0.0f, [&](Array v) { return g(v, 2.0f); }, [](Array v) { return v; }, x);
  };
  EXPECT_FLOAT_EQ(jit(grad(branched))(1.0f).item<float>(), 2 * std::cos(1.0f));
}

TEST(CustomGradient, TakesSeveralArgumentsAndBareCotangents) {
  const auto product =
      custom_gradient([](Array x, Array y) { return std::pair(x * y, [x, y](Array) { return std::tuple(y, x); }); });
  const auto [dx, dy] = grad<0, 1>([&](Array x, Array y) { return product(x, y); })(3.0f, 4.0f);
  EXPECT_EQ(dx.item<float>(), 4);
  EXPECT_EQ(dy.item<float>(), 3);
  const auto square = custom_gradient([](Array x) { return std::pair(x * x, [x](Array g) { return g * x; }); });
  const auto f = [&](Array x) { return square(x); };
  EXPECT_EQ(f(3.0f).item<float>(), 9);
  EXPECT_EQ(grad(f)(3.0f).item<float>(), 3);
  EXPECT_EQ(grad(grad(f))(3.0f).item<float>(), 1);
  const auto scaled = custom_gradient([](Array x) {
    return std::pair(numpy::sum(numpy::sin(x)), [x](Array) { return numpy::cos(x) * numpy::arange(3, float32); });
  });
  const Array x = numpy::arange(3, float32);
  expect_near(grad([&](Array v) { return scaled(v); })(x), numpy::cos(x) * x);
}

TEST(ClosureConvert, GivesGradientsOfWhatAFunctionClosesOver) {
  const auto after = [](const auto& fn, const Array& x) {
    const auto [converted, hoisted] = closure_convert(fn, x);
    const auto f =
        custom_vjp<0>([](auto g, Array v, std::vector<Array> more) { return numpy::cos(g(v, more)); })
            .defvjp([](auto g, Array v,
                       std::vector<Array> more) { return std::pair(numpy::cos(g(v, more)), std::pair(v, more)); },
                    [](auto, std::pair<Array, std::vector<Array>> r, Array) {
                      std::vector<Array> of_more;
                      for (const Array& a : r.second) of_more.push_back(42.0f * a);
                      return std::tuple(17.0f * r.first, of_more);
                    });
    return f(converted, x, hoisted);
  };
  const auto distance = [](Array c, Array x) { return numpy::sum(numpy::square(x - c)); };
  const auto solve = [&](Array c, Array x) { return after([&](Array v) { return distance(c, v); }, x); };
  const Array c = 2.0f * numpy::ones({2}), x = numpy::ones({2});
  expect_near(solve(c, x), numpy::cos(distance(c, x)));
  const auto [dc, dx] = grad<0, 1>(solve)(c, x);
  expect_near(dc, 42.0f * c);
  expect_near(dx, 17.0f * x);
  const Array s = 3.0f * numpy::ones({2});
  const auto mixed = [&](Array v, Array u) {
    return after([&](Array w) { return numpy::sum(s * numpy::square(w - v)); }, u);
  };
  const auto [dv, du] = grad<0, 1>(mixed)(c, x);
  expect_near(dv, 42.0f * c);
  expect_near(du, 17.0f * x);
}

// ---- custom_vmap
// -----------------------------------------------------------------------------------------------------

using Flags = std::vector<bool>;

/// sin; its batching rule computes cos.
const auto sine_or_cosine =
    custom_batching::custom_vmap([](Array x) {
      return numpy::sin(x);
    }).def_vmap([](int64_t, Flags in_batched, Array xs) { return std::pair(numpy::cos(xs), in_batched); });

TEST(CustomVmap, RulesGetSizesAndFlags) {
  std::vector<Flags> log;
  const auto dot = custom_batching::custom_vmap([](Array u, Array v) {
                     return numpy::dot(u, v);
                   }).def_vmap([&](int64_t n, Flags in_batched, Array u, Array v) {
    EXPECT_EQ(n, 4);
    log.push_back(in_batched);
    const Array out = in_batched[0] && in_batched[1] ? numpy::sum(u * v, 1)
                      : in_batched[0]                ? numpy::matmul(u, v)
                                                     : numpy::matmul(v, u);
    return std::pair(out, true);
  });
  const auto f = [&](Array u, Array v) { return dot(u, v); };
  const auto ones = [](std::vector<int64_t> shape) { return numpy::ones(shape); };
  EXPECT_EQ(vmap(f, {0, kNoAxis})(ones({4, 3}), ones({3})).to_vector<float>(), Floats(4, 3.0f));
  EXPECT_EQ(vmap(f, {1, kNoAxis})(ones({3, 4}), ones({3})).to_vector<float>(), Floats(4, 3.0f));
  EXPECT_EQ(vmap(f, {kNoAxis, 0})(ones({3}), ones({4, 3})).to_vector<float>(), Floats(4, 3.0f));
  EXPECT_EQ(vmap(f, {0, 0})(ones({4, 3}), ones({4, 3})).to_vector<float>(), Floats(4, 3.0f));
  EXPECT_EQ(log, (std::vector<Flags>{{true, false}, {true, false}, {false, true}, {true, true}}));
}

TEST(CustomVmap, TakesTreesClosuresAndSeveralResults) {
  const Array z = numpy::array({2.0f, 1.0f, 3.0f}), xs = numpy::arange(3, float32);
  const auto closes =
      custom_batching::custom_vmap([&](Array x) { return z + numpy::sin(x); }).def_vmap([&](int64_t, Flags f, Array v) {
        return std::pair(z + numpy::cos(v)(all, newaxis), f);
      });
  const auto rows = vmap([&](Array x) { return closes(x); })(xs);
  expect_near(rows[1], z + std::cos(1.0f));
  const auto both =
      custom_batching::custom_vmap([](Array x) {
        return Pair(numpy::sin(x), numpy::cos(x));
      }).def_vmap([](int64_t, Flags, Array v) { return std::pair(Pair(numpy::cos(v), numpy::sin(v)), true); });
  const auto [first, second] = vmap([&](Array x) { return both(x); })(xs);
  expect_near(first, numpy::cos(xs));
  expect_near(second, numpy::sin(xs));
  using Nested = std::pair<Array, std::vector<std::optional<Array>>>;
  const auto on_tree = custom_batching::custom_vmap([](Nested t) {
                         return tree_map([](Array a) { return numpy::sin(a); }, t);
                       }).def_vmap([](int64_t, Flags f, Nested t) {
    EXPECT_EQ(f, (Flags{true, true}));
    return std::pair(tree_map([](Array a) { return numpy::cos(a); }, t), f);
  });
  const Nested out = vmap([&](Nested t) { return on_tree(t); })(Nested(xs, {xs + 1.0f, std::nullopt}));
  expect_near(*out.second[0], numpy::cos(xs + 1.0f));
  EXPECT_FALSE(out.second[1].has_value());
}

TEST(CustomVmap, IsJittedInsideAndOutside) {
  const auto f = [](Array x) { return sine_or_cosine(x); };
  const Array xs = numpy::arange(3, float32);
  expect_near(jit(f)(1.0f), numpy::sin(1.0f));
  expect_near(jit(vmap(f))(xs), numpy::cos(xs));
  expect_near(vmap(jit(f))(xs), numpy::cos(xs));
}

TEST(CustomVmap, ComposesWithCustomVjp) {
  const auto inner = custom_batching::custom_vmap([](Array x, Array y) {
                       return numpy::sin(x) * y;
                     }).def_vmap([](int64_t, Flags, Array x, Array y) { return std::pair(numpy::cos(x) * y, true); });
  const auto f =
      custom_vjp([=](Array x, Array y) { return inner(x, y); })
          .defvjp([=](Array x, Array y) { return std::pair(inner(x, y), std::tuple(numpy::cos(x), numpy::sin(x), y)); },
                  [](std::tuple<Array, Array, Array> r, Array g) {
                    const auto& [c, s, y] = r;
                    return std::tuple(c * g * y, s * g);
                  });
  const auto g = [&](Array x, Array y) { return f(x, y); };
  const Array xs = numpy::linspace(0.0f, 1.0f, 5), ys = numpy::linspace(-0.1f, 0.1f, 5);
  expect_near(vmap(g)(xs, ys), numpy::cos(xs) * ys);
  EXPECT_FLOAT_EQ(grad(g)(0.5f, 2.0f).item<float>(), 2 * std::cos(0.5f));
}

TEST(SequentialVmap, IsALoopOverExamples) {
  int calls = 0;
  const auto f = custom_batching::sequential_vmap([&](Array x, Array y) {
    ++calls;
    EXPECT_EQ(x.ndim(), 0);
    return Pair(x + y, x * y);
  });
  const auto g = [&](Array x, Array y) { return f(x, y); };
  const Array xs = numpy::arange(3, float32), ys = xs + 4.0f;
  const auto [sum, product] = vmap(g)(xs, ys);
  EXPECT_EQ(sum.to_vector<float>(), (Floats{4, 6, 8}));
  EXPECT_EQ(product.to_vector<float>(), (Floats{0, 5, 12}));
  EXPECT_EQ(vmap(g, {0, kNoAxis})(xs, 4.0f).first.to_vector<float>(), (Floats{4, 5, 6}));
  EXPECT_EQ(g(1.0f, 2.0f).first.item<float>(), 3);
  EXPECT_GT(calls, 0);
  const std::string text = make_hlo(vmap([&](Array x) { return g(x, 1.0f).first; }))(xs);
  EXPECT_NE(text.find("hilo.scan"), std::string::npos) << text;
  const auto rows = vmap(vmap(g, {0, kNoAxis}), {0, 0});
  EXPECT_EQ(rows(numpy::stack({xs, ys}), numpy::array({1.0f, 10.0f})).first[1].to_vector<float>(),
            (Floats{14, 15, 16}));
}

TEST(SequentialVmap, ServesRulesOfCustomVjp) {
  const auto fwd =
      custom_batching::sequential_vmap([](Array x, Array y) { return std::pair(numpy::sin(x) * y, Pair(x, y)); });
  const auto bwd =
      custom_batching::sequential_vmap([](Pair r, Array ct) { return std::tuple(r.first * ct, r.second * ct); });
  const auto f = custom_vjp([=](Array x, Array y) { return fwd(x, y).first; }).defvjp(fwd, bwd);
  const Array xs = numpy::linspace(0.0f, 1.0f, 5);
  const auto [y, pull] =
      vjp(vmap(jit([&](Array a, Array b) { return f(a, b); }), {0, kNoAxis}), xs, numpy::array(0.5f));
  expect_near(y, numpy::sin(xs) * 0.5f);
  expect_near(std::get<0>(pull(y)), xs * y);
}

}  // namespace
}  // namespace hilo
