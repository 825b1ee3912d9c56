// SPDX-License-Identifier: Apache-2.0
// while_loop and fori_loop: cases of JAX's lax_control_flow_test. Expected numbers are computed by hand.
#include <gtest/gtest.h>

#include <array>

#include "hilo/lax/collective.h"
#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/pmap.h"
#include "hilo/transform/vmap.h"
#include "tests/support/derivatives.h"
#include "tests/support/error_of.h"
#include "tests/support/ints.h"

namespace hilo {
namespace {

using Pair = std::pair<Array, Array>;
using Floats = std::vector<float>;
using Ints = std::vector<int>;

TEST(WhileLoop, CarriesTuples) {
  const auto loop = [](Array init) {
    return lax::while_loop([](Pair s) { return s.first < 10; }, [](Pair s) { return Pair(s.first + 1, s.second + 1); },
                           Pair(init, 0))
        .second;
  };
  EXPECT_EQ(loop(2).item<int>(), 8);
  const auto compiled = jit(loop);
  EXPECT_EQ(compiled(2).item<int>(), 8);
  EXPECT_EQ(compiled(3).item<int>(), 7);
}

TEST(WhileLoop, CarriesManyArrays) {
  const auto out = lax::while_loop([](const std::vector<Array>& s) { return s[0] < 2; },
                                   [](std::vector<Array> s) {
                                     for (Array& one : s) one = one + 1;
                                     return s;
                                   },
                                   std::vector<Array>(256, numpy::zeros({}, ElementType::kS32)));
  EXPECT_EQ(out[0].item<int>(), 2);
  EXPECT_EQ(out[255].item<int>(), 2);
}

TEST(WhileLoop, Nests) {
  const auto inner = [](Array i, Array count) {
    using State = std::tuple<Array, Array>;
    return std::get<1>(lax::while_loop([&](State s) { return std::get<0>(s) <= i; },
                                       [](State s) { return State(std::get<0>(s) + 1, std::get<1>(s) + 1); },
                                       State(0, count)));
  };
  const auto outer = [&](Array n) {
    return lax::while_loop([&](Pair s) { return s.first < n; },
                           [&](Pair s) { return Pair(s.first + 1, inner(s.first, s.second)); }, Pair(0, 0));
  };
  const auto compiled = jit(outer);
  for (const auto& [n, count] : std::map<int, int>{{2, 3}, {3, 6}, {4, 10}}) {
    for (const Pair& got : {outer(n), compiled(n)}) {
      EXPECT_EQ(got.first.item<int>(), n);
      EXPECT_EQ(got.second.item<int>(), count);
    }
  }
}

TEST(WhileLoop, ClosesOverItsSurroundings) {
  int traces = 0;
  const auto loop = [&](Array init, Array limit, Array increment) {
    return lax::while_loop([&](Pair s) { return s.first < limit; },
                           [&](Pair s) {
                             ++traces;
                             return Pair(s.first + 1, s.second + increment);
                           },
                           Pair(init, 0))
        .second;
  };
  EXPECT_EQ(loop(2, 10, 1).item<int>(), 8);
  const auto compiled = jit(loop);
  EXPECT_EQ(compiled(2, 10, 1).item<int>(), 8);
  const int before = traces;
  EXPECT_EQ(compiled(3, 10, 2).item<int>(), 14);
  EXPECT_EQ(traces, before) << "no new kind of arguments, no new trace";
}

TEST(WhileLoop, BodyMayCallJit) {
  const auto loop = [](Array init, Array limit, Array increment) {
    return lax::while_loop([&](Pair s) { return s.first < limit; },
                           [&](Pair s) {
                             return jit([count = s.second](Array p, Array inc) { return Pair(p + 1, count + inc); })(
                                 s.first, increment);
                           },
                           Pair(init, 0))
        .second;
  };
  EXPECT_EQ(loop(2, 10, 1).item<int>(), 8);
  EXPECT_EQ(jit(loop)(3, 10, 1).item<int>(), 7);
}

TEST(WhileLoop, ReadsAndWritesAtItsIndices) {
  const auto lower_triangle = [](Array m) {
    using State = std::tuple<Array, Array>;
    const auto row = [&](Array i, Array out) {
      return std::get<1>(lax::while_loop([&](State s) { return std::get<0>(s) <= i; },
                                         [&](State s) {
                                           const auto& [j, written] = s;
                                           return State(j + 1, written.at(i, j).set(m(i, j)));
                                         },
                                         State(0, out)));
    };
    return std::get<1>(
        lax::while_loop([&](State s) { return std::get<0>(s) < 5; },
                        [&](State s) { return State(std::get<0>(s) + 1, row(std::get<0>(s), std::get<1>(s))); },
                        State(0, numpy::zeros_like(m))));
  };
  const Array m = numpy::reshape(numpy::sin(numpy::arange(25, float32)), {5, 5});
  const Floats wanted = numpy::tril(m).to_vector<float>();
  EXPECT_EQ(lower_triangle(m).to_vector<float>(), wanted);
  EXPECT_EQ(jit(lower_triangle)(m).to_vector<float>(), wanted);
}

TEST(WhileLoop, ConditionMayBeAConjunction) {
  const auto sum_first = [](Array xs, Array n) {
    return lax::while_loop([&](Pair s) { return numpy::logical_and(s.first < n, s.first < 10); },
                           [&](Pair s) { return Pair(s.first + 1, s.second + xs(s.first)); }, Pair(0, 0.0f))
        .second;
  };
  const Array xs = numpy::arange(10, float32);
  for (const auto& [n, sum] : std::map<int, float>{{0, 0}, {5, 10}, {10, 45}, {15, 45}}) {
    EXPECT_EQ(sum_first(xs, n).item<float>(), sum);
    EXPECT_EQ(jit(sum_first)(xs, n).item<float>(), sum);
  }
}

TEST(WhileLoop, BatchesWhatItsPartsCloseOver) {
  const auto until = [](Array x, Array y) {
    return lax::while_loop([&](Array c) { return c < y; }, [](Array c) { return c + 2; }, x);
  };
  EXPECT_EQ(vmap(until, {kNoAxis, 0})(0, ints({2, 3})).to_vector<int>(), (Ints{2, 4}));
  const auto by = [](Array x, Array y) {
    return lax::while_loop([](Array c) { return c < 3; }, [&](Array c) { return c + y; }, x);
  };
  EXPECT_EQ(vmap(by, {kNoAxis, 0})(0, ints({2, 3})).to_vector<int>(), (Ints{4, 3}));
  const auto two = [](Array x, Array y) {
    return lax::while_loop([](Pair s) { return s.first + s.second < 5; },
                           [](Pair s) { return Pair(s.first + 1, s.second); }, Pair(x, y));
  };
  const auto [first, second] = vmap(two)(ints({0, 0}), ints({1, 2}));
  EXPECT_EQ(first.to_vector<int>(), (Ints{4, 3}));
  EXPECT_EQ(second.to_vector<int>(), (Ints{1, 2}));
}

TEST(WhileLoop, BatchesTheAxisIndex) {
  const auto f = [](Array x) {
    return lax::while_loop([](Array c) { return c < lax::axis_index("i"); }, [](Array c) { return c + 2; }, x);
  };
  const VmapOptions named{.axis_name = "i"};
  EXPECT_EQ(vmap(f, named)(ints({0, 0, 0, 0})).to_vector<int>(), (Ints{0, 2, 2, 4}));
  EXPECT_EQ(vmap(jit(f), named)(ints({0, 0, 0, 0})).to_vector<int>(), (Ints{0, 2, 2, 4}));
  const auto unbatched =
      vmap([&](Array, Array x) { return f(x); }, VmapOptions{.in_axes = {0, kNoAxis}, .axis_name = "i"});
  EXPECT_EQ(unbatched(ints({0, 0, 0, 0}), ints({0})[0]).to_vector<int>(), (Ints{0, 2, 2, 4}));
}

TEST(WhileLoop, BatchesABodyThatForgetsItsCarry) {
  const auto f = [](Array x) {
    return lax::while_loop([](Array) { return Array(false); }, [](Array) { return numpy::zeros({}); }, x);
  };
  EXPECT_EQ(vmap(f)(numpy::arange(5, float32)).to_vector<float>(), (Floats{0, 1, 2, 3, 4}));
}

TEST(WhileLoop, BatchesNestedLoopsOfUnequalLength) {
  // val accumulates i + j for i < a + 1, j < b + 1.
  const auto f = [](Array a, Array b) {
    using State = std::tuple<Array, Array>;
    const auto row = [&](Array i, Array total) {
      return std::get<1>(lax::while_loop([&](State s) { return std::get<0>(s) < b + 1; },
                                         [&](State s) {
                                           const auto& [j, sum] = s;
                                           return State(j + 1, sum + i + j);
                                         },
                                         State(0, total)));
    };
    return std::get<1>(lax::while_loop(
        [&](State s) { return std::get<0>(s) < a + 1; },
        [&](State s) { return State(std::get<0>(s) + 1, row(std::get<0>(s), std::get<1>(s))); }, State(0, 0)));
  };
  const Array n = numpy::arange(5);
  EXPECT_EQ(vmap(f)(n, n).to_vector<int>(), (Ints{0, 4, 18, 48, 100}));  // n (n + 1)^2
}

TEST(WhileLoop, CarriesNothing) {
  EXPECT_EQ(
      lax::while_loop([](std::tuple<>) { return Array(false); }, [](std::tuple<> c) { return c; }, std::tuple<>()),
      std::tuple<>());
}

TEST(WhileLoop, ABodyThatHandsOnANumber) {
  const auto [a, b] =
      lax::while_loop([](Pair s) { return s.second < 10; }, [](Pair s) { return Pair(7, s.second + 1); }, Pair(33, 4));
  EXPECT_EQ(a.item<int>(), 7);
  EXPECT_EQ(b.item<int>(), 10);
}

TEST(WhileLoop, HasDerivativesOfItsSteps) {
  const X64Scope x64;
  const auto loop = [](Array x) {
    return lax::while_loop([](Array c) { return c(0, 2) <= 8.0; }, [](Array c) { return c * c; }, x);
  };
  const Array x = numpy::reshape(numpy::arange(9, float64), {3, 3});
  expect_derivatives(loop, std::tuple(x), Modes::kForward, 1e-5);
  expect_derivatives(jit(loop), std::tuple(x), Modes::kForward, 1e-5);
  const auto [y, push] = linearize(loop, x);
  EXPECT_EQ(push(x).to_vector<double>(), jvp(loop, std::tuple(x), std::tuple(x)).second.to_vector<double>());
  EXPECT_EQ(y.to_vector<double>(), loop(x).to_vector<double>());
  const auto again = checkpoint(loop);
  const auto [z, push_again] = linearize(again, x);
  EXPECT_EQ(push_again(x).to_vector<double>(), push(x).to_vector<double>());
}

TEST(WhileLoop, TangentsMayAppearStepByStep) {
  const X64Scope x64;
  using State = std::tuple<Array, Array, Array, Array>;
  const auto loop = [](Array x) {
    const State last = lax::while_loop([](State s) { return std::get<0>(s) < 2; },
                                       [](State s) {
                                         const auto& [i, a, b, c] = s;
                                         const Array square = a * a;
                                         return State(i + 1, a, square, square * square);
                                       },
                                       State(0, x, numpy::array({0.3, -0.2}), numpy::array({1.0, 2.0})));
    return std::pair(std::get<2>(last), std::get<3>(last));
  };
  expect_derivatives(loop, std::tuple(numpy::array({0.7, -1.1})), Modes::kForward, 1e-5);
}

TEST(WhileLoop, CarriesMayChangeTheirPlaces) {
  // Three arrays are forwarded in place, one is recomputed and two swap places, in any order.
  using State = std::pair<Array, std::vector<Array>>;
  const std::vector<std::array<size_t, 6>> orders = {
      {0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {2, 0, 3, 5, 1, 4}, {4, 3, 5, 1, 0, 2}};
  const Array factor = numpy::array({0.5f, -1.5f, 2.0f});
  for (const auto& place : orders) {
    const auto body = [&](const State& s) {
      std::vector<Array> next = s.second;
      next[place[3]] = numpy::sin(s.second[place[3]]) * numpy::sum(factor);
      next[place[4]] = s.second[place[5]];
      next[place[5]] = s.second[place[4]];
      return State(s.first + 1, next);
    };
    const auto condition = [&](const State& s) { return numpy::logical_and(s.first < 2, s.second[place[0]] < 100.0f); };
    State start(0, {});
    for (int i = 0; i < 6; ++i) start.second.push_back(numpy::array(0.25f + 0.5f * static_cast<float>(i)));
    const State got = lax::while_loop(condition, body, start), wanted = body(body(start));
    EXPECT_EQ(got.first.item<int>(), 2);
    for (size_t i = 0; i < 6; ++i) EXPECT_EQ(got.second[i].item<float>(), wanted.second[i].item<float>());
  }
  using Three = std::tuple<Array, Array, Array>;
  const auto [a, b, c] =
      lax::while_loop([](Three s) { return std::get<1>(s) == 0.0f; },
                      [](Three s) { return Three(0.0f, 1.0f, std::get<0>(s)); }, Three(5.0f, 0.0f, 3.14f));
  EXPECT_EQ((Floats{a.item<float>(), b.item<float>(), c.item<float>()}), (Floats{0, 1, 5}));
}

TEST(WhileLoop, LinearizesUnderCheckpointThoughNothingRuns) {
  const auto f = checkpoint([](Array x, Array y) {
    const auto [a, b] =
        lax::while_loop([](Pair) { return Array(false); }, [](Pair s) { return Pair(s.second, s.first); }, Pair(x, y));
    return a + b;
  });
  const auto [value, push] = linearize(f, numpy::array(1.0f), numpy::array(2.0f));
  EXPECT_EQ(value.item<float>(), 3);
  EXPECT_EQ(push(numpy::array(10.0f), numpy::array(1.0f)).item<float>(), 11);
}

TEST(WhileLoop, StoppedGradientsOfALoopAreZero) {
  const auto loop = [](Array x, Array p) {
    const Pair last = lax::while_loop([](Pair s) { return s.first < 3; },
                                      [&](Pair s) { return Pair(s.first + 1, s.second * p); }, Pair(0, x));
    return stop_gradient(last.second);
  };
  const auto inner = [&](Array p) { return grad([&](Array q) { return loop(1.0f, q); })(p); };
  const auto outer = [&](Array ps) { return numpy::sum(vmap(inner)(ps)); };
  EXPECT_EQ(grad(outer)(numpy::array({2.0f, 3.0f})).to_vector<float>(), (Floats{0, 0}));
}

TEST(WhileLoop, WithoutJitIsAPlainLoop) {
  const auto f = [] {
    return lax::while_loop([](Pair s) { return s.first < 10.0f; },
                           [](Pair s) {
                             const Array next = s.first + 1.0f;
                             return Pair(next, s.second + next);
                           },
                           Pair(1.0f, 1.0f))
        .second.item<float>();
  };
  const float compiled = f();
  const auto scope = disable_jit();
  EXPECT_EQ(f(), compiled);
  EXPECT_EQ(compiled, 55);
  const auto batched = vmap([](Array y) {
    return lax::while_loop([](Array x) { return x < 10.0f; }, [](Array x) { return x + 1.0f; }, y);
  })(numpy::array({3.0f, 4.5f}));
  EXPECT_EQ(batched.to_vector<float>(), (Floats{10, 10.5f}));
}

TEST(WhileLoop, RefusesWhatIsNoCondition) {
  const auto text = [](const auto& condition) {
    return error_of([&] { lax::while_loop(condition, [](Array c) { return c; }, numpy::array(0.0f)); },
                    StatusCode::kInvalidArgument);
  };
  EXPECT_NE(text([](Array) { return numpy::array(1.0f); }).find("cond_fun must return a boolean scalar, got (f32[])"),
            std::string::npos);
  const std::string carry = error_of(
      [] {
        lax::while_loop([](Pair) { return Array(true); }, [](Pair) { return Pair(true, true); },
                        Pair(numpy::array(true), numpy::array(0.0f)));
      },
      StatusCode::kInvalidArgument);
  EXPECT_NE(carry.find("got (pred[], pred[]), wanted (pred[], f32[])"), std::string::npos) << carry;
}

// ---- fori_loop
// -------------------------------------------------------------------------------------------------------

Array one_more(const Array&, const Array& c) { return c + 1; }

TEST(ForiLoop, TakesNarrowAndWeakBounds) {
  const Array narrow = numpy::astype(Array(0), ElementType::kS16) + numpy::zeros({}, ElementType::kS16);
  const Array ten = narrow + 10;
  EXPECT_EQ(lax::fori_loop(narrow, 10, one_more, numpy::array(10.0f)).item<float>(), 20);
  EXPECT_EQ(lax::fori_loop(0, ten, one_more, numpy::array(10.0f)).item<float>(), 20);
}

TEST(ForiLoop, Unrolls) {
  for (int64_t unroll : {1, 2, 3, 10, 20})
    EXPECT_EQ(lax::fori_loop(0, 10, one_more, numpy::array(10.0f), {.unroll = unroll}).item<float>(), 20);
  const auto sum = [](const Array& i, const Array& c) { return c + i * i; };
  const auto text = [&](int64_t unroll) {
    return make_hlo([&](Array c) { return lax::fori_loop(0, 6, sum, c, {.unroll = unroll}); })(numpy::array(0));
  };
  EXPECT_LT(text(1).size(), text(3).size());
  EXPECT_EQ(lax::fori_loop(0, 6, sum, numpy::array(0), {.unroll = 3}).item<int>(), 55);
  EXPECT_EQ(grad([](Array x) {
              return lax::fori_loop(0, 5, [&](Array, Array c) { return c * x; }, numpy::array(1.0f), {.unroll = 2});
            })(numpy::array(2.0f))
                .item<float>(),
            80);
}

TEST(ForiLoop, CantUnrollWhatHasNoKnownLength) {
  const auto f = [](Array upper) { return lax::fori_loop(0, upper, one_more, numpy::array(10.0f), {.unroll = 3}); };
  const std::string text = error_of([&] { jit(f)(10); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("Can only use `unroll`"), std::string::npos) << text;
  EXPECT_EQ(f(10).item<float>(), 20) << "a bound with a value is known";
}

TEST(ForiLoop, RunsNotAtAllWhereThereIsNothing) {
  for (int64_t upper : {0, -1, -5}) {
    for (int64_t unroll : {1, 3}) {
      const auto f = [&](Array c) { return lax::fori_loop(0, upper, one_more, c, {.unroll = unroll}); };
      EXPECT_EQ(f(numpy::array(10.0f)).item<float>(), 10);
      EXPECT_EQ(jit(f)(numpy::array(10.0f)).item<float>(), 10);
    }
  }
}

TEST(ForiLoop, Batches) {
  const auto f = [](Array x) {
    return lax::fori_loop(0, 10, [](Array, Pair c) { return Pair(c.first + 1, c.second + 2); }, Pair(x, 0));
  };
  const auto [a, b] = vmap(f)(ints({0, 1}));
  EXPECT_EQ(a.to_vector<int>(), (Ints{10, 11}));
  EXPECT_EQ(b.to_vector<int>(), (Ints{20, 20}));
  const auto counted = [](Array x, Array n) { return lax::fori_loop(0, n, [](Array, Array c) { return c + 1; }, x); };
  const Array grid = vmap(vmap(counted, {kNoAxis, 0}), {0, kNoAxis})(numpy::arange(3), numpy::arange(4));
  EXPECT_EQ(grid.to_vector<int>(), (Ints{0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5}));
}

TEST(ForiLoop, LeavesAConditionUnbatchedThatNeedNotBe) {
  const auto f = [](Array x) {
    return lax::while_loop([](Pair s) { return s.first < 4; }, [](Pair s) { return Pair(s.first + 1, s.second + 1); },
                           Pair(0, x))
        .second;
  };
  EXPECT_EQ(vmap(f)(numpy::arange(3)).to_vector<int>(), (Ints{4, 5, 6}));
  const std::string text = make_hlo(vmap(f))(numpy::arange(3));
  EXPECT_EQ(text.find("pred[3]"), std::string::npos) << text;
}

TEST(ForiLoop, SumsItsIndices) {
  const auto count = [](Array n) { return lax::fori_loop(0, n, [](Array i, Array c) { return c + i; }, 0); };
  const auto with_closure = [](Array n) {
    return lax::fori_loop(0, n, [&](Array i, Array c) { return n + c + i; }, 0);
  };
  for (int n : {2, 3, 4}) {
    EXPECT_EQ(count(n).item<int>(), n * (n - 1) / 2);
    EXPECT_EQ(jit(count)(n).item<int>(), n * (n - 1) / 2);
    EXPECT_EQ(with_closure(n).item<int>(), n * (n - 1) / 2 + n * n);
    EXPECT_EQ(jit(with_closure)(n).item<int>(), n * (n - 1) / 2 + n * n);
  }
}

TEST(ForiLoop, CarriesTuplesMapsAndEmptyParts) {
  const Array xs = numpy::arange(10, float32);
  const auto limit = [](Array n) { return numpy::minimum(10, n); };
  const auto of_tuple = [&](Array n) {
    return lax::fori_loop(
               0, limit(n), [&](Array i, Pair s) { return Pair(s.first, s.second + s.first(i)); }, Pair(xs, 0.0f))
        .second;
  };
  using Map = std::map<std::string, Array>;
  const auto of_map = [&](Array n) {
    return lax::fori_loop(
               0, limit(n),
               [&](Array i, Map s) {
                 s["total"] = s["total"] + s["xs"](i);
                 return s;
               },
               Map{{"xs", xs}, {"total", numpy::array(0.0f)}})
        .at("total");
  };
  using Hollow = std::tuple<Array, std::tuple<>>;
  const auto of_hollow = [&](Array n) {
    return std::get<0>(lax::fori_loop(
        0, limit(n), [&](Array i, Hollow s) { return Hollow(std::get<0>(s) + xs(i), {}); }, Hollow(0.0f, {})));
  };
  for (const auto& [n, sum] : std::map<int, float>{{0, 0}, {5, 10}, {10, 45}, {15, 45}}) {
    EXPECT_EQ(of_tuple(n).item<float>(), sum);
    EXPECT_EQ(jit(of_map)(n).item<float>(), sum);
    EXPECT_EQ(of_map(n).item<float>(), sum);
    EXPECT_EQ(jit(of_hollow)(n).item<float>(), sum);
  }
}

TEST(ForiLoop, HasForwardDerivatives) {
  const X64Scope x64;
  const auto doubled = [](Array x) { return lax::fori_loop(0, 3, [](Array, Array c) { return c * 2.0; }, x); };
  const auto [y, dy] = jvp(doubled, std::tuple(Array(2.0)), std::tuple(Array(1.0)));
  EXPECT_EQ(y.item<double>(), 16);
  EXPECT_EQ(dy.item<double>(), 8);
  expect_derivatives(doubled, std::tuple(numpy::array(2.0)));
  const auto factorial = [](Array x) { return lax::fori_loop(0, 3, [](Array i, Array c) { return c * (i + 1); }, x); };
  EXPECT_EQ(factorial(2.0).item<double>(), 12);
  expect_derivatives(factorial, std::tuple(numpy::array(2.0)));
}

TEST(ForiLoop, RunsRandomKeysUnderVmap) {
  const auto body = [](Array, Pair s) {
    const Array two = random::split(s.first);
    const Array picked = lax::cond(
        random::bernoulli(two[1]), [](Array x) { return x; }, [](Array x) { return numpy::abs(x) - 1.0f; }, s.second);
    return Pair(two[0], picked);
  };
  const auto g = [&](Array key, Array x) { return lax::fori_loop(0, 10, body, Pair(key, x)).second; };
  const Array keys = random::split(random::PRNGKey(0), 3);
  const Array got = vmap(g)(keys, numpy::ones({3, 4}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(got[i].to_vector<float>(), g(keys[i], numpy::ones({4})).to_vector<float>());
}

TEST(ForiLoop, MayHoldAPmap) {
  const auto sines = [](Array i, Array x) {
    (void)i;
    return pmap([](Array z) { return lax::psum(numpy::sin(z), "i"); }, "i")(x) + x;
  };
  const auto plain = [](Array, Array x) { return numpy::broadcast_to(numpy::sum(numpy::sin(x)), {1}) + x; };
  EXPECT_NEAR(lax::fori_loop(0, 3, sines, numpy::ones({1}))[0].item<float>(),
              lax::fori_loop(0, 3, plain, numpy::ones({1}))[0].item<float>(), 1e-6);
}

TEST(WhileLoop, WhatTheBodyHandsOnStaysUnbatched) {
  using State = std::tuple<Array, Array, Array>;
  const auto f = [](Array w, Array x, Array last) {
    const State end = lax::while_loop([&](State s) { return std::get<0>(s) < last; },
                                      [](State s) {
                                        const auto& [c, v, m] = s;
                                        return State(c + 1, numpy::matmul(v, m), m);
                                      },
                                      State(0, x, w));
    return Pair(std::get<2>(end), std::get<1>(end));
  };
  const VmapOptions options{.in_axes = {kNoAxis, 0, 0}, .out_axes = {kNoAxis, 0}};
  const auto [w, x] = vmap(f, options)(numpy::ones({2, 2}), numpy::ones({4, 2}), numpy::arange(4));
  EXPECT_EQ(w.to_vector<float>(), Floats(4, 1));
  EXPECT_EQ(x.to_vector<float>(), (Floats{1, 1, 2, 2, 4, 4, 8, 8}));
  // Two carries that swap places are not forwarded.
  const auto g = [](Array a, Array b, Array last) {
    return std::get<1>(lax::while_loop(
        [&](State s) { return std::get<0>(s) < last; },
        [](State s) { return State(std::get<0>(s) + 1, std::get<2>(s), std::get<1>(s)); }, State(0, a, b)));
  };
  EXPECT_EQ(vmap(g, {kNoAxis, kNoAxis, 0})(1, 2, numpy::arange(3)).to_vector<int>(), (Ints{1, 2, 1}));
}

TEST(WhileLoop, BatchesWhatItClosesOverBesideItsPredicate) {
  const auto f = [](Array i, Array x) {
    const auto end =
        lax::while_loop([](Pair s) { return s.first < 5; }, [&](Pair s) { return Pair(s.first + 1, s.second + x); },
                        Pair(i, numpy::ones({3})));
    return end.second;
  };
  const Array out = vmap(f, {0, 1})(numpy::arange(4), numpy::ones({3, 4}));
  EXPECT_EQ(out.to_vector<float>(), (Floats{6, 6, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3}));
}

}  // namespace
}  // namespace hilo
