// SPDX-License-Identifier: Apache-2.0
// scan, map and associative_scan: cases of JAX's lax_control_flow_test. Expected numbers are computed by hand or by a
// C++ loop over the same step.
#include <gtest/gtest.h>

#include "hilo/lax/collective.h"
#include "hilo/lax/control_flow.h"
#include "hilo/lax/map.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/random/random.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/callback.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/pmap.h"
#include "hilo/transform/vmap.h"
#include "tests/support/derivatives.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Pair = std::pair<Array, Array>;
using List = std::vector<Array>;
using Floats = std::vector<float>;
using Ints = std::vector<int>;

Array numbers(const std::vector<int64_t>& shape, double seed) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return numpy::reshape(numpy::sin((numpy::arange(n, float64) + seed) * 3.7), shape);
}

Pair step(const Array& c, const Array& a) {
  const Array b = numpy::cos(numpy::sum(numpy::sin(a)) + numpy::sum(numpy::cos(c)) + 1.7);
  return Pair(numpy::sin(c * b), b);
}

/// The reference: a C++ loop.
template <typename F>
Pair by_loop(const F& f, Array c, const Array& xs) {
  List ys;
  for (int64_t i = 0; i < xs.shape(0); ++i) {
    const auto [next, y] = f(c, xs[i]);
    c = next;
    ys.push_back(y);
  }
  return Pair(c, numpy::stack(ys));
}

void expect_same(const Pair& got, const Pair& wanted, double tolerance = 1e-12) {
  derivatives::expect_close(flatten(got).leaves, flatten(wanted).leaves, tolerance, "scan");
}

const auto scanned = [](Array c, Array xs) { return lax::scan(step, c, xs); };
const auto looped = [](Array c, Array xs) { return by_loop(step, c, xs); };

TEST(Scan, MeansALoop) {
  const X64Scope x64;
  const Array c = numbers({4}, 1), xs = numbers({5, 3}, 2);
  expect_same(scanned(c, xs), looped(c, xs));
  expect_same(jit(scanned)(c, xs), looped(c, xs));
  expect_same(lax::scan(jit(step), c, xs), looped(c, xs));
  expect_same(checkpoint(scanned)(c, xs), looped(c, xs));
  const auto kept = checkpoint(scanned, {.policy = checkpoint_policies::everything_saveable});
  expect_same(jit(kept)(c, xs), looped(c, xs));
}

TEST(Scan, HasTheDerivativesOfALoop) {
  const X64Scope x64;
  const std::tuple arguments(numbers({4}, 1), numbers({5, 3}, 2));
  expect_derivatives(scanned, arguments, Modes::kBoth, 1e-5);
  expect_derivatives(jit(scanned), arguments, Modes::kBoth, 1e-5);
  expect_derivatives(checkpoint(scanned), arguments, Modes::kBoth, 1e-5);
  const auto [c, xs] = arguments;
  expect_same(jvp(scanned, arguments, arguments).second, jvp(looped, arguments, arguments).second);
  expect_same(linearize(scanned, c, xs).second(c, xs), jvp(looped, arguments, arguments).second);
  const auto total = [](const auto& f) { return [&f](Array a, Array b) { return numpy::sum(f(a, b).first); }; };
  const auto got = grad<0, 1>(total(scanned))(c, xs), wanted = grad<0, 1>(total(looped))(c, xs);
  expect_same(Pair(std::get<0>(got), std::get<1>(got)), Pair(std::get<0>(wanted), std::get<1>(wanted)));
}

TEST(Scan, HasHigherDerivatives) {
  const X64Scope x64;
  const auto f = [](Array c, Array xs) {
    return lax::scan(
        [](Array s, Array a) {
          const Array b = numpy::sin(s * numpy::sum(numpy::cos(0.75 * a)));
          return Pair(0.9 * numpy::cos(0.75 * numpy::sum(numpy::sin(s * a))), b);
        },
        c, xs);
  };
  expect_derivatives(f, std::tuple(numpy::array(1.0), numpy::reshape(numpy::arange(6, float64), {3, 2})), Modes::kBoth,
                     1e-5);
}

