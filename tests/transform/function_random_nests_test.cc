// SPDX-License-Identifier: Apache-2.0
// Random nests of transformations: functions of four numbers built from ops, loops, branches, calls, custom rules,
// checkpoints, batches and derivatives. Each is compared with the reference evaluator, jit, finite differences and
// loops. HILO_RANDOM_NESTS is their number, HILO_RANDOM_NESTS_SEED the first seed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>

#include "hilo/hlo/eval/evaluator.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/custom_vjp.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/derivatives.h"

namespace hilo {
namespace {

/// A smooth function from f64[4] to f64[4], its parts, and whether it supports forward mode.
struct Nest {
  std::function<Array(const Array&)> f;
  std::string name;
  bool forward = true;
};

using F = std::function<Array(const Array&)>;

class Nests {
 public:
  explicit Nests(unsigned seed) : random_(seed) {}

  Nest make(int depth) {
    if (depth == 0) return leaf();
    switch (pick(15)) {
      case 0: return sum(depth);
      case 1: return product(depth);
      case 2: return composed(depth);
      case 3: return of_one("jit", depth, [](const F& f) { return F(jit(f)); });
      case 4: return of_one("checkpoint", depth, [](const F& f) { return F(checkpoint(f)); });
      case 5: return of_one("scan", depth, scanned);
      case 6: return of_one("scan in reverse", depth, scanned_backwards);
      case 7: return of_one("fori_loop", depth, [](const F& f) { return F(looped(f)); });
      case 8: return branch(depth);
      case 9: return of_one("vmap", depth, batched);
      case 10: return pushed(depth);
      case 11: return pulled(depth);
      case 12: return with_jvp_rule(depth);
      case 13: return with_vjp_rule(depth);
      default: return policy(depth);
    }
  }

 private:
  static Array settle(const Array& x) { return numpy::sin(x); }  // keeps numbers small, and is smooth
  static F scanned(const F& f) {
    return [f](const Array& x) {
      const auto step = [&](Array c, Array v) {
        const Array next = settle(f(c) + v);
        return std::pair(next, c * v);
      };
      const auto [last, all] = lax::scan(step, x, numpy::outer(numpy::array({0.3, -0.2, 0.7}), x));
      return last + numpy::sum(all, 0);
    };
  }
  static F scanned_backwards(const F& f) {
    return [f](const Array& x) {
      const auto step = [&](Array c, Array v) { return std::pair(settle(f(c) * v), std::tuple<>()); };
      const Array xs = numpy::stack({x, numpy::cos(x)});
      return lax::scan(step, x, xs, {.reverse = true}).first;
    };
  }
  static F looped(const F& f) {
    return [f](const Array& x) {
      return lax::fori_loop(0, 3, [&](Array i, Array v) { return settle(f(v) + x * numpy::astype(i, float64)); }, x);
    };
  }
  static F batched(const F& f) {
    return [f](const Array& x) { return numpy::sum(vmap(f)(numpy::stack({x, numpy::cos(x), 0.5 * x})), 0); };
  }

