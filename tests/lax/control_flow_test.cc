// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/control_flow.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/golden_values.h"
#include "tests/support/x64.h"

namespace hilo {
namespace {

Array cumulative_product(const Array& xs) {
  return lax::scan([](const Array& carry, const Array& x) { return std::pair(carry * x, carry * x); },
                   Array(1.0f) * numpy::ones({}), xs)
      .second;
}

Array power_by_loop(const Array& x) {
  return lax::fori_loop(0, 5, [&](const Array&, const Array& y) { return y * x; }, numpy::ones_like(x));
}

/// Doubles x until it is at least 100.
Array doubled(const Array& x) {
  return lax::while_loop([](const Array& y) { return y < 100.0f; }, [](const Array& y) { return y * 2.0f; }, x);
}

Array absolute(const Array& x) {
  return lax::cond(x > 0.0f, [](const Array& y) { return y * y; }, [](const Array& y) { return -y; }, x);
}

TEST(Scan, StacksItsResults) {
  EXPECT_EQ(cumulative_product(numpy::array({1.0, 2, 3, 4})).to_vector<float>(), (std::vector<float>{1, 2, 6, 24}));
}

TEST(Scan, RunsBackwards) {
  const auto [last, all] = lax::scan([](const Array& c, const Array& x) { return std::pair(c + x, c + x); },
                                     numpy::zeros({}), numpy::array({1.0, 2, 3}), /*reverse=*/true);
  EXPECT_EQ(all.to_vector<float>(), (std::vector<float>{6, 5, 3}));
  EXPECT_EQ(last.item<float>(), 6);
}

TEST(Scan, DifferentiatesBothWays) {
  auto f = [](const Array& xs) { return numpy::sum(cumulative_product(xs)); };
  const Array xs = numpy::array({2.0, 3, 4});
  // d/dx of x + xy + xyz
  EXPECT_EQ(grad(f)(xs).to_vector<float>(), (std::vector<float>{16, 10, 6}));
  EXPECT_EQ(jit(grad(f))(xs).to_vector<float>(), (std::vector<float>{16, 10, 6}));
  const auto [y, dy] = jvp(f, std::tuple(xs), std::tuple(numpy::array({1.0, 1, 1})));
  EXPECT_EQ(dy.item<float>(), 32);
  EXPECT_EQ(hessian(f)(xs).to_vector<float>(), (std::vector<float>{0, 5, 3, 5, 0, 2, 3, 2, 0}));
}

TEST(Scan, DifferentiatesWhatItClosesOver) {
  auto f = [](const Array& w) {
    return numpy::sum(lax::scan([&](const Array& c, const Array& x) { return std::pair(c * w + x, c); },
                                numpy::zeros({}), numpy::array({1.0, 1, 1}))
                          .first);
  };
  EXPECT_EQ(f(Array(2.0f)).item<float>(), 7);
  EXPECT_EQ(grad(f)(Array(2.0f)).item<float>(), 5);  // d/dw of w^2 + w + 1
}

TEST(Scan, Batches) {
  const Array rows = numpy::array({{1.0, 2, 3}, {2, 2, 2}});
  EXPECT_EQ(vmap(cumulative_product)(rows).to_vector<float>(), (std::vector<float>{1, 2, 6, 2, 4, 8}));
}

TEST(ForiLoop, DifferentiatesInReverse) {
  EXPECT_EQ(power_by_loop(Array(2.0f)).item<float>(), 32);
  EXPECT_EQ(grad(power_by_loop)(Array(2.0f)).item<float>(), 80);
}

TEST(ForiLoop, GradientOfIndexedReadsIsRight) {
  auto f = [](const Array& x) {
    return lax::fori_loop(
        0, 4,
        [&](const Array& i, const Array& s) {
          const Array xi = numpy::take(x, i);
          return s + xi * xi;
        },
        numpy::zeros({}));
  };
  EXPECT_EQ(grad(f)(numpy::array({1.0, 2, 3, 4})).to_vector<float>(), (std::vector<float>{2, 4, 6, 8}));
}

TEST(ForiLoop, TakesBoundsThatAreTraced) {
  const auto power = [](const Array& x, const Array& n) {
    return lax::fori_loop(0, n, [&](const Array&, const Array& y) { return y * x; }, numpy::ones_like(x));
  };
  EXPECT_EQ(jit(power)(Array(2.0f), Array(5)).item<float>(), 32);
  EXPECT_EQ(vmap(power)(numpy::array({2.0, 3}), Array::from_vector<int32_t>({3, 2}, {2})).to_vector<float>(),
            (std::vector<float>{8, 9}));
  // The bound has a concrete value, so the trip count is known and reverse mode works.
  EXPECT_EQ(grad([&](const Array& x) { return power(x, Array(3)); })(Array(2.0f)).item<float>(), 12);
  const auto dynamic = [&](const Array& n) { return grad([&](const Array& x) { return power(x, n); })(Array(2.0f)); };
  std::string text = error_of([&] { jit(dynamic)(Array(3)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("fori_loop with dynamic start/stop values"), std::string::npos) << text;
  text = error_of([&] { power(Array(2.0f), Array(3.0f)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("bounds must be integer scalars; got f32[]"), std::string::npos) << text;
}

TEST(ForiLoop, RefusesBoundsOfTwoTypes) {
  const Array small = numpy::astype(Array(3), ElementType::kS8) + numpy::zeros({}, ElementType::kS8);
  const Array large = numpy::arange(5)[4];
  const auto body = [](const Array&, const Array& y) { return y; };
  const std::string text =
      error_of([&] { lax::fori_loop(small, large, body, Array(1.0f)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("lower and upper bounds must have equal types; got s8[] and s32[]"), std::string::npos) << text;
}

TEST(WhileLoop, RunsUntilItsConditionFails) { EXPECT_EQ(doubled(Array(3.0f) * numpy::ones({})).item<float>(), 192); }

TEST(WhileLoop, BatchesWithADifferentCountPerExample) {
  EXPECT_EQ(vmap(doubled)(numpy::array({3.0, 60, 200})).to_vector<float>(), (std::vector<float>{192, 120, 200}));
}

TEST(WhileLoop, DifferentiatesForwardOnly) {
  const auto [y, dy] = jvp(doubled, std::tuple(numpy::ones({}) * 3.0f), std::tuple(numpy::ones({})));
  EXPECT_EQ(dy.item<float>(), 64);
  try {
    grad(doubled)(numpy::ones({}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("Reverse-mode differentiation does not work for lax.while_loop"),
              std::string::npos);
  }
}

TEST(Cond, TakesOneBranchAndItsGradient) {
  EXPECT_EQ(absolute(Array(3.0f)).item<float>(), 9);
  EXPECT_EQ(absolute(Array(-3.0f)).item<float>(), 3);
  EXPECT_EQ(grad(absolute)(Array(3.0f)).item<float>(), 6);
  EXPECT_EQ(jit(grad(absolute))(Array(-3.0f)).item<float>(), -1);
}

TEST(Cond, UnderVmapSelects) {
  EXPECT_EQ(vmap(absolute)(numpy::array({3.0, -3})).to_vector<float>(), (std::vector<float>{9, 3}));
  EXPECT_EQ(vmap(grad(absolute))(numpy::array({3.0, -3})).to_vector<float>(), (std::vector<float>{6, -1}));
}

TEST(Cond, UnderVmapKeepsInfiniteSlopesOfTheOtherBranchOut) {
  const auto root = [](const Array& x) {
    return lax::cond(
        x > 0.0f, [](const Array& y) { return numpy::sqrt(y); }, [](const Array& y) { return y * 0.0f; }, x);
  };
  EXPECT_EQ(
      grad([&](const Array& rows) { return numpy::sum(vmap(root)(rows)); })(numpy::array({4.0, 0})).to_vector<float>(),
      (std::vector<float>{0.25, 0}));
  EXPECT_EQ(vmap(grad(root))(numpy::array({4.0, 0})).to_vector<float>(), (std::vector<float>{0.25, 0}));
}

using Named = std::map<std::string, Array>;
struct Scaled {
  Array x;
  int times = 1;
};

TEST(Cond, RefusesBranchesOfDifferentTrees) {
  const auto refusal = [](const auto& yes, const auto& no) {
    const std::string text = error_of([&] { lax::cond(true, yes, no, Array(1.0f)); }, StatusCode::kInvalidArgument);
    EXPECT_NE(text.find("cond (control_flow_test.cc:"), std::string::npos) << text;
    EXPECT_NE(text.find("branch outputs must have the same tree structure"), std::string::npos) << text;
    return text;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(refusal([](const Array& x) { return Named{{"a", x}}; }, [](const Array& x) { return Named{{"b", x}}; }),
      "the true branch has \"a\", the false branch has \"b\"");
  has(refusal([](const Array& x) { return Named{{"a", x}}; }, [](const Array&) { return Named{}; }),
      "the true branch has a map of 1 key, the false branch has a map of 0 keys");
  has(refusal([](const Array& x) { return std::pair(x, std::optional<Array>()); },
              [](const Array& x) { return std::pair(x, std::optional<Array>(x)); }),
      "at [1] the true branch has an empty optional, the false branch has an optional with a value");
  has(refusal([](const Array& x) { return Scaled{x, 1}; }, [](const Array& x) { return Scaled{x, 2}; }),
      "the true branch has 1, the false branch has 2");
  has(refusal([](const Array& x) { return std::vector{x, x}; }, [](const Array& x) { return std::vector{x}; }),
      "the true branch has a vector of 2 elements, the false branch has a vector of 1 element");
}

TEST(Loops, ShowHowTheCarrysTreeChanges) {
  const auto grow = [](const std::vector<Array>& c) { return std::vector<Array>{c[0], c[0]}; };
  const auto has = [](const std::string& text) {
    EXPECT_NE(text.find("has a vector of 2 elements, the input has a vector of 1 element"), std::string::npos) << text;
  };
  const std::vector<Array> start = {Array(1.0f)};
  const auto wrong = StatusCode::kInvalidArgument;
  has(error_of([&] { lax::fori_loop(0, 2, [&](const Array&, const auto& c) { return grow(c); }, start); }, wrong));
  has(error_of([&] { lax::while_loop([](const auto& c) { return c[0] < 1.0f; }, grow, start); }, wrong));
  has(error_of(
      [&] {
        lax::scan([&](const auto& c, const Array& x) { return std::pair(grow(c), x); }, start, numpy::zeros({2}));
      },
      wrong));
}

// A weakly typed carry is promoted to the type that the body returns.
TEST(WeakCarry, OfNumbersIsPromoted) {
  const Array x = numpy::array({2.0}), half = numpy::array({0.5}, ElementType::kF16);
  const auto total_of = [](const Array& a) {
    return lax::fori_loop(0, 3, [&](const Array&, const Array& c) { return c + numpy::sum(a); }, 0);
  };
  EXPECT_EQ(total_of(x).item<float>(), 6);
  EXPECT_EQ(total_of(x).dtype(), ElementType::kF32);
  EXPECT_EQ(total_of(half).dtype(), ElementType::kF16);
  EXPECT_EQ(total_of(half).item<float>(), 1.5f);
  const Array product = lax::fori_loop(0, 3, [](const Array&, const Array& c) { return c * 2.5f; }, 1);
  EXPECT_EQ(product.item<float>(), 15.625f);
  EXPECT_EQ(lax::fori_loop(0, 3, [](const Array& i, const Array& c) { return c + i; }, 0).item<int>(), 3);
  EXPECT_EQ(lax::fori_loop(0, 3, [](const Array& i, const Array& c) { return c + i; }, 0.0f).item<float>(), 3);
}

TEST(WeakCarry, IsPromotedInEveryLoop) {
  const Array x = numpy::sum(numpy::array({2.0}));
  EXPECT_EQ(
      lax::while_loop([](const Array& c) { return c < 3; }, [&](const Array& c) { return c + x; }, 0).item<float>(), 4);
  EXPECT_EQ(
      lax::while_loop([](const Array& c) { return c < 3; }, [](const Array& c) { return c + 1.5f; }, 0).item<float>(),
      3);
  const auto [last, all] =
      lax::scan([](const Array& c, const Array& y) { return std::pair(c + y, c); }, 0, numpy::array({1.0, 2}));
  EXPECT_EQ(last.item<float>(), 3);
  EXPECT_EQ(all.to_vector<float>(), (std::vector<float>{0, 1}));
  // Under jit the bound has no concrete value, so this is a while loop.
  const Array stop = numpy::sum(numpy::arange(3));
  const auto traced = jit([&](const Array& end) {
    return lax::fori_loop(Array(0), end, [&](const Array&, const Array& c) { return c + x; }, 0);
  });
  EXPECT_EQ(traced(stop).item<float>(), 6);
}

TEST(WeakCarry, InATreeIsPromotedOnce) {
  const Array x = numpy::sum(numpy::array({2.0}));
  const auto swap = [](const Array&, const std::pair<Array, Array>& c) { return std::pair(c.second, c.first); };
  const auto [a, b] = lax::fori_loop(0, 3, swap, std::pair<Array, Array>(1, x));
  EXPECT_EQ(a.item<float>(), 2);
  EXPECT_EQ(b.item<float>(), 1);
  EXPECT_EQ(a.dtype(), ElementType::kF32);
  // This would need a second promotion, which is an error in JAX too.
  const auto turn = [](const Array&, const std::vector<Array>& c) { return std::vector{c[1], c[2], c[0] + c[1]}; };
  EXPECT_THROW(lax::fori_loop(0, 3, turn, std::vector<Array>{1, 2, x}), Error);
}

TEST(WeakCarry, NeverLosesItsKind) {
  const auto loop = [](const auto& body, const Array& start) {
    return error_of([&] { lax::fori_loop(0, 3, body, start); }, StatusCode::kInvalidArgument);
  };
  loop([](const Array&, const Array&) { return Array(1); }, Array(2.0f));
  loop([](const Array&, const Array& c) { return c > 0; }, Array(0));
  loop([](const Array&, const Array& c) { return c + 1; }, Array(true));
  loop([](const Array&, const Array& c) { return c + 1.5f; }, numpy::full({}, 0, ElementType::kS32));
}

TEST(ForiLoop, IndexTakesTheTypeOfWhatItMeets) {
  const Array narrow = numpy::zeros({}, ElementType::kS8);
  const auto add = [](const Array& i, const Array& c) { return c + i; };
  EXPECT_EQ(lax::fori_loop(0, 4, add, narrow).dtype(), ElementType::kS8);
  EXPECT_EQ(lax::fori_loop(0, 4, add, narrow).item<int>(), 6);
}

TEST(ForiLoop, RefusesBoundsThatItsIndexCannotHold) {
  const auto same = [](const Array&, const Array& c) { return c; };
  error_of([&] { lax::fori_loop(0, int64_t{1} << 40, same, Array(1.0f)); }, StatusCode::kOutOfRange);
  error_of([&] { lax::fori_loop(-(int64_t{1} << 40), 0, same, Array(1.0f)); }, StatusCode::kOutOfRange);
  const X64Scope x64;
  error_of([&] { lax::fori_loop(INT64_MIN, INT64_MAX, same, Array(1.0f)); }, StatusCode::kOutOfRange);
}

TEST(Cond, RefusesBranchesOfDifferentTypes) {
  try {
    lax::cond(true, [](const Array& x) { return x; }, [](const Array& x) { return numpy::stack({x, x}); }, Array(1.0f));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("cond branches must have equal output types"), std::string::npos)
        << error.what();
  }
}

// From here on, numbers are recorded from jax 0.10.2, by name.

Array three() { return numpy::array({-3.0f, 0.5f, 2.0f}); }
Array seven() { return numpy::array({0.5f, -1.0f, 2.0f, 0.25f, -0.75f, 1.5f, 3.0f}); }

Array integers(const std::vector<int32_t>& values) {
  return Array::from_vector(values, {static_cast<int64_t>(values.size())});
}

Array switched(const Array& i, const Array& x) {
  return lax::switch_(i,
                      std::tuple([](Array a) { return numpy::sin(a); }, [](Array a) { return numpy::exp(a); },
                                 [](Array a) { return a * a * a; }),
                      x);
}

TEST(Switch, TakesTheNearestBranchAndItsGradient) {
  std::vector<Array> values, slopes;
  const auto slope = [](const Array& i) { return grad([=](Array x) { return numpy::sum(switched(i, x)); })(three()); };
  for (int i : {-4, 0, 1, 2, 9}) {
    values.push_back(switched(i, three()));
    slopes.push_back(jit(slope)(i));
  }
  expect_golden("switch.values", values);
  expect_golden("switch.grad", slopes);
}

TEST(Switch, UnderVmapSelectsAndInScansRuns) {
  const Array i = integers({-4, 0, 1, 2, 9}), x = numpy::array({0.5f, 1.0f, 1.5f, 2.0f, 2.5f});
  const auto by_x = vmap([](Array a, Array k) { return grad([k](Array b) { return switched(k, b); })(a); });
  expect_golden("switch.vmap_grad", by_x(x, i));
  expect_golden("switch.vmap_grad", jit(by_x)(x, i));
  const auto loop = [](Array c) {
    return lax::scan([](Array a, Array k) { return std::pair(switched(k, a), std::tuple<>()); }, c, integers({0, 1, 2}))
        .first;
  };
  expect_golden("switch.scan_grad", grad(loop)(0.3f));
}

TEST(Switch, TakesFunctionsOfOneTypeAndClosures) {
  using Function = std::function<Array(Array)>;
  const auto f = [](Array w, Array i) {
    const std::vector<Function> branches = {[w](Array a) { return a * w; }, [](Array a) { return a; }};
    return lax::switch_(i, branches, Array(3.0f));
  };
  EXPECT_EQ(grad(f)(2.0f, 0).item<float>(), 3);
  EXPECT_EQ(grad(f)(2.0f, 1).item<float>(), 0);
  const auto constants = std::tuple([] { return Array(1.0f); }, [] { return Array(2.0f); });
  EXPECT_EQ(lax::switch_(1, constants).item<float>(), 2);
}

TEST(Switch, SaysWhatItWasGivenWrong) {
  const auto refused = [](const auto& f) { return error_of(f, StatusCode::kInvalidArgument); };
  const std::string index = refused([] { switched(1.0f, three()); });
  EXPECT_NE(index.find("Index must be an integer scalar, got f32[]"), std::string::npos) << index;
  const std::string none = refused([] { lax::switch_(0, std::vector<std::function<Array(Array)>>(), three()); });
  EXPECT_NE(none.find("Empty branch sequence"), std::string::npos) << none;
  const std::string types = refused(
      [] { lax::switch_(0, std::tuple([](Array a) { return a; }, [](Array a) { return numpy::sum(a); }), three()); });
  EXPECT_NE(types.find("got (f32[]), wanted (f32[3])"), std::string::npos) << types;
}

std::pair<Array, Array> folded(const Array& c, const Array& xs, const lax::ScanOptions& options) {
  const auto step = [](Array k, Array x) {
    k = numpy::sin(k) * x + k;
    return std::pair(k, k * x);
  };
  return lax::scan(step, c, xs, options);
}

TEST(Scan, UnrollsWithoutChangingAnything) {
  for (bool reverse : {false, true}) {
    const std::string name = reverse ? "scan.reverse" : "scan.forward";
    for (int64_t unroll : {1, 2, 3, 7, 10}) {
      const lax::ScanOptions options{.reverse = reverse, .unroll = unroll};
      const auto total = [&](Array c, Array xs) { return numpy::sum(folded(c, xs, options).second); };
      expect_golden(name, folded(0.3f, seven(), options));
      expect_golden(name + ".grad", grad<0, 1>(total)(0.3f, seven()));
      expect_golden(name + ".grad", jit(grad<0, 1>(total))(0.3f, seven()));
      expect_golden(name + ".grad", vmap(grad<0, 1>(total), {kNoAxis, 0})(0.3f, numpy::reshape(seven(), {1, 7})), 1e-5);
    }
  }
}

TEST(Scan, RunsWithoutXsSoOftenAsItIsTold) {
  const auto step = [](Array c, std::nullopt_t) { return std::pair(numpy::cos(c), c); };
  expect_golden("scan.length", lax::scan(step, Array(0.3f), std::nullopt, 4));
  expect_golden("scan.length", lax::scan(step, 0.3f, std::nullopt, {.length = 4, .unroll = 3}));
  const std::string none =
      error_of([&] { lax::scan(step, 0.3f, std::nullopt, lax::ScanOptions{}); }, StatusCode::kInvalidArgument);
  EXPECT_NE(none.find("no values to scan over and no length"), std::string::npos) << none;
  const std::string two = error_of([] { folded(0.3f, seven(), {.length = 6}); }, StatusCode::kInvalidArgument);
  EXPECT_NE(two.find("different leading axis sizes: 6, 7"), std::string::npos) << two;
  error_of([] { folded(0.3f, seven(), {.unroll = 0}); }, StatusCode::kInvalidArgument);
  EXPECT_EQ(folded(0.3f, numpy::zeros({0}), {.unroll = 2}).second.size(), 0);
}

TEST(WhileLoop, PushesTangentsUnderVmap) {
  using State = std::pair<Array, Array>;
  const auto grows = [](Array x) {
    return lax::while_loop([](const State& c) { return c.first < 10.0f; },
                           [](const State& c) { return State(c.first * c.second, c.second + 0.5f); },
                           State(x, Array(1.5f)))
        .first;
  };
  expect_golden("while.jvp", jvp(grows, std::tuple(Array(0.7f)), std::tuple(Array(1.0f))));
  const auto slope = [](Array x) {
    const auto f = [](Array a) {
      return lax::while_loop([](Array c) { return c < 10.0f; }, [](Array c) { return c * numpy::exp(c); }, a);
    };
    return jvp(f, std::tuple(x), std::tuple(Array(1.0f))).second;
  };
  expect_golden("while.vmap_jvp", vmap(slope)(numpy::array({0.5f, 1.0f, 11.0f, 3.0f})), 1e-5);
  expect_golden("while.vmap_jvp", jit(vmap(slope))(numpy::array({0.5f, 1.0f, 11.0f, 3.0f})), 1e-5);
}

TEST(Cond, TakesNoOperands) {
  const auto f = [](Array x) { return lax::cond(x > 0.0f, [&] { return x * x; }, [&] { return -x; }); };
  EXPECT_EQ(f(3.0f).item<float>(), 9);
  EXPECT_EQ(grad(f)(3.0f).item<float>(), 6);
  EXPECT_EQ(jit(grad(f))(-3.0f).item<float>(), -1);
}

}  // namespace
}  // namespace hilo