TEST(Scan, RunsARecurrentNetwork) {
  const X64Scope x64;
  const auto loss = [](Array w_next, Array w_out, Array inputs, Array targets) {
    const auto cell = [&](Array state, Array input) {
      const Array both = numpy::concatenate({state, input});
      return Pair(numpy::tanh(numpy::matmul(w_next, both)), numpy::tanh(numpy::matmul(w_out, both)));
    };
    const Array miss = lax::scan(cell, numpy::zeros({2}, float64), inputs).second - targets;
    return numpy::sum(miss * miss);
  };
  const Array w = numbers({2, 6}, 1), v = numbers({1, 6}, 2), x = numbers({3, 4}, 3), y = numbers({3, 1}, 4);
  expect_derivatives(jit(loss), std::tuple(w, v, x, y), Modes::kBoth, 1e-5);
  const Array xs = numbers({7, 3, 4}, 5), ys = numbers({7, 3, 1}, 6);
  const Array losses = vmap(loss, {kNoAxis, kNoAxis, 0, 0})(w, v, xs, ys);
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(losses[i].item<double>(), loss(w, v, xs[i], ys[i]).item<double>(), 1e-12);
}

TEST(Scan, HoldsDerivativesAndIsDifferentiated) {
  const X64Scope x64;
  // Each step descends a slope. energy is sum(x p), so 75 steps of 0.1 p leave x - 7.5 p.
  const auto settled = [](Array p) {
    const auto energy = [&](Array x) { return numpy::sum(x * p); };
    const auto down = [&](Pair c, Array none) {
      return std::pair(Pair(c.first + 1, c.second - 0.1 * grad(energy)(c.second)), none);
    };
    return lax::scan(down, Pair(0, numpy::array({1.0, 2.0, 3.0})), numpy::zeros({75, 0}, float64)).first.second;
  };
  const auto got = settled(0.5).to_vector<double>();
  EXPECT_NEAR(got[0], 1 - 3.75, 1e-12);
  const auto loss = [&](Array p) { return numpy::sum(numpy::sin(1.0 - settled(p))); };
  expect_derivatives<1>(loss, std::tuple(numpy::array(0.25)));
  const auto slopes = [](Array v) {
    return lax::scan([](Array x, Array i) { return Pair(grad([](Array a) { return numpy::cos(a); })(x), i); }, v,
                     numpy::arange(10))
        .first;
  };
  expect_derivatives<1>(jit(slopes), std::tuple(numpy::array(0.5)));
}

TEST(Scan, BatchesAlongAnyAxis) {
  const X64Scope x64;
  const auto check = [](Axis c_axis, Axis xs_axis, const Array& c, const Array& xs) {
    for (const auto& f : {vmap([](Array a, Array b) { return scanned(a, b); }, {c_axis, xs_axis})})
      expect_same(f(c, xs), vmap([](Array a, Array b) { return looped(a, b); }, {c_axis, xs_axis})(c, xs), 1e-10);
  };
  check(0, kNoAxis, numbers({7, 4}, 1), numbers({5, 3}, 2));
  check(kNoAxis, 1, numbers({4}, 1), numbers({5, 7, 3}, 2));
  check(1, 2, numbers({4, 7}, 1), numbers({5, 3, 7}, 2));
  check(0, 0, numbers({7, 4}, 1), numbers({7, 5, 3}, 2));
}

TEST(Scan, BatchesTuples) {
  const X64Scope x64;
  const auto f = [](Pair c, Pair a) {
    const Array b = numpy::sum(numpy::cos(a.first)) * numpy::sum(c.second * a.second);
    return std::pair(
        Pair(c.first * numpy::sin(numpy::sum(a.first * a.second)), c.second * numpy::cos(numpy::sum(a.first))), b);
  };
  const Pair xs(numbers({3, 7}, 1), numbers({3, 4, 7}, 2)), c(numbers({7, 2}, 3), numbers({7}, 4));
  const auto [last, ys] =
      vmap([&](Pair a, Pair b) { return lax::scan(f, a, b); }, VmapOptions{.in_axes = {0, std::pair(1, 2)}})(c, xs);
  for (int i = 0; i < 7; ++i) {
    const auto [own, own_ys] =
        lax::scan(f, Pair(c.first[i], c.second[i]), Pair(xs.first(all, i), xs.second(all, all, i)));
    expect_same(Pair(last.first[i], ys[i]), Pair(own.first, own_ys));
    EXPECT_NEAR(last.second[i].item<double>(), own.second.item<double>(), 1e-12);
  }
}