  Nest leaf() {
    const Array c = numpy::array({number(), number(), number(), number()});
    const Array m = numpy::reshape(numpy::sin(numpy::arange(16, float64) * (1.0 + number())), {4, 4});
    switch (pick(8)) {
      case 0: return {[](const Array& x) { return numpy::sin(x); }, "sin"};
      case 1: return {[](const Array& x) { return numpy::tanh(x); }, "tanh"};
      case 2: return {[c](const Array& x) { return c * x; }, "scale"};
      case 3: return {[m](const Array& x) { return 0.5 * numpy::matmul(m, x); }, "matmul"};
      case 4: return {[](const Array& x) { return numpy::cumsum(x) * 0.5; }, "cumsum"};
      case 5: return {[](const Array& x) { return numpy::flip(x) * x; }, "flip"};
      case 6: return {[](const Array& x) { return x(numpy::array({2, 0, 2, 1})) + 0.1; }, "gather"};
      default: return {[c](const Array&) { return c; }, "constant"};
    }
  }
  Nest of_one(const std::string& what, int depth, const std::function<F(const F&)>& wrap) {
    const Nest in = make(depth - 1);
    return {wrap(in.f), what + "(" + in.name + ")", in.forward};
  }
  Nest of_two(const std::string& what, int depth, const std::function<Array(const F&, const F&, const Array&)>& f) {
    const Nest a = make(depth - 1), b = make(depth - 1);
    return {[=](const Array& x) { return f(a.f, b.f, x); }, what + "(" + a.name + ", " + b.name + ")",
            a.forward && b.forward};
  }
  Nest sum(int depth) {
    return of_two("sum", depth, [](const F& a, const F& b, const Array& x) { return a(x) + b(x); });
  }
  Nest product(int depth) {
    return of_two("product", depth, [](const F& a, const F& b, const Array& x) { return settle(a(x) * b(x)); });
  }
  Nest composed(int depth) {
    return of_two("composed", depth, [](const F& a, const F& b, const Array& x) { return a(settle(b(x))); });
  }
  /// The predicate doesn't depend on x, so that the function is continuous.
  Nest branch(int depth) {
    const Array which = numpy::array(static_cast<int32_t>(pick(2)));
    return of_two("cond", depth, [which](const F& a, const F& b, const Array& x) {
      return lax::cond(which + numpy::astype(numpy::floor(0.0 * x[0]), int32) > 0, a, b, x);
    });
  }
  Nest pushed(int depth) {
    const Nest in = make(depth - 1);
    if (!in.forward) return in;
    return {[f = in.f](const Array& x) { return settle(jvp(f, std::tuple(x), std::tuple(numpy::cos(x))).second); },
            "jvp(" + in.name + ")"};
  }
  Nest pulled(int depth) {
    const Nest in = make(depth - 1);
    return {[f = in.f](const Array& x) { return settle(grad([&](Array v) { return numpy::sum(f(v)); })(x)); },
            "grad(" + in.name + ")", false};
  }
  Nest with_jvp_rule(int depth) {
    const Nest in = make(depth - 1);
    if (!in.forward) return in;
    const auto ruled =
        custom_jvp(in.f).defjvp([f = in.f](std::tuple<Array> x, std::tuple<Array> t) { return jvp(f, x, t); });
    return {[ruled](const Array& x) { return ruled(x); }, "custom_jvp(" + in.name + ")"};
  }
  Nest with_vjp_rule(int depth) {
    const Nest in = make(depth - 1);
    const bool optimized = pick(2) == 1;
    const auto fwd = [f = in.f](Array x) { return std::pair(f(x), x); };
    const auto bwd = [f = in.f](Array x, Array g) { return vjp(f, x).second(g); };
    const auto ruled = custom_vjp(in.f).defvjp(fwd, bwd, {.optimize_remat = optimized});
    return {[ruled](const Array& x) { return ruled(x); }, "custom_vjp(" + in.name + ")", false};
  }
  Nest policy(int depth) {
    return of_one("checkpoint of named", depth, [](const F& f) {
      return F(checkpoint([f](const Array& x) { return settle(checkpoint_name(f(x), "kept")); },
                          {.policy = checkpoint_policies::save_only_these_names("kept")}));
    });
  }

  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  std::mt19937 random_;
};

void expect_close(const Array& got, const Array& wanted, double tolerance, const std::string& what) {
  derivatives::expect_close(std::vector<Array>{got}, std::vector<Array>{wanted}, tolerance, what);
}

void check(const Nest& nest, const std::string& what) {
  const Array x = numpy::array({0.3, -0.8, 0.5, 0.9}), t = numpy::array({0.7, 0.2, -0.4, 0.6});
  const Array value = nest.f(x);
  expect_close(jit(nest.f)(x), value, 1e-12, what + ": jit");
  const auto program = or_throw(hlo::parse_module(make_hlo(nest.f)(x)));
  if (program.entry->parameter_count() == 1) {  // Closed-over arrays become more parameters.
    Literal result = or_throw(hlo::evaluate(program, {x.to_literal()}));
    if (result.is_tuple()) result = result.elements()[0];
    expect_close(Array::from_values<double>(result.data<double>(), result.shape().dimensions()), value, 1e-12,
                 what + ": reference");
  }

  const Array rows = numpy::stack({x, t, -x});
  const Array batch = vmap(nest.f)(rows);
  for (int i = 0; i < 3; ++i) expect_close(batch[i], nest.f(rows[i]), 1e-12, what + ": vmap");

  constexpr double kStep = 1e-5;
  const double difference =
      numpy::sum(t * (nest.f(x + kStep * t) - nest.f(x - kStep * t)) / (2 * kStep)).item<double>();
  const auto pull = [&](const Array& at) { return std::get<0>(vjp(nest.f, at).second(t)); };
  const Array pulled = pull(x);
  const double tolerance = 1e-6 * std::max(1.0, std::abs(difference));
  EXPECT_NEAR(numpy::sum(pulled * t).item<double>(), difference, tolerance) << what << ": vjp and differences";
  expect_close(jit(pull)(x), pulled, 1e-11, what + ": jit of vjp");
  expect_close(vmap(pull)(rows)[1], pull(t), 1e-11, what + ": vmap of vjp");
  if (!nest.forward) return;
  const auto push = [&](const Array& at) { return jvp(nest.f, std::tuple(at), std::tuple(t)).second; };
  const Array pushed = push(x);
  EXPECT_NEAR(numpy::sum(pushed * t).item<double>(), numpy::sum(pulled * t).item<double>(), 1e-10) << what << ": jvp";
  expect_close(jit(push)(x), pushed, 1e-11, what + ": jit of jvp");
  expect_close(vmap(push)(rows)[2], push(-x), 1e-11, what + ": vmap of jvp");
}

int setting(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

TEST(RandomNests, AgreeWithFiniteDifferencesLoopsAndTheReference) {
  const X64Scope x64;
  const int first = setting("HILO_RANDOM_NESTS_SEED", 1), count = setting("HILO_RANDOM_NESTS", 60);
  for (int seed = first; seed < first + count && !HasFailure(); ++seed) {
    const Nest nest = Nests(static_cast<unsigned>(seed)).make(1 + seed % 3);
    const std::string what = "seed " + std::to_string(seed) + ", " + nest.name;
    SCOPED_TRACE(what);
    ASSERT_NO_THROW(check(nest, what)) << what;
  }
}

}  // namespace
}  // namespace hilo
