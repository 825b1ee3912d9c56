// SPDX-License-Identifier: Apache-2.0
// custom_jvp: cases of JAX's custom_api_test. Expected numbers are computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/collective.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/map.h"
#include "hilo/linalg/linalg.h"
#include "hilo/nn/nn.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/scanned.h"

namespace hilo {
namespace {

using Pair = std::pair<Array, Array>;
using One = std::tuple<Array>;
using Two = std::tuple<Array, Array>;
using Floats = std::vector<float>;

/// 3 x, with a rule whose slope is 2.
const auto three_but_two = custom_jvp([](Array x) { return 3.0f * x; }).defjvp([](One x, One t) {
  return Pair(3.0f * std::get<0>(x), 2.0f * std::get<0>(t));
});
Array tripled(const Array& x) { return three_but_two(x); }
Array in_scan(const Array& x) { return scanned(tripled, x); }

/// sin, with a rule that doubles its slope.
const auto steep_sine = custom_jvp([](Array x) { return numpy::sin(x); }).defjvp([](One x, One t) {
  return Pair(numpy::sin(std::get<0>(x)), 2.0f * numpy::cos(std::get<0>(x)) * std::get<0>(t));
});
Array steep(const Array& x) { return steep_sine(x); }

struct Wave {
  static Array call(const Array& x) {
    static const auto f = custom_jvp([](Array a) { return numpy::cos(2.0f * a) / 2.0f; }).defjvp([](One a, One t) {
      return Pair(call(std::get<0>(a)), 3.0f * std::get<0>(t));
    });
    return f(x);
  }
};

TEST(CustomJvp, ValueIsTheSameHoweverOftenItIsDifferentiated) {
  const auto f = Wave::call;  // The rule calls the function again.
  const auto first = [&](Array x) { return jvp([&](Array v) { return f(v); }, One(x), One(x)).first; };
  const auto second = [&](Array x) { return jvp(first, One(x), One(x)).first; };
  const Array x = 1.0f;
  const auto wanted = jvp([&](Array v) { return f(v); }, One(x), One(x));
  for (const auto& got : {jvp(first, One(x), One(x)), jvp(second, One(x), One(x))}) {
    EXPECT_EQ(got.first.item<float>(), wanted.first.item<float>());
    EXPECT_EQ(got.second.item<float>(), 3);
  }
}

TEST(CustomJvp, RuleIsThereUnderEveryVmapAndJit) {
  const Array x = numpy::arange(3, float32), xx = numpy::reshape(numpy::arange(6, float32), {2, 3});
  const auto slope = [](Array v) { return jvp(steep, One(v), One(v)).second; };
  const auto wanted = [](Array v) { return 2.0f * numpy::cos(v) * v; };
  expect_near(vmap(slope)(x), wanted(x));
  expect_near(vmap(vmap(slope))(xx), wanted(xx));
  expect_near(jvp(vmap(steep), One(x), One(x)).second, wanted(x));
  expect_near(jvp(vmap(vmap(steep)), One(xx), One(xx)).second, wanted(xx));
  expect_near(vmap([](Array v) { return jvp(vmap(steep), One(v), One(v)).second; })(xx), wanted(xx));
  expect_near(jit(slope)(3.0f), wanted(3.0f));
  expect_near(jvp(jit(steep), One(3.0f), One(3.0f)).second, wanted(3.0f));
  expect_near(jit(jit(steep))(3.0f), numpy::sin(3.0f));
}

TEST(CustomJvp, RuleIsThereInALoopUnderEverything) {
  const auto at = [](const auto& f) { return f(numpy::array(3.0f)).template item<float>(); };
  EXPECT_EQ(at(grad(in_scan)), 2);
  EXPECT_EQ(at(grad(jit(in_scan))), 2);
  EXPECT_EQ(at(jit(grad(in_scan))), 2);
  EXPECT_EQ(at(grad(grad(in_scan))), 0);
  EXPECT_EQ(at(grad(jit(grad(in_scan)))), 0);
  EXPECT_EQ(at(jit(grad(grad(in_scan)))), 0);
  const Array ones = numpy::ones({3});
  const auto total = [](const auto& f) { return [&f](Array x) { return numpy::sum(f(x)); }; };
  const auto batched = vmap(in_scan);
  const auto compiled = vmap(jit(in_scan));
  const auto outside = jit(vmap(in_scan));
  EXPECT_EQ(batched(ones).to_vector<float>(), (Floats{3, 3, 3}));
  EXPECT_EQ(compiled(ones).to_vector<float>(), (Floats{3, 3, 3}));
  EXPECT_EQ(outside(ones).to_vector<float>(), (Floats{3, 3, 3}));
  EXPECT_EQ(grad(total(batched))(ones).to_vector<float>(), (Floats{2, 2, 2}));
  EXPECT_EQ(grad(total(compiled))(ones).to_vector<float>(), (Floats{2, 2, 2}));
  EXPECT_EQ(grad(total(outside))(ones).to_vector<float>(), (Floats{2, 2, 2}));
  EXPECT_EQ(jit(grad(total(batched)))(ones).to_vector<float>(), (Floats{2, 2, 2}));
  EXPECT_EQ(grad(jit(total(batched)))(ones).to_vector<float>(), (Floats{2, 2, 2}));
}

TEST(CustomJvp, FunctionsMaySpeakOverANamedAxis) {
  const auto f = custom_jvp([](Array x) { return lax::psum(x, "foo"); }).defjvp([](One x, One t) {
    return Pair(lax::psum(std::get<0>(x), "foo"), std::get<0>(t));
  });
  const auto g = [&](Array, Array x) { return scanned([&](Array v) { return f(v); }, x); };
  const Array got = vmap(g, VmapOptions{.in_axes = {0, kNoAxis}, .axis_name = "foo"})(numpy::arange(4, float32), 2.0f);
  EXPECT_EQ(got.to_vector<float>(), (Floats{8, 8, 8, 8}));
}

TEST(CustomJvp, TakesMapsAndCheckpoints) {
  using Map = std::map<std::string, Array>;
  const auto f =
      custom_jvp([](Map x) { return Map{{"b", numpy::sin(x["a"])}}; }).defjvp([](std::tuple<Map> x, std::tuple<Map> t) {
        Map v = std::get<0>(x), dv = std::get<0>(t);
        return std::pair(Map{{"b", numpy::sin(v["a"])}}, Map{{"b", 2.0f * numpy::cos(v["a"]) * dv["a"]}});
      });
  const Map x{{"a", 3.0f}};
  const auto [y, dy] = jvp([&](Map v) { return f(v); }, std::tuple(x), std::tuple(x));
  EXPECT_FLOAT_EQ(y.at("b").item<float>(), std::sin(3.0f));
  EXPECT_FLOAT_EQ(dy.at("b").item<float>(), 2 * std::cos(3.0f) * 3);
  const auto twice = [](Array v) { return steep(steep(v)); };
  const auto plain = [](Array v) { return numpy::sin(numpy::sin(v)); };
  expect_near(checkpoint(twice)(2.0f), plain(2.0f));
  expect_near(grad(checkpoint(twice))(2.0f), 4.0f * grad(plain)(2.0f));
  const Array second = grad(grad(twice))(2.0f);
  expect_near(grad(grad(checkpoint(twice)))(2.0f), second);
  expect_near(grad(checkpoint(grad(twice)))(2.0f), second);
  expect_near(grad(grad(grad(checkpoint(twice))))(2.0f), grad(grad(grad(twice)))(2.0f), 1e-5);
}

TEST(CustomJvp, NondiffArgumentsMayBeFunctionsAndBatches) {
  const auto apply = custom_jvp<0>([](auto f, Array x) { return f(x); }).defjvp([](auto f, One x, One t) {
    return Pair(f(std::get<0>(x)), 3.0f * std::get<0>(t));
  });
  const auto doubled = [](Array y) { return 2.0f * y; };
  EXPECT_EQ(apply(doubled, Array(1.0f)).item<float>(), 2);
  const auto [y, dy] = jvp([&](Array x) { return apply(doubled, x); }, One(1.0f), One(1.0f));
  EXPECT_EQ(y.item<float>(), 2);
  EXPECT_EQ(dy.item<float>(), 3);
  const auto hides = [&](Array x) { return apply([x](Array v) { return x + v; }, x); };
  EXPECT_THROW(jvp(hides, One(2.0f), One(1.0f)), Error);
}

TEST(CustomJvp, RulesThatAreLinearOrZeroTranspose) {
  const auto minus = custom_jvp([](Array x) { return -x; }).defjvp([](One x, One t) {
    return Pair(-std::get<0>(x), tripled(std::get<0>(t)) / -3.0f);
  });
  EXPECT_FLOAT_EQ(grad([&](Array x) { return scanned([&](Array v) { return minus(v); }, x); })(3.0f).item<float>(), -1);
  const auto zeros = custom_jvp([](Array x) { return numpy::zeros_like(x); }).defjvp([](One x, One t) {
    return Pair(numpy::zeros_like(std::get<0>(x)), std::get<0>(t));
  });
  const auto total = [&](Array x) { return numpy::sum(vmap([&](Array v) { return zeros(v); })(x)); };
  const Array x = numpy::arange(3, float32);
  EXPECT_EQ(jit(vmap([&](Array v) { return zeros(v); }))(x).to_vector<float>(), (Floats{0, 0, 0}));
  EXPECT_EQ(jit(vmap(grad([&](Array v) { return zeros(v); })))(x).to_vector<float>(), (Floats{1, 1, 1}));
  EXPECT_EQ(jit(grad(total))(x).to_vector<float>(), (Floats{1, 1, 1}));
  EXPECT_EQ(grad(total)(x).to_vector<float>(), (Floats{1, 1, 1}));
  const auto second_only = custom_jvp([](Array a, Array b) {
                             return a * a * b;
                           }).defjvps(nullptr, [](Array t, Array, Array a, Array b) { return 2.0f * a * b * t; });
  EXPECT_EQ(grad<1>([&](Array a, Array b) { return second_only(a, b); })(2.0f, 3.0f).item<float>(), 12);
  const auto quotient = custom_jvp([](Array a, Array b) { return a / b; }).defjvp([](Two p, Two t) {
    return Pair(std::get<0>(p) / std::get<1>(p), std::get<0>(t) / std::get<1>(p));
  });
  EXPECT_EQ(std::get<0>(vjp([&](Array a) { return quotient(a, Array(2.0f)); }, Array(1.0f)).second(1.0f)).item<float>(),
            0.5f);
}

TEST(CustomJvp, LongLoopsOfRulesKeepTheirDerivatives) {
  const auto logistic = custom_jvp([](Array x) { return 1.0f / (1.0f + numpy::exp(-x)); }).defjvp([](One x, One t) {
    const Array y = 1.0f / (1.0f + numpy::exp(-std::get<0>(x)));
    return Pair(y, std::get<0>(t) * y * (1.0f - y));
  });
  const auto relu = custom_jvp([](Array x) { return numpy::maximum(x, 0.0f); }).defjvp([](One x, One t) {
    return Pair(numpy::maximum(std::get<0>(x), 0.0f), numpy::where(std::get<0>(x) > 0.0f, std::get<0>(t), 0.0f));
  });
  using List = std::vector<Array>;
  const auto chain = [](const auto& f) {
    return [&f](Array x) {
      const Array none = numpy::zeros_like(x);
      const auto body = [&](List c, std::nullopt_t) {
        List next = {f(c[0])};
        for (size_t i = 1; i < c.size(); ++i) next.push_back(c[i - 1] + c[i]);
        return std::pair(next, std::tuple<>());
      };
      return lax::scan(body, List{x, none, none, none, none}, std::nullopt, 10).first.back();
    };
  };
  const auto by_rule = chain(logistic);
  const auto plain_logistic = [](const Array& x) { return 1.0f / (1.0f + numpy::exp(-x)); };
  const auto by_ops = chain(plain_logistic);
  expect_near(grad(by_rule)(3.0f), grad(by_ops)(3.0f), 1e-5);
  const Array x = numpy::arange(3, float32);
  expect_near(grad([&](Array v) { return numpy::sum(vmap(by_rule)(v)); })(x), vmap(grad(by_ops))(x), 1e-5);
  const auto of_relu = chain(relu);
  expect_near(jit(vmap(grad(of_relu)))(x), jit(grad([&](Array v) { return numpy::sum(vmap(of_relu)(v)); }))(x));
  expect_near(jvp(jit(vmap(of_relu)), One(x), One(numpy::ones({3}))).second, vmap(grad(of_relu))(x));
}

TEST(CustomJvp, HasAShape) {
  const auto f = [](Array x) { return numpy::sum(tripled(x)); };
  EXPECT_EQ(eval_shape(tripled, ShapeDtypeStruct({2, 3}, float32)).aval_shape().to_string(), "f32[2,3]");
  EXPECT_EQ(eval_shape(grad(f), ShapeDtypeStruct({2, 3}, float32)).aval_shape().to_string(), "f32[2,3]");
}

TEST(CustomJvp, RulesOfMatricesInALoop) {
  const auto product = custom_jvp([](Array a, Array b) { return numpy::matmul(a, b); }).defjvp([](Two p, Two t) {
    const auto& [a, b] = p;
    return Pair(numpy::matmul(a, b), numpy::matmul(a, std::get<1>(t)) + numpy::matmul(std::get<0>(t), b));
  });
  const auto f = [&](Array theta) {
    const auto body = [&](Array q, std::nullopt_t) {
      const Array z = product(numpy::eye(3), numpy::ones({3}) * theta);
      return Pair(q + z[0], q + z[0]);
    };
    return lax::scan(body, 0.0f, std::nullopt, 4).first;
  };
  EXPECT_EQ(grad(f)(1.0f).item<float>(), 4);
}

TEST(CustomJvp, BroadcastsWithWhatItsBatchesMeet) {
  const auto sum_of = [](Array y, Array z) {
    return numpy::sum(vmap([&](Array row) { return numpy::logaddexp(z, numpy::sum(row) + z); })(y));
  };
  const auto [value, slope] = value_and_grad([&](Array z) { return sum_of(numpy::ones({3, 2}), z); })(0.1f);
  EXPECT_EQ(value.ndim(), 0);
  EXPECT_NEAR(slope.item<float>(), 3, 1e-5) << "z is added to both";
  const auto transform = custom_jvp([](Array box, Array r) { return r * box; }).defjvp([](Two p, Two t) {
    return Pair(std::get<1>(p) * std::get<0>(p), std::get<1>(t) + std::get<1>(p) * std::get<0>(t));
  });
  const Array r = random::uniform(random::key(0), {20, 2});
  const auto energy = [&](Array box) {
    const auto between = [&](Array a, Array b) { return transform(box, a - b); };
    const Array d = vmap(vmap(between, {kNoAxis, 0}), {0, kNoAxis})(r, r);
    return numpy::sum(d * d);
  };
  expect_near(grad(energy)(1.0f), 2.0f * energy(1.0f), 1e-4);
  const Array a = numpy::ones({2});
  const auto wide = custom_jvp([&](Array x) { return a * x; }).defjvp([&](One x, One t) {
    return Pair(a * std::get<0>(x), a * std::get<0>(t));
  });
  EXPECT_EQ(grad([&](Array x) { return numpy::sum(wide(x)); })(numpy::array(1.0f)).ndim(), 0);
}

TEST(CustomJvp, ProjectsOnTheSimplex) {
  // The projection's Jacobian on its support s: diag(s) - s s^T / |s|.
  const auto project = custom_jvp([](Array x) {
                         const Array u = numpy::flip(numpy::sort(x));
                         const Array above = numpy::cumsum(u, 0) - 1.0f;
                         const Array count = numpy::arange(x.shape(0), float32) + 1.0f;
                         const Array k = numpy::sum(numpy::astype(u - above / count > 0.0f, ElementType::kS32));
                         return nn::relu(x - above(k - 1) / numpy::astype(k, float32));
                       }).defjvp([](One x, One t) {
    const Array u = numpy::flip(numpy::sort(std::get<0>(x)));
    const Array above = numpy::cumsum(u, 0) - 1.0f;
    const Array count = numpy::arange(u.shape(0), float32) + 1.0f;
    const Array k = numpy::sum(numpy::astype(u - above / count > 0.0f, ElementType::kS32));
    const Array y = nn::relu(std::get<0>(x) - above(k - 1) / numpy::astype(k, float32));
    const Array s = numpy::astype(y > 0.0f, float32);
    return Pair(y, s * std::get<0>(t) - numpy::dot(s, std::get<0>(t)) / numpy::sum(s) * s);
  });
  const auto f = [&](Array x) { return project(x); };
  const Array x = numpy::array({0.3f, 0.9f, 0.1f, 0.75f, 0.2f});
  const Array s = numpy::astype(f(x) > 0.0f, float32);
  const Array wanted = numpy::diag(s) - numpy::outer(s, s) / numpy::sum(s);
  expect_near(jacfwd(f)(x), wanted);
  expect_near(jacrev(f)(x), wanted);
  EXPECT_FLOAT_EQ(numpy::sum(f(x)).item<float>(), 1);
  const Array rows = numpy::stack({x, x * 2.0f});
  const auto total = [&](Array v) { return numpy::sum(numpy::square(vmap(f)(v))); };
  const Array u = numpy::sin(numpy::reshape(numpy::arange(10, float32), {2, 5})) * 0.1f;
  const float by_hand = ((total(rows + 0.01f * u) - total(rows - 0.01f * u)) / 0.02f).item<float>();
  EXPECT_NEAR(numpy::sum(grad(total)(rows) * u).item<float>(), by_hand, 1e-3);
}

TEST(CustomJvp, RulesMayBatch) {
  const auto f = custom_jvp([](Array m, Array) { return numpy::ones({m.shape(0), 1}); }).defjvp([](Two p, Two t) {
    const auto& [m, aux] = p;
    const Array rows = vmap([&](Array row, Array v) { return numpy::sum(row * v) / aux; })(m, std::get<0>(t));
    return Pair(numpy::ones({m.shape(0), 1}), numpy::reshape(rows, {m.shape(0), 1}));
  });
  const Array m = numpy::reshape(numpy::arange(6, float32), {2, 3});
  const Array slopes = grad([&](Array v) { return numpy::sum(f(v, Array(0.5f))); })(m);
  EXPECT_EQ(slopes.to_vector<float>(), (m * 2.0f).to_vector<float>());
}

TEST(CustomJvp, OpsOfRulesDifferentiateInMaps) {
  const Array data = numpy::reshape(numpy::arange(15, float32), {5, 3});
  const auto mapped = vmap([](Array row) { return lax::map([](Array v) { return numpy::sinc(v); }, row); });
  const auto stacked = [](Array rows) { return numpy::sinc(rows); };
  expect_near(grad([&](Array p) { return numpy::sum(mapped(p * data)); })(0.1f),
              grad([&](Array p) { return numpy::sum(stacked(p * data)); })(0.1f), 1e-4);
  const Array many = numpy::ones({5, 2, 2}) + numpy::eye(2);
  EXPECT_EQ(jit(vmap([](Array m) { return linalg::det(m); }))(many).to_vector<float>(), Floats(5, 3.0f));
}

TEST(CustomJvp, CallsNestInClosures) {
  const auto nested = [](Array x) {
    const auto outer = [](Array y) {
      const auto inner = [&](Array w) {
        const auto product = custom_jvp([](Array a, Array b) { return a * b; })
                                 .defjvps([](Array t, Array, Array, Array b) { return t * b; },
                                          [](Array t, Array, Array a, Array) { return a * t; });
        return product(steep(w), y) + y;
      };
      return jit(inner)(y);
    };
    return outer(x);
  };
  expect_near(jit(nested)(3.0f), nested(3.0f));
  expect_near(vmap(nested)(numpy::arange(3, float32)),
              numpy::sin(numpy::arange(3, float32)) * numpy::arange(3, float32) + numpy::arange(3, float32));
}

TEST(CustomJvp, SymbolicZerosStayOnesThroughVmapAndJit) {
  std::vector<bool> zeros;
  const auto f = custom_jvp([](Array a, Array b) { return Pair(a + b, a * b); })
                     .defjvp(
                         [&](Two p, Two t) {
                           const auto& [a, b] = p;
                           zeros = {is_symbolic_zero(std::get<0>(t)), is_symbolic_zero(std::get<1>(t))};
                           return std::pair(Pair(a + b, a * b), Pair(std::get<1>(t) + 90.0f, a * std::get<1>(t)));
                         },
                         {.symbolic_zeros = true});
  const auto plain = [&](Array b) { return f(numpy::array({2.0f, 3.0f}), b); };
  const auto batched = [&](Array b) {
    return vmap([&](Array p, Array q) { return f(p, q); })(numpy::array({2.0f, 3.0f}), b);
  };
  const Array b = numpy::array({5.0f, 6.0f}), t = numpy::array({8.0f, 9.0f});
  const auto check = [&](const auto& got) {
    EXPECT_EQ(got.first.first.template to_vector<float>(), (Floats{7, 9}));
    EXPECT_EQ(got.second.first.template to_vector<float>(), (Floats{98, 99}));
    EXPECT_EQ(zeros, (std::vector<bool>{true, false}));
    zeros.clear();
  };
  check(jvp(plain, One(b), One(t)));
  check(jvp(batched, One(b), One(t)));
  check(jit([&](Array v, Array dv) { return jvp(plain, One(v), One(dv)); })(b, t));
  check(jit([&](Array v, Array dv) { return jvp(batched, One(v), One(dv)); })(b, t));
  check(jvp(jit(batched), One(b), One(t)));
  const auto chained = [&](Array x) { return f(numpy::array(1.0f), f(numpy::array(1.0f), x).first).first; };
  EXPECT_EQ(jvp(vmap(chained), One(b), One(t)).second.to_vector<float>(), (Floats{188, 189}));
  EXPECT_EQ(jacfwd(jit([&](Array x) { return f(Array(0.1f), x).first; }))(numpy::array(0.2f)).item<float>(), 91);
}

TEST(CustomJvp, RulesRunAgainWhereALoopFindsMoreThatMoves) {
  const auto f = custom_jvp([](Array a, Array) {
                   return a;
                 }).defjvp([](Two p, Two t) { return Pair(std::get<0>(p), std::get<0>(t)); }, {.symbolic_zeros = true});
  const auto g = [&](Array x) {
    const auto body = [&](Pair s, std::nullopt_t) {
      return std::pair(Pair(f(s.first, s.second), s.first), std::tuple<>());
    };
    return lax::scan(body, Pair(x, 1.0f), std::nullopt, 2).first.first;
  };
  EXPECT_EQ(grad(g)(1.0f).item<float>(), 1);
}

TEST(CustomJvp, ResultsThatNobodyUsesAreNotComputed) {
  const auto f =
      custom_jvp([](Array x, Array y) { return Pair(numpy::sin(x), x + numpy::cos(y)); }).defjvp([](Two p, Two t) {
        const auto& [x, y] = p;
        const auto& [dx, dy] = t;
        return std::pair(Pair(numpy::sin(x), x + numpy::cos(y)),
                         Pair(2.0f * numpy::cos(x) * dx, 1.5f * dx - 0.5f * numpy::sin(y) * dy));
      });
  const auto first = [&](Array x, Array y) { return f(x, y).first; };
  const auto second = [&](Array x, Array y) { return f(x, y).second; };
  const auto text = [](const auto& g) {
    return jit(g).lower(numpy::array(0.1f), numpy::array(-1.3f)).compile().as_text();
  };
  EXPECT_NE(text(first).find("sine("), std::string::npos);
  EXPECT_EQ(text(first).find("cosine("), std::string::npos);
  EXPECT_EQ(text(second).find(" sine("), std::string::npos);
  const auto slope = [](const auto& g, float dx, float dy) {
    return jvp(g, Two(0.1f, -1.3f), Two(dx, dy)).second.template item<float>();
  };
  EXPECT_FLOAT_EQ(slope(first, 1, 0), 2 * std::cos(0.1f));
  EXPECT_EQ(slope(first, 0, 1), 0);
  EXPECT_EQ(slope(second, 1, 0), 1.5f);
  EXPECT_FLOAT_EQ(slope(second, 0, 1), -0.5f * std::sin(-1.3f));
}

TEST(CustomJvp, IntegersHaveNoTangentWhateverTheRuleSays) {
  const auto f = custom_jvp([](Array x, Array n) { return Pair(x, n); }).defjvp([](Two p, Two) {
    return std::pair(Pair(std::get<0>(p), std::get<1>(p)), Pair(2.0f, numpy::zeros_like(std::get<1>(p))));
  });
  const Two primals(numpy::array(2.0f), numpy::array(3)), tangents(numpy::array(1.0f), numpy::array(0));
  const auto check = [&](const auto& g) {
    const auto [y, dy] = jvp(g, primals, tangents);
    EXPECT_EQ(y.second.template item<int>(), 3);
    EXPECT_EQ(dy.first.template item<float>(), 2);
    EXPECT_EQ(dy.second.template item<int>(), 0);
  };
  check([&](Array x, Array n) { return f(x, n); });
  check([&](Array x, Array n) {
    return lax::scan([&](Pair c, std::nullopt_t) { return std::pair(f(c.first, c.second), std::tuple<>()); },
                     Pair(x, n), std::nullopt, 1)
        .first;
  });
}

}  // namespace
}  // namespace hilo