TEST(Scan, BatchedCarriesAreFoundByAFixedPoint) {
  const auto f = [](Array last) {
    using Four = std::tuple<Array, Array, Array, Array>;
    const auto shift = [](Four c, Array) {
      const auto& [a, b, d, e] = c;
      return std::pair(Four(b, d, e, 0.0f), std::tuple<>());
    };
    return lax::scan(shift, Four(0.0f, 1.0f, 2.0f, last), numpy::zeros({2})).first;
  };
  const auto [a, b, c, d] = vmap(f)(numpy::array({3.0f, 4.0f, 5.0f}));
  EXPECT_EQ(a.to_vector<float>(), (Floats{2, 2, 2}));
  EXPECT_EQ(b.to_vector<float>(), (Floats{3, 4, 5}));
  EXPECT_EQ(c.to_vector<float>(), (Floats{0, 0, 0}));
  EXPECT_EQ(d.to_vector<float>(), (Floats{0, 0, 0}));
}

TEST(Scan, CarriesWithoutDerivativesStandBesideThoseWith) {
  const auto with_key = [](Array c) {
    const auto f = [](Pair s, Array) { return std::pair(Pair(s.first, random::split(s.second)[0]), std::tuple<>()); };
    return lax::scan(f, Pair(c, random::PRNGKey(0)), numpy::ones({3})).first.first;
  };
  EXPECT_EQ(grad(with_key)(0.5f).item<float>(), 1);
  const auto forgets = [](Array x) {
    const auto f = [](Pair s, Array) { return std::pair(Pair(2 * s.first, 0.0f), std::tuple<>()); };
    return lax::scan(f, Pair(x, 0.0f), numpy::arange(3)).first.first;
  };
  EXPECT_EQ(grad(jit(forgets))(0.5f).item<float>(), 8);
  const auto all_new = [](Array x) {
    const auto f = [](Pair, std::nullopt_t) { return std::pair(Pair(0.0f, 0.0f), std::tuple<>()); };
    const Pair c = lax::scan(f, Pair(x, 0.0f), std::nullopt, 5).first;
    return c.first + c.second;
  };
  EXPECT_EQ(grad(all_new)(1.0f).item<float>(), 0);
}

TEST(Scan, GradientsOfMatrixPowersWriteNoStack) {
  const auto loss = [](Array a) {
    const auto f = [&](Array x, Array) { return std::pair(numpy::matmul(a, x), std::tuple<>()); };
    return numpy::sum(lax::scan(f, numpy::zeros({3}), numpy::arange(10)).first);
  };
  const std::string text = jit(grad(loss)).lower(numpy::zeros({3, 3})).compile().as_text();
  size_t writes = 0;
  for (size_t at = text.find("dynamic-update-slice("); at != std::string::npos;
       at = text.find("dynamic-update-slice(", at + 1))
    ++writes;
  EXPECT_LT(writes, 2u) << text;
}

/// How often a compiled program's loops name an op. The entry is printed last.
size_t count_in_loops(const std::string& text, const std::string& op) {
  size_t count = 0;
  for (size_t at = text.find(op + "("); at < text.find("ENTRY"); at = text.find(op + "(", at + 1)) ++count;
  return count;
}

TEST(Scan, GradientsOfWhatRowsShareAreSummedAfterTheLoop) {
  const Array z = numpy::sin(numpy::arange(20.0f * 6 * 50)).reshape({20, 6, 50});
  const auto loss_of = [&](const auto& next) {
    return [&z, next](const Array& p) {
      const auto step = [&](const Array& x, const Array& now) { return std::pair(next(p, x, now), std::tuple<>()); };
      return numpy::sum(numpy::square(lax::scan(step, numpy::zeros({6, 50}), z).first));
    };
  };
  const auto check = [&](size_t most, const auto& next, const Array& p) {
    const auto loss = loss_of(next);
    const std::string text = jit(grad(loss)).lower(p).compile().as_text();
    EXPECT_LE(count_in_loops(text, "reduce"), most) << text;
    const Floats slopes = jit(grad(loss))(p).template to_vector<float>();
    const Floats values = p.to_vector<float>();
    for (size_t k = 0; k < slopes.size(); ++k) {
      Floats more = values, less = values;
      more[k] += 0.01f;
      less[k] -= 0.01f;
      const auto at = [&](const Floats& v) { return loss(numpy::array(v).reshape(p.shape())).template item<float>(); };
      const float slope = (at(more) - at(less)) / 0.02f;
      EXPECT_NEAR(slopes[k], slope, 0.02f * (1 + std::abs(slope))) << k;
    }
  };
  // one number for all, several numbers in a step of a differential equation, and one number for each row
  check(1, [](const Array& p, const Array& x, const Array& now) { return numpy::tanh(p * x + now); }, Array(0.4f));
  check(
      4,
      [](const Array& p, const Array& x, const Array& now) {
        return x + 0.1f * (p[0] * numpy::sin(p[1] * x) + p[2] * now - p[0] * x);
      },
      numpy::array({0.3f, 0.7f, 0.2f}));
  check(
      0,
      [](const Array& p, const Array& x, const Array& now) {
        return 0.5f * numpy::sin(x) + numpy::expand_dims(p, 1) * numpy::cos(now + x);
      },
      numpy::array({0.3f, 0.7f, 0.2f, -0.4f, 0.1f, 0.9f}));
}

