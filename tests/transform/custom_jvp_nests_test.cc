// SPDX-License-Identifier: Apache-2.0
// custom_jvp rules that call jvp of a function with control flow, inside other transformations, in reverse mode.
// Expected is the derivative of the function without a rule.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/barrier.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/custom_solve.h"
#include "hilo/lax/map.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/custom_vjp.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using One = std::tuple<Array>;
using Pair = std::pair<Array, Array>;
using Function = std::function<Array(Array)>;

struct Named {
  const char* name;
  Function f;
};

Array of_scan(const Array& x) {
  const auto step = [&](Array c, Array k) {
    const Array next = numpy::sin(c * k) + x;
    return Pair(next, next * c);
  };
  const auto [last, all] = lax::scan(step, x, numpy::array({0.5f, 1.5f, 2.5f}));
  return last + numpy::sum(all, 0);
}

/// Elementwise functions with each kind of control flow, for scalars and vectors.
const std::vector<Named>& functions() {
  static const std::vector<Named> all = {
      {"no loop", [](Array x) { return numpy::sin(x) * x; }},
      {"scan", of_scan},
      {"scan of nothing",
       [](Array x) {
         const auto step = [](Array c, std::nullopt_t) { return std::pair(c * c, std::tuple<>()); };
         return lax::scan(step, x, std::nullopt, 0).first + numpy::sin(x);
       }},
      {"fori_loop",
       [](Array x) {
         return lax::fori_loop(0, 3, [](Array i, Array c) { return numpy::sin(c) + c * numpy::astype(i, float32); }, x);
       }},
      {"cond",
       [](Array x) {
         return lax::cond(
             numpy::sum(x) > 0.1f, [](Array v) { return numpy::sin(v) * v; }, [](Array v) { return v * v * v; }, x);
       }},
      {"scan in cond",
       [](Array x) { return lax::cond(numpy::sum(x) > 0.1f, of_scan, [](Array v) { return numpy::exp(v); }, x); }},
      {"cond in scan",
       [](Array x) {
         const auto step = [](Array c, Array k) {
           const Array next =
               lax::cond(k > 1.0f, [](Array v) { return v * v; }, [](Array v) { return numpy::cos(v); }, c);
           return Pair(next, next);
         };
         return numpy::sum(lax::scan(step, x, numpy::array({0.5f, 1.5f, 0.25f})).second, 0);
       }},
      {"scan in scan",
       [](Array x) {
         const auto step = [](Array c, Array k) { return Pair(of_scan(c * k), c); };
         return lax::scan(step, x, numpy::array({0.5f, 1.5f})).first;
       }},
      {"map",
       [](Array x) { return numpy::sum(lax::map([x](Array k) { return numpy::sin(k * x); }, numpy::arange(4)), 0); }},
      {"jit in scan",
       [](Array x) {
         const auto inner = jit([](Array a, Array b) { return numpy::sin(a * b); });
         const auto step = [&](Array c, Array k) { return Pair(inner(c, k) + x, c); };
         return lax::scan(step, x, numpy::array({0.5f, 1.5f})).first;
       }},
      {"checkpoint of scan", [](Array x) { return checkpoint(of_scan)(x); }},
      {"checkpoint that keeps all",
       [](Array x) { return checkpoint(of_scan, {.policy = checkpoint_policies::everything_saveable})(x); }},
      {"custom_jvp in scan",
       [](Array x) {
         const auto sine = custom_jvp([](Array v) { return numpy::sin(v); }).defjvps([](Array t, Array, Array v) {
           return numpy::cos(v) * t;
         });
         const auto step = [&](Array c, Array k) { return Pair(sine(c * k), c); };
         return lax::scan(step, x, numpy::array({0.5f, 1.5f})).first;
       }},
      {"barrier", [](Array x) {
         const auto [a, b] = lax::optimization_barrier(Pair(of_scan(x), x));
         return a * b;
       }}};
  return all;
}

/// A transformation of a function and of its jvp.
struct Nest {
  const char* name;
  std::function<Array(const Function&, Array)> value;
  std::function<Pair(const Function&, Array, Array)> pushed;
};

Pair pushed(const Function& f, const Array& x, const Array& t) { return jvp(f, One(x), One(t)); }

