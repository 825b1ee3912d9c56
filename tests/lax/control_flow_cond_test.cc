// SPDX-License-Identifier: Apache-2.0
// cond and switch_: cases of JAX's lax_control_flow_test. Expected numbers are computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/control_flow.h"
#include "hilo/lax/elementwise.h"
#include "hilo/nn/nn.h"
#include "hilo/numpy/numpy.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/linear_transpose.h"
#include "hilo/transform/vmap.h"
#include "tests/support/derivatives.h"
#include "tests/support/error_of.h"
#include "tests/support/ints.h"

namespace hilo {
namespace {

using Pair = std::pair<Array, Array>;
using Floats = std::vector<float>;
using Ints = std::vector<int>;

const auto same = [](const Array& x) { return x; };
const auto sine = [](const Array& x) { return numpy::sin(x); };

TEST(Cond, GivesTuples) {
  const auto f = [](Array x) {
    return lax::cond(x < 3, [](Array v) { return Pair(v, v); }, [](Array v) { return Pair(2 * v, 4 * v); }, x);
  };
  for (const auto& [x, first] : std::map<int, int>{{0, 0}, {2, 2}, {3, 6}, {4, 8}}) {
    const Pair got = f(x), compiled = jit(f)(x);
    EXPECT_EQ(got.first.item<int>(), first);
    EXPECT_EQ(compiled.second.item<int>(), x < 3 ? x : 4 * x);
  }
}

TEST(Cond, TakesSeveralOperands) {
  const auto two = [](Array x) {
    return lax::cond(x == 0, [](Array a, Array b) { return a + b; }, [](Array a, Array b) { return a * b; }, x, x);
  };
  const auto three = [](Array x) {
    return lax::cond(
        x == 0, [](Array a, Array b, Array c) { return a + b + c; },
        [](Array a, Array b, Array c) { return a * b * c; }, x, x, x);
  };
  for (int x : {0, 1, 3}) {
    EXPECT_EQ(two(x).item<int>(), x * x);
    EXPECT_EQ(jit(two)(x).item<int>(), x * x);
    EXPECT_EQ(three(x).item<int>(), x * x * x);
    EXPECT_EQ(jit(three)(x).item<int>(), x * x * x);
  }
}

struct Weighted {
  Array x;
  HILO_TREE(x)
  Array operator()(const Array&) const { return x * 0.0f; }  // never called, because it is an operand
};

TEST(Cond, OperandsMayBeCallable) {
  const auto sum = [](Weighted a, Array b) { return a.x + b; };
  EXPECT_EQ(lax::cond(true, sum, sum, Weighted{3.0f}, Array(4.0f)).item<float>(), 7);
}

TEST(Cond, PredicatesMayBeNumbers) {
  const auto f = [](Array p) {
    return lax::cond(p, [](Array v) { return Pair(true, v); }, [](Array v) { return Pair(false, v); }, p);
  };
  EXPECT_FALSE(f(0).first.item<bool>());
  EXPECT_FALSE(f(0.0f).first.item<bool>());
  EXPECT_TRUE(f(1).first.item<bool>());
  EXPECT_TRUE(jit(f)(1.0f).first.item<bool>());
  EXPECT_TRUE(jit(f)(-2).first.item<bool>());
}

TEST(Cond, Nests) {
  const auto f = [](Array x) {
    return lax::cond(
        x < 2, [](Array v) { return 2 * v; },
        [](Array v) {
          return lax::cond(v < 5, [](Array a, Array) { return 3 * a; }, [](Array a, Array b) { return a * b; }, v, 4);
        },
        x);
  };
  for (const auto& [x, y] : std::map<int, int>{{1, 2}, {3, 9}, {6, 24}}) {
    EXPECT_EQ(f(x).item<int>(), y);
    EXPECT_EQ(jit(f)(x).item<int>(), y);
    EXPECT_EQ(jit(checkpoint(f))(x).item<int>(), y);
  }
}

TEST(Cond, ABranchMayBeConstant) {
  const auto one = [](Array x) { return lax::cond(x < 3, [](Array) { return Array(5); }, same, x); };
  EXPECT_EQ(jit(one)(0).item<int>(), 5);
  EXPECT_EQ(jit(one)(4).item<int>(), 4);
  using Three = std::tuple<Array, Array, Array>;
  const auto several = [](Array x) {
    return lax::cond(
        x < 3, [](Array) { return Three(1, 2.0f, 3.0f); }, [](Array v) { return Three(v, 2.0f, 4.0f); }, x);
  };
  EXPECT_EQ(std::get<0>(jit(several)(4)).item<int>(), 4);
  EXPECT_EQ(std::get<2>(jit(several)(4)).item<float>(), 4);
  EXPECT_EQ(std::get<2>(jit(several)(0)).item<float>(), 3);
}

TEST(Cond, BatchesOperandsOrPredicate) {
  const auto f = [](Array x, Array y, Array z) {
    return lax::cond(x < 3, [](Array a, Array) { return a; }, [](Array, Array b) { return -b; }, y, z);
  };
  const Array y = ints({1, 2}), z = ints({3, 4});
  const auto one_predicate = vmap(f, {kNoAxis, 0, 0});
  EXPECT_EQ(one_predicate(2, y, z).to_vector<int>(), (Ints{1, 2}));
  EXPECT_EQ(one_predicate(4, y, z).to_vector<int>(), (Ints{-3, -4}));
  EXPECT_EQ(make_hlo(one_predicate)(Array(2), y, z).find("select("), std::string::npos) << "it stays a branch";
  EXPECT_EQ(vmap(jit(f), {kNoAxis, 0, 0})(4, y, z).to_vector<int>(), (Ints{-3, -4}));
  EXPECT_EQ(vmap(f, {kNoAxis, 0, kNoAxis})(4, y, 5).to_vector<int>(), (Ints{-5, -5}));
  EXPECT_EQ(vmap(f, {0, 0, kNoAxis})(ints({2, 4}), y, 5).to_vector<int>(), (Ints{1, -5}));
  EXPECT_EQ(vmap(f)(ints({2, 4}), y, z).to_vector<int>(), (Ints{1, -4}));
  EXPECT_NE(make_hlo(vmap(f))(ints({2, 4}), y, z).find("select("), std::string::npos);
}

TEST(Cond, HasTheDerivativesOfTheBranchTaken) {
  const X64Scope x64;
  const auto pair = [](Array x) {
    return lax::cond(
        x < 3.0, [](Array v) { return Pair(v, v); }, [](Array v) { return Pair(2.0 * v, 4.0 * v * v); }, x);
  };
  const auto constant = [](Array x) {
    return lax::cond(x < 3.0, [](Array) { return Array(2.0); }, [](Array v) { return 2.0 * v; }, x);
  };
  const auto curved = [](Array x) { return lax::cond(x < 2.0, [](Array v) { return 3.0 * v; }, sine, x); };
  const auto vectors = [](Array x) {
    return lax::cond(
        x[0] < 2.0, [](Array v) { return numpy::array({1.0, 2.0}) * v; },
        [](Array v) { return numpy::cos(numpy::sin(v)); }, x);
  };
  for (double at : {3.14, 2.72, 1.72}) {
    expect_derivatives(pair, std::tuple(numpy::array(at)));
    expect_derivatives(constant, std::tuple(numpy::array(at)));
    expect_derivatives(jit(curved), std::tuple(numpy::array(at)));
    expect_derivatives(checkpoint(curved), std::tuple(numpy::array(at)));
    expect_derivatives(jit(vectors), std::tuple(numpy::array({at, at})));
    expect_derivatives(checkpoint(vectors), std::tuple(numpy::array({at, -at})));
  }
}

TEST(Cond, DifferentiatesWhatBranchesCloseOver) {
  const X64Scope x64;
  const auto f = [](Array x, Array y) {
    return lax::cond(x < 3.0, [&](Array) { return 2.0 * numpy::sin(y); }, [](Array v) { return 2.0 * v; }, x);
  };
  for (double at : {3.14, 2.72}) {
    expect_derivatives(jit(f), std::tuple(numpy::array(at), numpy::array(5.8)));
    EXPECT_NEAR(grad<1>(f)(at, 5.8).item<double>(), at < 3 ? 2 * std::cos(5.8) : 0.0, 1e-12);
  }
}

TEST(Cond, Linearizes) {
  const auto f = [](Array x) { return lax::cond(x < 2.0f, [](Array v) { return 3.0f * v; }, sine, x); };
  const auto [low, push_low] = linearize(f, numpy::array(1.0f));
  EXPECT_EQ(low.item<float>(), 3);
  EXPECT_EQ(push_low(numpy::array(2.0f)).item<float>(), 6);
  const auto [high, push_high] = linearize(jit(f), numpy::array(4.0f));
  EXPECT_FLOAT_EQ(high.item<float>(), std::sin(4.0f));
  EXPECT_FLOAT_EQ(push_high(numpy::array(2.0f)).item<float>(), 2 * std::cos(4.0f));
}

TEST(Cond, GradientsUnderVmapHaveNoNan) {
  constexpr float kLeast = 1e-3f;
  const auto safe = [](Array x) {
    return lax::cond(
        x < kLeast, [](std::tuple<>) { return Array(kLeast); }, [&](std::tuple<>) { return numpy::sqrt(x); },
        std::tuple<>());
  };
  const Array slopes = grad([&](Array x) { return numpy::sum(vmap(safe)(x)); })(numpy::zeros({10}));
  EXPECT_EQ(slopes.to_vector<float>(), Floats(10, 0.0f));
}

TEST(Cond, VmapOfGradIsThatOfSelect) {
  const auto branches = [](Array x) {
    return lax::cond(x > 0.0f, [](Array v) { return v * v; }, [](Array v) { return v * v * v; }, x);
  };
  const auto selected = [](Array x) { return numpy::where(x > 0.0f, x * x, x * x * x); };
  const Array x = numpy::linspace(-1.0f, 1.0f, 20);
  EXPECT_EQ(vmap(grad(branches))(x).to_vector<float>(), vmap(grad(selected))(x).to_vector<float>());
  const auto twice = [](Array v) {
    const auto identity = [](Array a) { return lax::cond(a < 0.0f, same, same, a); };
    return identity(identity(v));
  };
  EXPECT_EQ(vmap(jacrev(twice))(numpy::ones({1})).to_vector<float>(), (Floats{1}));
}

TEST(Cond, HoldsConstants) {
  const auto f = [](Array x) {
    return lax::cond(
        x < 2.0f, [](Array v) { return numpy::array({1.0f, 2.0f}) * v; },
        [](Array v) { return numpy::array({3.0f, 4.0f}) * numpy::sin(v); }, x);
  };
  EXPECT_EQ(f(1.0f).to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(jit(f)(1.0f).to_vector<float>(), (Floats{1, 2}));
  EXPECT_FLOAT_EQ(jit(f)(4.0f)[1].item<float>(), 4 * std::sin(4.0f));
  EXPECT_FLOAT_EQ(checkpoint(f)(4.0f)[0].item<float>(), 3 * std::sin(4.0f));
  const auto rule = custom_jvp([](Array v) { return v; }).defjvp([](std::tuple<Array> v, std::tuple<Array> t) {
    const Array k = numpy::arange(3, float32);
    return Pair(std::get<0>(v) * k, std::get<0>(t) * k);
  });
  const auto g = [&](Array x) { return lax::cond(true, [&](Array v) { return rule(v); }, same, x); };
  const Array x = numpy::arange(3, float32);
  EXPECT_EQ(jvp(g, std::tuple(x), std::tuple(x)).second.to_vector<float>(), (Floats{0, 1, 4}));
}

TEST(Cond, WithoutJitIsABranch) {
  const auto f = [](Array x) { return lax::cond(x < 2.0f, [](Array v) { return 3.0f * v; }, sine, x); };
  const auto scope = disable_jit();
  EXPECT_EQ(f(1.0f).item<float>(), 3);
  EXPECT_FLOAT_EQ(jit(f)(4.0f).item<float>(), std::sin(4.0f));
  EXPECT_FLOAT_EQ(checkpoint(f)(4.0f).item<float>(), std::sin(4.0f));
  const auto batched = vmap([](Array t) {
    return lax::cond(t > 0, [](Array a, Array) { return a; }, [](Array, Array b) { return b + 1; }, Array(0), Array(0));
  });
  EXPECT_EQ(batched(ints({1, -1})).to_vector<int>(), (Ints{0, 1}));
}

TEST(Cond, RefusesWhatIsNoPredicate) {
  const auto text =
      error_of([] { lax::cond(numpy::zeros({2}), same, same, Array(1.0f)); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("Pred must be a scalar, got f32[2]"), std::string::npos) << text;
  const auto shapes = error_of(
      [] {
        lax::cond(true, [](Array) { return numpy::array({1.0f}); }, [](Array) { return numpy::array(1.0f); }, 1.0f);
      },
      StatusCode::kInvalidArgument);
  EXPECT_NE(shapes.find("cond branches must have equal output types but they differ"), std::string::npos) << shapes;
  EXPECT_NE(shapes.find("got (f32[]), wanted (f32[1])"), std::string::npos) << shapes;
}

// ---- switch_
// ---------------------------------------------------------------------------------------------------------

TEST(Switch, GivesTuplesAndTakesSeveralOperands) {
  const auto f = [](Array i) {
    return lax::switch_(i,
                        std::tuple([](Array v) { return Pair(v, v); }, [](Array v) { return Pair(2 * v, 4 * v); },
                                   [](Array v) { return Pair(v, -v); }),
                        i);
  };
  for (const auto& [i, second] : std::map<int, int>{{-1, -1}, {0, 0}, {1, 4}, {2, -2}, {3, -3}}) {
    EXPECT_EQ(f(i).second.item<int>(), second);
    EXPECT_EQ(jit(f)(i).second.item<int>(), second);
  }
  const auto g = [](Array i) {
    return lax::switch_(i, std::tuple([](Array a, Array b) { return a + b; }, [](Array a, Array b) { return a * b; }),
                        i, i);
  };
  EXPECT_EQ(g(-1).item<int>(), -2);
  EXPECT_EQ(jit(g)(3).item<int>(), 9);
}

TEST(Switch, OfOneBranchTakesIt) {
  const auto f = [](Array i, Array x) { return lax::switch_(i, std::tuple([](Array v) { return -v; }), x); };
  for (int i : {-1, 0, 1}) {
    EXPECT_EQ(f(i, 7.0f).item<float>(), -7);
    EXPECT_EQ(jit(f)(i, 7.0f).item<float>(), -7);
    EXPECT_EQ(jit<0>(f)(i, 7.0f).item<float>(), -7);
  }
}

TEST(Switch, BatchesOperandsOrIndex) {
  const auto f = [](Array i, Array x, Array y, Array z) {
    using Three = std::tuple<Array, Array, Array>;
    return lax::switch_(i,
                        std::tuple([](Three t) { return std::get<0>(t); }, [](Three t) { return -std::get<1>(t); },
                                   [](Three t) { return numpy::sign(std::get<2>(t)); }),
                        Three(x, y, z));
  };
  const Array y = ints({1, 2}), z = ints({3, 4});
  const auto one_index = vmap(f, {kNoAxis, 0, 0, kNoAxis});
  EXPECT_EQ(one_index(0, y, z, 9).to_vector<int>(), (Ints{1, 2}));
  EXPECT_EQ(one_index(1, y, z, 9).to_vector<int>(), (Ints{-3, -4}));
  EXPECT_EQ(make_hlo(one_index)(Array(0), y, z, Array(9)).find("select("), std::string::npos);
  EXPECT_EQ(vmap(jit(f), {kNoAxis, 0, 0, kNoAxis})(1, y, z, 9).to_vector<int>(), (Ints{-3, -4}));
  EXPECT_EQ(vmap(f, {kNoAxis, 0, kNoAxis, kNoAxis})(1, y, 5, 9).to_vector<int>(), (Ints{-5, -5}));
  EXPECT_EQ(vmap(f, {0, 0, kNoAxis, kNoAxis})(ints({0, 1}), y, 5, 9).to_vector<int>(), (Ints{1, -5}));
  EXPECT_EQ(vmap(f)(ints({0, 1}), y, z, ints({9, 9})).to_vector<int>(), (Ints{1, -4}));
}

TEST(Switch, HasTheDerivativesOfTheBranchTaken) {
  const X64Scope x64;
  const auto of = [](const auto& f) {
    for (double at : {-0.7, 0.7, 1.7, 2.7, 3.7}) expect_derivatives(f, std::tuple(numpy::array(at)));
  };
  const auto index = [](const Array& x) { return numpy::astype(numpy::floor(x), ElementType::kS32); };
  of([&](Array x) {
    return lax::switch_(index(x),
                        std::tuple([](Array v) { return Pair(v, v); }, [](Array v) { return Pair(2.0 * v, 4.0 * v); },
                                   [](Array v) { return Pair(v, -v); }),
                        x);
  });
  const auto curved = [&](Array x) {
    return lax::switch_(index(x), std::tuple([](Array v) { return 3.0 * v; }, sine, [](Array v) { return -v; }), x);
  };
  of(jit(curved));
  const auto [y, push] = linearize(curved, numpy::array(1.0));
  EXPECT_DOUBLE_EQ(y.item<double>(), std::sin(1.0));
  EXPECT_DOUBLE_EQ(push(numpy::array(2.0)).item<double>(), 2 * std::cos(1.0));
}

TEST(Switch, ForwardsInputsAndOutputsInAnyOrder) {
  const X64Scope x64;
  using List = std::vector<Array>;
  // `handed` of three inputs are forwarded. Of the others, `scaled` are exponentials and the rest sines; then shuffled.
  for (int handed = 0; handed <= 3; ++handed) {
    for (int scaled = 0; scaled <= 3 - handed; ++scaled) {
      const auto branch = [=](double s) {
        return [=](List x) {
          const List in = {x[2], x[0], x[1]};
          List out(in.begin(), in.begin() + handed);
          for (int i = 0; i < 3 - handed; ++i) {
            const Array& v = in[static_cast<size_t>(i)];
            out.push_back(i < scaled ? s * numpy::exp(v) : numpy::sin(v));
          }
          return List{out[1], out[2], out[0]};
        };
      };
      const std::vector branches = {branch(0), branch(1), branch(2)};
      for (int k = 0; k < 3; ++k) {
        expect_derivatives<1>(jit([&](List x) { return lax::switch_(k, branches, x); }),
                              std::tuple(List{numpy::array(0.0), numpy::array(1.0), numpy::array(2.0)}));
      }
    }
  }
}

TEST(Switch, WeakTypesOfBranchesMayDiffer) {
  const auto f = [](Array x) {
    return lax::switch_(numpy::astype(x, ElementType::kS32),
                        std::tuple(same, [](Array v) { return v + numpy::array(1.0f); }), x);
  };
  EXPECT_EQ(grad(f)(0.0f).item<float>(), 1);
  EXPECT_EQ(grad(f)(1.0f).item<float>(), 1);
}

TEST(Switch, GradientsMeetCustomRules) {
  const auto mask = [](Array a, Array choice) {
    return (1.0f - choice) * numpy::sum(a) + choice * (1.0f - numpy::sum(a));
  };
  const auto by_switch = [](Array a, Array choice) {
    return lax::switch_(numpy::astype(numpy::floor(choice), ElementType::kS32),
                        std::tuple([](Array v) { return numpy::sum(v); }, [](Array v) { return 1.0f - numpy::sum(v); }),
                        a);
  };
  const Array a = numpy::arange(3, float32);
  const Floats wanted = grad(mask)(a, 0.0f).to_vector<float>();
  EXPECT_EQ(grad(by_switch)(a, 0.0f).to_vector<float>(), wanted);
  const auto ruled = custom_jvp(by_switch).defjvp([&](std::tuple<Array, Array> p, std::tuple<Array, Array> t) {
    const auto& [v, choice] = p;
    return Pair(by_switch(v, choice), by_switch(std::get<0>(t), choice));
  });
  EXPECT_EQ(grad([&](Array v) { return ruled(v, Array(0.0f)); })(a).to_vector<float>(), wanted);
}

TEST(Switch, BranchesShareThePlacesOfTheirResiduals) {
  const auto places = [](const auto& branches) {
    const auto f = [&](Array x, Array i) { return lax::switch_(i, branches, x); };
    const std::string text = make_hlo(grad(f))(0.5f, 1);
    // The forward conditional returns the value, which is unused, and the residuals.
    const size_t at = text.find(" conditional(");
    const size_t begin = text.rfind('\n', at);
    const std::string type = text.substr(begin, at - begin);
    size_t count = 0;
    for (size_t k = type.find("f32["); k != std::string::npos; k = type.find("f32[", k + 1)) ++count;
    return count;
  };
  const auto cosine = [](const Array& x) { return numpy::cos(x); };
  const auto sinh = [](const Array& x) { return numpy::sinh(x); };
  const auto both = [](const Array& x) { return numpy::sin(x) * numpy::cos(x); };
  const size_t two = places(std::tuple(sine, cosine)), three = places(std::tuple(sine, cosine, sinh));
  EXPECT_EQ(three, two);
  EXPECT_GT(places(std::tuple(sine, cosine, sinh, both)), two);
  const auto f = [&](Array x, Array i) { return lax::switch_(i, std::tuple(sine, both, sinh), x); };
  const Array slopes = vmap(grad(f), {kNoAxis, 0})(0.5f, ints({0, 1, 2}));
  EXPECT_NEAR(slopes[0].item<float>(), std::cos(0.5), 1e-6);
  EXPECT_NEAR(slopes[1].item<float>(), std::cos(1.0), 1e-6);
  EXPECT_NEAR(slopes[2].item<float>(), std::cosh(0.5), 1e-6);
  EXPECT_NEAR(grad(f)(0.5f, 1).item<float>(), std::cos(1.0), 1e-6);
}

TEST(Cond, WhatAllBranchesHandOnStaysUnbatched) {
  const auto f = [](Array x, Array y) {
    return lax::cond(
        x < 3, [](Array a, Array b) { return Pair(a * 2, b); }, [](Array a, Array b) { return Pair(a * 3, b); }, x, y);
  };
  const VmapOptions second_unbatched{.in_axes = {0, kNoAxis}, .out_axes = {0, kNoAxis}};
  const auto [x2, y2] = vmap(f, second_unbatched)(numpy::arange(4), 3.0f);
  EXPECT_EQ(x2.to_vector<int>(), (Ints{0, 2, 4, 9}));
  EXPECT_EQ(y2.item<float>(), 3);
  // Through a scan that forwards its carry.
  const auto g = [](Array, Array y) {
    return lax::scan([](Array c, std::nullopt_t) { return std::pair(c, std::tuple<>()); }, y, std::nullopt, 1).first;
  };
  const auto h = [&](Array x, Array y) { return lax::cond(x < 0.0f, g, g, x, y); };
  EXPECT_EQ(vmap(h, VmapOptions{.in_axes = {0, kNoAxis}, .out_axes = {kNoAxis}})(numpy::arange(3, float32), 3.0f)
                .item<float>(),
            3);
  const auto swapped = [](Array x, Array y) {
    return lax::cond(x < 3, [](Array, Array b) { return b; }, [](Array a, Array) { return a; }, x, y);
  };
  EXPECT_EQ(vmap(swapped, {0, kNoAxis})(numpy::arange(5), 7).to_vector<int>(), (Ints{7, 7, 7, 3, 4}));
}

TEST(Switch, RefusesWhatIsNoIndex) {
  const auto text = [](const auto& index) {
    return error_of([&] { lax::switch_(index, std::tuple(same, same), 1.0f); }, StatusCode::kInvalidArgument);
  };
  EXPECT_NE(text(numpy::array(1.5f)).find("Index must be an integer scalar, got f32[]"), std::string::npos);
  EXPECT_NE(text(ints({1, 1})).find("Index must be an integer scalar, got s32[2]"), std::string::npos);
  const auto types = error_of(
      [] { lax::switch_(1, std::tuple([](Array) { return numpy::array({1.0f}); }, same), numpy::array(1.0f)); },
      StatusCode::kInvalidArgument);
  EXPECT_NE(types.find("switch branches must have equal output types but they differ"), std::string::npos) << types;
}

TEST(Cond, TransposesInsideABranchUnderVmap) {
  const auto outer = [](Array x) {
    const auto with_transpose = [&](Array v) {
      const auto push = linearize(sine, v).second;
      linear_transpose([&](Array t) { return push(t); }, v)(v);
      return v;
    };
    return lax::cond(x[0] > 0.0f, with_transpose, same, x);
  };
  EXPECT_EQ(vmap(outer)(numpy::ones({5, 3})).to_vector<float>(), Floats(15, 1.0f));
}

TEST(Cond, HoldsNothingOnceItIsForgotten) {
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> watched = held;
  {
    const auto f = jit([held](Array x) {
      return lax::cond(x > 0.0f, [held](Array v) { return v + static_cast<float>(*held); }, same, x);
    });
    EXPECT_EQ(grad(f)(1.0f).item<float>(), 1);
  }
  held.reset();
  EXPECT_TRUE(watched.expired()) << "no cache holds what a branch closes over";
}

TEST(Cond, CompilesOnceForAllValues) {
  int traces = 0;
  const auto f = jit([&](Array pred, Array x) {
    return lax::cond(
        pred,
        [&](Array v) {
          ++traces;
          return v + 1.0f;
        },
        [](Array v) { return v + 2.0f; }, x);
  });
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(f(i % 2 == 0, static_cast<float>(i)).item<float>(), static_cast<float>(i + 1 + i % 2));
  }
  const int after_one = traces;
  EXPECT_EQ(f.cache_size(), 1u);
  for (int i = 0; i < 5; ++i) f(true, 3.0f);
  EXPECT_EQ(traces, after_one);
}

TEST(Cond, IsLeftOutWhereNobodyUsesItsResults) {
  const auto f = [&](Array x) {
    lax::cond(x > 0.0f, sine, same, x);
    return x * 2.0f;
  };
  EXPECT_EQ(jit(f)(1.0f).item<float>(), 2);
  EXPECT_EQ(jit(f).lower(Array(1.0f)).compile().as_text().find("conditional("), std::string::npos);
}

}  // namespace
}  // namespace hilo