TEST(Scan, StartsWeakly) {
  for (const ElementType type : {ElementType::kS8, ElementType::kS32, ElementType::kF16, ElementType::kF32}) {
    const Array xs = numpy::ones({5}, type);
    const auto [sum, ys] = lax::scan([](Array c, Array x) { return Pair(c + x, x); }, 0, xs);
    EXPECT_EQ(sum.dtype(), type);
    EXPECT_EQ(sum.item<int>(), 5);
    EXPECT_EQ(ys.to_vector<int>(), (Ints{1, 1, 1, 1, 1}));
    const Array one = numpy::ones({}, type);
    const Array two = lax::while_loop([](Array v) { return v < 2; }, [&](Array v) { return v + one; }, 0);
    EXPECT_EQ(two.dtype(), type);
    EXPECT_EQ(two.item<int>(), 2);
  }
}

TEST(Scan, SumsForwardsAndBackwardsWithAndWithoutJit) {
  const Array xs = numpy::array({3, 1, 4, 1, 5, 9});
  const auto cumsum = [&](bool reverse) {
    return lax::scan([](Array c, Array x) { return Pair(c + x, c + x); }, 0, xs, {.reverse = reverse})
        .second.to_vector<int>();
  };
  EXPECT_EQ(cumsum(false), (Ints{3, 4, 8, 9, 14, 23}));
  EXPECT_EQ(cumsum(true), (Ints{23, 20, 19, 15, 14, 9}));
  const auto scope = disable_jit();
  EXPECT_EQ(cumsum(false), (Ints{3, 4, 8, 9, 14, 23}));
  EXPECT_EQ(cumsum(true), (Ints{23, 20, 19, 15, 14, 9}));
  error_of([] { lax::scan([](Array c, Array x) { return Pair(c + x, x); }, 0.0f, numpy::zeros({0})); },
           StatusCode::kInvalidArgument);
}

TEST(Scan, UnrolledProgramsAreLonger) {
  const auto text = [](int64_t unroll) {
    return jit([=](Array c, Array xs) { return lax::scan(step, c, xs, {.unroll = unroll}); })
        .lower(numpy::ones({4}), numpy::ones({20, 3}))
        .as_text("hlo");
  };
  EXPECT_LT(text(1).size(), text(2).size());
  EXPECT_LT(text(2).size(), text(20).size());
  const X64Scope x64;
  const Array c = numbers({4}, 1), xs = numbers({5, 3}, 2);
  for (int64_t unroll : {2, 3, 5, 7}) expect_same(lax::scan(step, c, xs, {.unroll = unroll}), looped(c, xs));
}

TEST(Scan, SlicesOfMatricesKeepTheirShape) {
  const auto f = [](Array ys) {
    return lax::scan([](Array c, Array x) { return Pair(c, numpy::matmul(x, x)); }, 1.0f, ys);
  };
  const Array ys = numpy::reshape(numpy::arange(16, float32), {4, 2, 2});
  EXPECT_EQ(jit(f).lower(ys).as_text("hlo").find("4,1,2,2"), std::string::npos);
  EXPECT_EQ(f(ys).second[1].to_vector<float>(), numpy::matmul(ys[1], ys[1]).to_vector<float>());
}