const std::vector<Nest>& nests() {
  static const std::vector<Nest> all = {
      {"jvp", [](const Function& f, Array x) { return f(x); }, pushed},
      {"jit(jvp)", [](const Function& f, Array x) { return f(x); },
       [](const Function& f, Array x, Array t) {
         return jit([f](Array a, Array b) { return pushed(f, a, b); })(x, t);
       }},
      {"vmap(jvp)", [](const Function& f, Array x) { return vmap(f)(x); },
       [](const Function& f, Array x, Array t) {
         return vmap([f](Array a, Array b) { return pushed(f, a, b); })(x, t);
       }},
      {"jit(vmap(jvp))", [](const Function& f, Array x) { return vmap(f)(x); },
       [](const Function& f, Array x, Array t) {
         return jit(vmap([f](Array a, Array b) { return pushed(f, a, b); }))(x, t);
       }},
      {"vmap(jit(jvp))", [](const Function& f, Array x) { return vmap(f)(x); },
       [](const Function& f, Array x, Array t) {
         return vmap(jit([f](Array a, Array b) { return pushed(f, a, b); }))(x, t);
       }},
      {"jvp(jit)", [](const Function& f, Array x) { return f(x); },
       [](const Function& f, Array x, Array t) { return pushed(jit(f), x, t); }},
      {"jit(jvp) of which the slope alone is taken", [](const Function& f, Array x) { return f(x); },
       [](const Function& f, Array x, Array t) {
         return Pair(f(x), jit([f](Array a, Array b) { return pushed(f, a, b).second; })(x, t));
       }},
      {"checkpoint(jvp)", [](const Function& f, Array x) { return f(x); },
       [](const Function& f, Array x, Array t) {
         return checkpoint([f](Array a, Array b) { return pushed(f, a, b); })(x, t);
       }},
      {"cond(jvp)", [](const Function& f, Array x) { return f(x); },
       [](const Function& f, Array x, Array t) {
         const auto both = [f](Array a, Array b) { return pushed(f, a, b); };
         return lax::cond(numpy::sum(x) > -100.0f, both, [](Array a, Array b) { return Pair(a, b); }, x, t);
       }},
      {"map(jvp)", [](const Function& f, Array x) { return lax::map(f, x); },
       [](const Function& f, Array x, Array t) {
         return lax::map([f](Pair both) { return pushed(f, both.first, both.second); }, Pair(x, t));
       }}};
  return all;
}

void expect_near(const Array& got, const Array& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  const std::vector<double> a = got.to_vector<double>(), b = wanted.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-5 * std::max(1.0, std::abs(b[i])));
}

/// `nest` of `f`, differentiated by a custom rule that calls jvp.
auto by_rule(const Nest& nest, const Function& f) {
  return custom_jvp([nest, f](Array x) { return nest.value(f, x); }).defjvp([nest, f](One x, One t) {
    return nest.pushed(f, std::get<0>(x), std::get<0>(t));
  });
}

TEST(CustomJvp, RulesMayPushThroughLoopsInAnyTransformation) {
  const Array x = numpy::array({0.75f, -0.5f, 1.25f}), w = numpy::array({1.0f, 2.0f, -0.5f});
  for (const Nest& nest : nests()) {
    for (const Named& named : functions()) {
      SCOPED_TRACE(std::string(nest.name) + " of " + named.name);
      const auto with_rule = by_rule(nest, named.f);
      const auto wanted = grad([&](Array v) { return numpy::sum(w * nest.value(named.f, v)); })(x);
      const auto loss = [&](Array v) { return numpy::sum(w * with_rule(v)); };
      expect_near(grad(loss)(x), wanted);
      expect_near(jit(grad(loss))(x), wanted);
      const auto [value, push] = linearize(with_rule, x);
      expect_near(value, nest.value(named.f, x));
      expect_near(push(w), jvp([&](Array v) { return nest.value(named.f, v); }, One(x), One(w)).second);
      expect_near(vmap(grad(loss))(numpy::stack({x, w}))[0], wanted);
    }
  }
}