TEST(Scan, SpeaksOverANamedAxis) {
  const auto f = [](Array state, Array xs) {
    return lax::scan([](Array s, Array x) { return Pair(s, lax::psum(s, "i") * x); }, state, xs);
  };
  const auto [state, ys] = vmap(f, VmapOptions{.axis_name = "i"})(numpy::array({1.0f, 2.0f}),
                                                                  numpy::reshape(numpy::arange(10, float32), {2, 5}));
  EXPECT_EQ(state.to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(ys[1].to_vector<float>(), (Floats{15, 18, 21, 24, 27}));
  const auto sums = [](Array xs) {
    return lax::scan([](Array c, Array x) { return Pair(c + lax::psum(x, "i"), c); }, 0.0f, xs);
  };
  const auto [total, before] = pmap(sums, "i")(numpy::ones({1, 4}));
  EXPECT_EQ(total.to_vector<float>(), (Floats{4}));
  EXPECT_EQ(before.to_vector<float>(), (Floats{0, 1, 2, 3}));
  const auto axis_size = [](std::tuple<>, std::nullopt_t) { return std::pair(std::tuple<>(), lax::psum(1, "i")); };
  for (int64_t n : {2, 3}) {
    const Array sizes = vmap([&] { return lax::scan(axis_size, std::tuple<>(), std::nullopt, 1).second; },
                             VmapOptions{.out_axes = {kNoAxis}, .axis_name = "i", .axis_size = n})();
    EXPECT_EQ(sizes.to_vector<int>(), (Ints{static_cast<int>(n)}));
  }
}

TEST(Scan, CarriesAndSlicesMayBeHandedOnInAnyOrder) {
  const X64Scope x64;
  // Of five carries, two are forwarded in place, two swap, and one is recomputed. Of three slices, one is forwarded as
  // y.
  const std::vector<std::array<size_t, 5>> orders = {{0, 1, 2, 3, 4}, {4, 2, 0, 1, 3}, {3, 0, 4, 2, 1}};
  const auto scale = custom_jvp([](Array x) { return 3.0 * x; }).defjvp([](std::tuple<Array> p, std::tuple<Array> t) {
    return Pair(3.0 * std::get<0>(p), 3.0 * std::get<0>(t));
  });
  for (const auto& place : orders) {
    const auto body = [&](List c, List x) {
      List next = c;
      next[place[2]] = c[place[3]];
      next[place[3]] = c[place[2]];
      next[place[4]] = scale(numpy::sin(c[place[4]])) * numpy::sum(x[1]);
      return std::pair(next, List{x[0], numpy::cos(x[1]) * c[place[0]], numpy::zeros({}, float64)});
    };
    List carry, xs;
    for (int i = 0; i < 5; ++i) carry.push_back(numbers({3}, i));
    for (int i = 0; i < 2; ++i) xs.push_back(numbers({2, 3}, 10 + i));
    const auto f = [&](List c, List x) { return lax::scan(body, c, x); };
    const auto by_hand = [&](List c, List x) {
      List ys[2];
      for (int i = 0; i < 2; ++i) {
        const auto [next, y] = body(c, List{x[0][i], x[1][i]});
        c = next;
        ys[i] = y;
      }
      List stacked;
      for (size_t k = 0; k < 3; ++k) stacked.push_back(numpy::stack({ys[0][k], ys[1][k]}));
      return std::pair(c, stacked);
    };
    const auto got = f(carry, xs), wanted = by_hand(carry, xs);
    derivatives::expect_close(flatten(got).leaves, flatten(wanted).leaves, 1e-12, "value");
    EXPECT_EQ(got.second[0].to_vector<double>(), xs[0].to_vector<double>());
    expect_derivatives<1>(f, std::tuple(carry, xs));
    const auto pulled = vjp(f, carry, xs);
    const auto pulled_by_hand = vjp(by_hand, carry, xs);
    derivatives::expect_close(flatten(pulled.second(wanted)).leaves, flatten(pulled_by_hand.second(wanted)).leaves,
                              1e-10, "vjp");
  }
}

TEST(Scan, ResultsThatNobodyUsesChangeNothing) {
  // c[i] depends only on the carries before it, and so does the gradient of each result.
  const auto f = [](List c) {
    const auto body = [](List s, std::nullopt_t) {
      List next = {s[0]};
      for (size_t i = 1; i < s.size(); ++i) next.push_back(s[i - 1] + s[i]);
      return std::pair(next, std::tuple<>());
    };
    return lax::scan(body, c, std::nullopt, 4).first;
  };
  for (size_t k = 0; k < 4; ++k) {
    const List slopes = grad([&](List c) { return f(c)[k]; })(List{1.0f, 2.0f, 3.0f, 4.0f});
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(slopes[i].item<float>() != 0, i <= k) << k << " " << i;
    const std::string text =
        jit([&](List c) { return f(c)[k]; }).lower(List{1.0f, 2.0f, 3.0f, 4.0f}).compile().as_text();
    EXPECT_EQ(text.find("f32[4]"), std::string::npos) << text;
  }
  const auto rotate = [](List c) {
    return lax::scan([](List s, std::nullopt_t) { return std::pair(List{s[2], s[0], s[1]}, s[2]); }, c, std::nullopt, 3)
        .second;
  };
  EXPECT_EQ(jit(rotate)(List{1.0f, 2.0f, 3.0f}).to_vector<float>(), (Floats{3, 2, 1}));
  const auto products = [](Array xs) {
    return lax::scan([](Array c, Array x) { return Pair(c * x, c); }, numpy::array(1.0f), xs);
  };
  const Array xs = numpy::array({1.0f, 2.0f, 3.0f, 4.0f});
  EXPECT_EQ(jit([&](Array v) { return products(v).first; })(xs).item<float>(), 24);
  EXPECT_EQ(jit([&](Array v) { return products(v).second; })(xs).to_vector<float>(), (Floats{1, 1, 2, 6}));
  using Three = std::tuple<Array, Array, Array>;
  const auto picks = jit([](Three cs, Pair x) {
    const auto body = [](Three c, Pair v) {
      const auto& [a, b, d] = c;
      return std::pair(Three(a, a + b, numpy::arange(3, float32)), v);
    };
    const auto [last, ys] = lax::scan(body, cs, x);
    return std::pair(std::pair(std::get<0>(last), std::get<2>(last)), ys.first);
  });
  const auto [ends, ys] = picks(Three(1.0f, 2.0f, numpy::arange(3, float32)),
                                Pair(numpy::arange(3, float32), numpy::arange(3, float32) + 5.0f));
  EXPECT_EQ(ends.second.to_vector<float>(), (Floats{0, 1, 2}));
  EXPECT_EQ(ys.to_vector<float>(), (Floats{0, 1, 2}));
}

TEST(Scan, HoistsWhatItClosesOver) {
  const Array a = numpy::reshape(numpy::arange(4, float32), {2, 2}), b = a + 1.0f;
  const auto f = [&](Array x) {
    using Three = std::tuple<Array, Array, Array>;
    const auto body = [&](Three c, std::nullopt_t) {
      return std::pair(Three(numpy::matmul(a, std::get<0>(c)), numpy::matmul(b, std::get<1>(c)),
                             numpy::matmul(numpy::sin(b), std::get<2>(c))),
                       std::tuple<>());
    };
    const Array start = x * numpy::ones({2});
    const auto [c1, c2, c3] = lax::scan(body, Three(start, start, start), std::nullopt, 3).first;
    return numpy::sum(c1) + numpy::sum(c2) + numpy::sum(c3);
  };
  EXPECT_NEAR(grad(f)(1.0f).item<float>(), f(1.0f).item<float>(), 1e-3) << "f is linear";
  EXPECT_NEAR(grad(checkpoint(f))(1.0f).item<float>(), f(1.0f).item<float>(), 1e-3);
}

TEST(Scan, StepsMayHoldBranches) {
  const auto power = [](Array x, int n) {
    const auto maybe = [&](std::pair<Array, Array> s, std::nullopt_t) {
      return std::pair(lax::cond(
                           s.second, [&](Array v) { return Pair(v * x, Array(true)); },
                           [](Array v) { return Pair(v, Array(false)); }, s.first),
                       std::tuple<>());
    };
    return lax::scan(maybe, Pair(numpy::array(1.0f), numpy::array(true)), std::nullopt, n).first.first;
  };
  const auto [y, push] = linearize([&](Array x) { return power(x, 1); }, numpy::array(3.0f));
  EXPECT_EQ(push(numpy::array(1.0f)).item<float>(), 1);
}

TEST(Scan, LengthAndUnrollHaveValues) {
  const auto step = [](Array c, std::nullopt_t) { return std::pair(c, std::tuple<>()); };
  const auto of_length = [&](Array n, Array x) {
    return lax::scan(step, x, std::nullopt, {.length = n.item<int64_t>()}).first;
  };
  const auto unrolled = [&](Array n, Array x) {
    return lax::scan(step, x, std::nullopt, {.length = 10, .unroll = n.item<int64_t>()}).first;
  };
  EXPECT_EQ(of_length(3, 1.0f).item<float>(), 1);
  EXPECT_THROW(jit(of_length)(3, 1.0f), ConcretizationError);
  EXPECT_THROW(jit(unrolled)(3, 1.0f), ConcretizationError);
}

TEST(Scan, PrintsUnderADerivative) {
  std::vector<float> seen;
  const auto f = [&](Array x) {
    return lax::scan(
               [&](Array c, std::nullopt_t) {
                 debug::callback([&](Array v) { seen.push_back(v.item<float>()); }, c);
                 return std::pair(c + 1.0f, std::tuple<>());
               },
               x, std::nullopt, 2)
        .first;
  };
  const auto [value, slope] = jit(value_and_grad(f))(numpy::array(1.0f));
  EXPECT_EQ(value.item<float>(), 3);
  EXPECT_EQ(slope.item<float>(), 1);
  EXPECT_EQ(seen, (Floats{1, 2}));
}

TEST(Scan, RefusesWhatItCantScan) {
  const auto same = [](const auto& c, const auto& x) { return std::pair(c, x); };
  const auto text = [](const std::function<void()>& f) { return error_of(f, StatusCode::kInvalidArgument); };
  EXPECT_NE(text([&] {
              lax::scan(same, 0, numpy::arange(10), {.length = 5});
            }).find("scan got values with different leading axis sizes: 5, 10"),
            std::string::npos);
  EXPECT_NE(text([&] { lax::scan(same, 0, numpy::arange(5), {.unroll = -1}); }).find("`unroll` must be"),
            std::string::npos);
  EXPECT_NE(text([&] { lax::scan(same, 0, Array(1)); }).find("must have a leading axis"), std::string::npos);
  using Map = std::map<std::string, Array>;
  const auto grows = text([] {
    lax::scan([](Map m, std::nullopt_t) { return std::pair(Map{{"a", m["a"]}, {"b", m["a"]}}, std::tuple<>()); },
              Map{{"a", numpy::array(0)}}, std::nullopt, 1);
  });
  EXPECT_NE(grows.find("has a map of 2 keys, the input has a map of 1 key"), std::string::npos) << grows;
  const auto renamed = text([] {
    lax::fori_loop(0, 1, [](Array, Map) { return Map{{"T", numpy::array({0.5f})}}; }, Map{{"t", numpy::array({1.0f})}});
  });
  EXPECT_NE(renamed.find("\"T\""), std::string::npos) << renamed;
  const auto types = text([] {
    lax::scan(
        [](List c, std::nullopt_t) { return std::pair(List{numpy::astype(c[0], float32), c[1]}, std::tuple<>()); },
        List{numpy::array(0, int32), numpy::array(0, int32)}, std::nullopt, 1);
  });
  EXPECT_NE(types.find("carry input and carry output must have equal types"), std::string::npos) << types;
  EXPECT_NE(types.find("got (f32[], s32[]), wanted (s32[], s32[])"), std::string::npos) << types;
}

// ---- map and associative_scan ---------------------------------------------------------------------------------------

TEST(Map, GoesOverIntegersAndNothing) {
  const auto square = [](Array x) { return x * x; };
  EXPECT_EQ(lax::map(square, numpy::arange(10))[9].item<int>(), 81);
  EXPECT_EQ(lax::map(square, numpy::zeros({0})).size(), 0);
}

TEST(Map, TakesBatchesOfAnySize) {
  using Maps = std::map<std::string, Array>;
  const Array x = numpy::arange(16);
  const Ints wanted = (x * x).to_vector<int>();
  for (int64_t batch : {1, 2, 3, 5, 8, 16, 40}) {
    const auto scalar = [](Array v) {
      EXPECT_EQ(v.ndim(), 0);
      return v * v;
    };
    EXPECT_EQ(lax::map(scalar, x, {.batch_size = batch}).to_vector<int>(), wanted) << batch;
    const Maps out =
        lax::map([](Maps m) { return Maps{{"b", m["a"] * m["a"]}}; }, Maps{{"a", x}}, {.batch_size = batch});
    EXPECT_EQ(out.at("b").to_vector<int>(), wanted) << batch;
  }
  const Array rows = numpy::reshape(numpy::arange(64), {16, 4});
  const auto pairs = jit([](Array a, Array b) {
    return lax::map([](Pair t) { return (t.first + t.second) * 2; }, Pair(a, b), {.batch_size = 8});
  });
  EXPECT_EQ(pairs(rows, rows + 1).to_vector<int>(), ((rows * 2 + 1) * 2).to_vector<int>());
}

TEST(AssociativeScan, SumsAlongEveryAxisBothWays) {
  const auto add = [](Array a, Array b) { return a + b; };
  for (const auto& shape : std::vector<std::vector<int64_t>>{{2}, {3}, {4}, {7}, {10, 3}, {3, 10}, {2, 5, 4}}) {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    const Array data = numpy::reshape(numpy::arange(n), shape) + 7;
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
      EXPECT_EQ(lax::associative_scan(add, data, {.axis = axis}).to_vector<int>(),
                numpy::cumsum(data, axis).to_vector<int>());
  }
  const Array long_one = numpy::arange(1000) + 32;
  EXPECT_EQ(lax::associative_scan(add, long_one, {.reverse = true}).to_vector<int>(),
            numpy::flip(numpy::cumsum(numpy::flip(long_one), 0)).to_vector<int>());
}

TEST(Scan, TheCarryMayBeNone) {
  const Array xs = numpy::arange(3);
  const auto twice = [](auto none, const Array& x) { return std::pair(none, x * 2); };
  const std::vector<int> wanted = {0, 2, 4};
  EXPECT_EQ(lax::scan(twice, std::nullopt, xs).second.to_vector<int>(), wanted);
  EXPECT_EQ(lax::scan(twice, {}, xs, {.reverse = true}).second.to_vector<int>(), wanted);
  const auto typed = [](std::nullopt_t, const Array& x) { return std::pair(std::nullopt, x * 2); };
  EXPECT_EQ(jit([&](const Array& x) { return lax::scan(typed, std::nullopt, x).second; })(xs).to_vector<int>(), wanted);
  const auto ones = [](auto none, auto) { return std::pair(none, Array(1)); };
  EXPECT_EQ(lax::scan(ones, std::nullopt, std::nullopt, 3).second.to_vector<int>(), (std::vector<int>{1, 1, 1}));
}

struct Both {
  Array first, second;
  HILO_TREE(first, second)
};

TEST(AssociativeScan, TakesStructsAndTruthValues) {
  const Both data{numpy::array({0.0f, 1.0f, 2.0f}), numpy::array({0.0f, 10.0f, 20.0f})};
  const Both sums =
      lax::associative_scan([](Both a, Both b) { return Both{a.first + b.first, a.second + b.second}; }, data);
  EXPECT_EQ(sums.first.to_vector<float>(), (Floats{0, 1, 3}));
  EXPECT_EQ(sums.second.to_vector<float>(), (Floats{0, 10, 30}));
  const Array bits = numpy::array({false, true, true, true, false, true});
  EXPECT_EQ(lax::associative_scan([](Array a, Array b) { return a ^ b; }, bits).to_vector<bool>(),
            (std::vector<bool>{false, true, false, true, true, false}));
}

TEST(AssociativeScan, ElementsMayBeSystemsOfEquations) {
  for (int64_t n : {2, 3, 6}) {
    const Array matrices = numpy::broadcast_to(numpy::eye(2), {n, 2, 2});
    const auto combine = vmap([](Pair a, Pair b) {
      return Pair(a.first + b.first, linalg::solve(a.first, b.second) + linalg::solve(b.first, a.second));
    });
    const auto [m, v] =
        lax::associative_scan([&](Pair a, Pair b) { return combine(a, b); }, Pair(matrices, numpy::ones({n, 2})));
    EXPECT_EQ(m[1](0, 0).item<float>(), 2);
    EXPECT_EQ(v[1].to_vector<float>(), (Floats{2, 2}));
  }
}

TEST(Scan, KeepsNoMoreThanItsDerivativeNeeds) {
  const auto cumulated = [](Array x) {
    return lax::scan([](Array s, Array v) { return std::pair(v * s, s); }, numpy::ones({2, 32}), x).second;
  };
  const Array x = numpy::ones({16, 2, 32});
  const std::vector<SavedResidual> kept = saved_residuals(cumulated, x);
  size_t of_argument = 0, computed = 0;
  for (const SavedResidual& residual : kept) {
    if (residual.shape.element_count() < x.size()) continue;
    ++(residual.source.find("argument") != std::string::npos ? of_argument : computed);
  }
  EXPECT_EQ(of_argument, 1u) << to_string(kept) << "the argument itself is kept, not a copy";
  EXPECT_LE(computed, 1u) << to_string(kept);
}

}  // namespace
}  // namespace hilo