TEST(CustomJvp, RulesThatPushThroughLoopsHaveDerivativesOfTheirOwn) {
  const Array x = numpy::array({0.75f, -0.5f, 1.25f});
  for (const Nest& nest : nests()) {
    SCOPED_TRACE(nest.name);
    const auto with_rule = by_rule(nest, of_scan);
    const auto wanted = hessian([&](Array v) { return numpy::sum(nest.value(of_scan, v)); })(x);
    expect_near(hessian([&](Array v) { return numpy::sum(with_rule(v)); })(x), wanted);
    expect_near(jacrev(grad([&](Array v) { return numpy::sum(with_rule(v)); }))(x), wanted);
  }
}

Array of_while(const Array& x) {
  return lax::while_loop([](Array c) { return numpy::sum(numpy::abs(c)) < 10.0f; },
                         [](Array c) { return c * 2.0f + numpy::sin(c); }, x);
}

/// A loop of unknown length has a jvp, but reverse mode rejects it, inside a custom rule and outside.
TEST(CustomJvp, RulesThatPushThroughAWhileLoopGoForwardAlone) {
  const Array x = numpy::array({0.75f, -0.5f, 1.25f});
  for (const Nest& nest : nests()) {
    SCOPED_TRACE(nest.name);
    const auto with_rule = by_rule(nest, of_while);
    const auto [value, push] = linearize(with_rule, x);
    expect_near(value, nest.value(of_while, x));
    expect_near(push(x), jvp([&](Array v) { return nest.value(of_while, v); }, One(x), One(x)).second);
    const std::string text =
        error_of([&] { grad([&](Array v) { return numpy::sum(with_rule(v)); })(x); }, StatusCode::kInvalidArgument);
    EXPECT_NE(text.find("Reverse-mode differentiation does not work for lax.while_loop"), std::string::npos) << text;
  }
}

/// A value that doesn't depend on the tangent may be the rule's value. The transformation returns it as a constant.
TEST(CustomJvp, RulesMayTakeConstantsOutOfACompiledFunction) {
  const auto f = custom_jvp([](Array x) { return x * 0.0f + 3.0f; }).defjvp([](One x, One t) {
    return jit([](Array, Array b) { return Pair(3.0f, b * 5.0f); })(std::get<0>(x), std::get<0>(t));
  });
  const auto [value, pull] = vjp([&](Array x) { return f(x); }, 2.0f);
  EXPECT_EQ(value.item<float>(), 3);
  EXPECT_EQ(std::get<0>(pull(2.0f)).item<float>(), 10);
}

TEST(CustomRoot, ClosuresMayHoldLoopsWithinTransformations) {
  // Finds x such that three steps of c = sin(c a) from x give 0.5. Elementwise.
  const auto steps = [](Array x, Array a) {
    const auto one = [&](Array v, Array b) {
      const auto step = [&](Array c, std::nullopt_t) { return std::pair(numpy::sin(c * b) + v, std::tuple<>()); };
      return lax::scan(step, v, std::nullopt, 3).first;
    };
    return jit(vmap(one))(x, a);
  };
  const auto root_of = [&](Array a) {
    const auto f = [&](Array x) { return steps(x, a) - 0.5f; };
    const auto newton = [](auto g, Array x) {
      for (int k = 0; k < 20; ++k) {
        const auto [y, slope] = jit([&](Array v) { return jvp(g, One(v), One(numpy::ones_like(v))); })(x);
        x = x - y / slope;
      }
      return x;
    };
    const auto tangent_solve = [](auto g, Array y) { return y / g(numpy::ones_like(y)); };
    return lax::custom_root(f, numpy::full_like(a, 0.2f), newton, tangent_solve);
  };
  const Array a = numpy::array({0.3f, 0.6f, 0.2f}), x = root_of(a);
  expect_near(steps(x, a), numpy::full({3}, 0.5f));
  const auto [of_x, of_a] = grad<0, 1>([&](Array u, Array v) { return numpy::sum(steps(u, v)); })(x, a);
  const Array wanted = -of_a / of_x;  // by the implicit function theorem
  const auto total = [&](Array v) { return numpy::sum(root_of(v)); };
  expect_near(grad(total)(a), wanted);
  expect_near(jit(grad(total))(a), wanted);
  expect_near(jvp(total, One(a), One(numpy::ones({3}))).second, numpy::sum(wanted));
}

}  // namespace
}  // namespace hilo
