// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/custom_vjp.h"

#include <gtest/gtest.h>

#include "hilo/lax/collective.h"
#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"
#include "tests/support/golden_values.h"

namespace hilo {
namespace {

using Pair = std::pair<Array, Array>;
using Floats = std::vector<float>;

Array x() { return numpy::array({-3.0f, 0.5f, 2.0f}); }
Array y() { return numpy::array({1.5f, -2.0f, 0.25f}); }
Array rows() { return numpy::stack({x(), y()}); }

/// A product. Its rule clips one argument's cotangent and multiplies the other's by five.
Array clipped(const Array& a, const Array& b) {
  static const auto f =
      custom_vjp([](Array p, Array q) { return p * q; })
          .defvjp([](Array p, Array q) { return std::pair(clipped(p, q), Pair(p, q)); },
                  [](Pair known, Array g) {
                    return std::tuple(numpy::clip(g * known.second, -1.0f, 1.0f), 5.0f * g * known.first);
                  });
  return f(a, b);
}

Array total(const Array& a, const Array& b) { return numpy::sum(clipped(a, b)); }

Array running(const Array& start, const Array& factors) {
  const auto step = [](Array c, Array b) {
    c = clipped(c, b);
    return Pair(c, c);
  };
  return numpy::sum(lax::scan(step, start, factors).second);
}

TEST(CustomVjp, GivesTheFunctionsValueAndTheRulesSlope) {
  EXPECT_EQ(clipped(x(), y()).to_vector<float>(), (x() * y()).to_vector<float>());
  expect_golden("custom_vjp.grad", grad<0, 1>(total)(x(), y()));
  expect_golden("custom_vjp.grad", jit(grad<0, 1>(total))(x(), y()));
  expect_golden("custom_vjp.grad", grad<0, 1>(jit(total))(x(), y()));
  expect_golden("custom_vjp.grad", grad<0, 1>(checkpoint(total))(x(), y()));
  expect_golden("custom_vjp.jacrev", jacrev<0, 1>(clipped)(x(), y()));
}

TEST(CustomVjp, RulesAreUsedAgainInSecondDerivatives) {
  const auto squares = [](Array b) {
    const Array g = grad<1>(total)(x(), b);
    return numpy::sum(g * g + numpy::sin(clipped(x(), b)));
  };
  expect_golden("custom_vjp.grad_grad", grad(squares)(y()));
  expect_golden("custom_vjp.grad_grad", jit(grad(jit(squares)))(y()));
  const auto mixed = [](Array a) { return numpy::sum(grad<1>(total)(a, y())); };
  expect_golden("custom_vjp.grad_x_grad_y", grad(mixed)(x()));
}

TEST(CustomVjp, RulesStayThroughVmap) {
  const auto over_rows = [](Array a, Array b) { return numpy::sum(vmap(clipped, {0, kNoAxis})(a, b)); };
  expect_golden("custom_vjp.grad_vmap", grad<0, 1>(over_rows)(rows(), y()));
  expect_golden("custom_vjp.grad_vmap", jit(grad<0, 1>(over_rows))(rows(), y()));
  expect_golden("custom_vjp.grad_vmap", grad<0, 1>(jit(over_rows))(rows(), y()));
  expect_golden("custom_vjp.vmap_grad", vmap(grad<0, 1>(clipped), {0, kNoAxis})(x(), 1.5f));
}

TEST(CustomVjp, RulesAreUsedInsideLoops) {
  expect_golden("custom_vjp.scan", grad<0, 1>(running)(0.3f, y()));
  expect_golden("custom_vjp.scan", jit(grad<0, 1>(jit(running)))(0.3f, y()));
  expect_golden("custom_vjp.scan", grad<0, 1>(checkpoint(running))(0.3f, y()));
}

TEST(CustomVjp, RulesMayTalkOverANamedAxis) {
  const auto f = custom_vjp([](Array a) { return lax::psum(a, "i") * 2.0f; })
                     .defvjp([](Array a) { return std::pair(lax::psum(a, "i") * 2.0f, a); },
                             [](Array a, Array g) { return lax::psum(g, "i") * a; });
  const Array point = numpy::array({0.5f, 2.0f});
  const auto slopes = vmap(grad(f), {0}, {0}, "i");
  const auto slope = grad([&](Array a) { return numpy::sum(vmap(f, {0}, {0}, "i")(a)); });
  for (const Array& got : {slopes(point), jit(slopes)(point), slope(point)})
    EXPECT_EQ(got.to_vector<float>(), (Floats{1, 4}));
}

TEST(CustomVjp, OfACustomVjpHasSecondDerivatives) {
  const auto sine = [](Array v) { return numpy::sin(v); };
  const auto ruled = [](const auto& f, bool optimize) {
    return custom_vjp(f).defvjp([f](Array v) { return std::pair(f(v), v); },
                                [f](Array v, Array g) { return vjp(f, v).second(g); }, {.optimize_remat = optimize});
  };
  for (const bool outer : {false, true}) {
    for (const bool inner : {false, true}) {
      const auto f = ruled(ruled(sine, inner), outer);
      const auto slope = [&](Array v) {
        return numpy::sum(numpy::square(grad([&](Array w) { return numpy::sum(f(w)); })(v)));
      };
      const Array wanted = -numpy::sin(2.0f * x());  // the derivative of the sum of cos^2
      EXPECT_TRUE(numpy::allclose(grad(slope)(x()), wanted).item<bool>()) << outer << inner;
      EXPECT_TRUE(numpy::allclose(jit(grad(slope))(x()), wanted).item<bool>()) << outer << inner;
    }
  }
}

TEST(CustomVjp, OfAConstantIsBatchedInACheckpoint) {
  // The result of fwd depends on the batch; the result of the function doesn't.
  const auto constant = [](Array) { return numpy::array({1.0f, 2.0f, 3.0f}); };
  const auto ruled = custom_vjp(constant).defvjp([=](Array v) { return std::pair(constant(v), v); },
                                                 [](Array v, Array g) { return v * g; }, {.optimize_remat = true});
  const auto pull = [&](Array v) { return std::get<0>(vjp(checkpoint(ruled), v).second(y())); };
  EXPECT_TRUE(numpy::allclose(vmap(pull)(rows()), rows() * y()).item<bool>());
}

TEST(CustomVjp, ForwardModeIsRefused) {
  const auto refused = [](const auto& f) {
    const std::string text = error_of(f, StatusCode::kUnimplemented);
    EXPECT_NE(text.find("can't apply forward-mode differentiation (jvp) to a custom_vjp function"), std::string::npos)
        << text;
  };
  refused([] { jvp(total, std::tuple(x(), y()), std::tuple(x(), y())); });
  refused([] { jacfwd(clipped)(x(), y()); });
  refused([] { jvp(running, std::tuple(Array(0.3f), y()), std::tuple(Array(0.3f), y())); });
  refused([] { jit([](Array a) { return std::get<1>(linearize(clipped, a, a))(a, a); })(x()); });
}

TEST(CustomVjp, ZeroCotangentsAreWrittenAsNothing) {
  const auto f = custom_vjp([](Array a, Array b) { return a + b; })
                     .defvjp([](Array a, Array b) { return std::pair(a + b, std::tuple<>()); },
                             [](std::tuple<>, Array g) { return std::tuple(std::nullopt, 3.0f * g); });
  const auto both = [&](Array a, Array b) { return numpy::sum(f(a, b)); };
  const auto [da, db] = grad<0, 1>(both)(x(), y());
  EXPECT_EQ(da.to_vector<float>(), (Floats{0, 0, 0}));
  EXPECT_EQ(db.to_vector<float>(), (Floats{3, 3, 3}));
  const auto one = custom_vjp([](Array a) {
                     return a;
                   }).defvjp([](Array a) { return std::pair(a, a); }, [](Array known, Array) { return known; });
  EXPECT_EQ(grad(one)(4.0f).item<float>(), 4);
}

struct Layer {
  Array w, b;
  HILO_TREE(w, b)
};

TEST(CustomVjp, TakesTreesIntegersAndNondiffArguments) {
  const auto f =
      custom_vjp<1>([](Layer l, float scale, Array n) { return std::pair((l.w + l.b) * scale, n); })
          .defvjp([](Layer l, float scale, Array n) { return std::pair(std::pair((l.w + l.b) * scale, n), l.w); },
                  [](float scale, Array w, Pair g) {
                    return std::tuple(Layer{g.first * scale, g.first * w}, std::nullopt);
                  });
  const auto [l, n] = grad<0, 1>([&](Layer layer, Array k) {
    return numpy::sum(f(layer, 2.5f, numpy::astype(numpy::round(k), ElementType::kS32)).first);
  })(Layer{x(), y()}, x());
  EXPECT_EQ(l.w.to_vector<float>(), (Floats{2.5, 2.5, 2.5}));
  EXPECT_EQ(l.b.to_vector<float>(), x().to_vector<float>());
  EXPECT_EQ(n.to_vector<float>(), (Floats{0, 0, 0}));
}

TEST(CustomVjp, SaysWhatTheRulesGotWrong) {
  const auto good_fwd = [](Layer l) { return std::pair(l.w, l); };
  const auto text_of = [](const auto& f) {
    return error_of([&] { grad([&](Layer l) { return numpy::sum(f(l)); })(Layer{x(), y()}); },
                    StatusCode::kInvalidArgument);
  };
  const auto function = custom_vjp([](Layer l) { return l.w; });
  const std::string bwd =
      text_of(function.defvjp(good_fwd, [](Layer l, Array g) { return std::tuple(Layer{g, numpy::sum(l.b)}); }));
  EXPECT_NE(bwd.find("that of args[0].b is f32[], wanted f32[3]"), std::string::npos) << bwd;
  EXPECT_NE(bwd.find("custom_vjp_test.cc:"), std::string::npos) << bwd;
  const std::string fwd = text_of(function.defvjp([](Layer l) { return std::pair(numpy::sum(l.w), l); },
                                                  [](Layer l, Array) { return std::tuple(l); }));
  EXPECT_NE(fwd.find("Custom VJP fwd rule must produce a pair"), std::string::npos) << fwd;
  EXPECT_NE(fwd.find("is f32[], wanted f32[3]"), std::string::npos) << fwd;
  using List = std::vector<Array>;
  const auto of_list = custom_vjp([](List l) {
                         return l[0];
                       }).defvjp([](List l) { return std::pair(l[0], l); }, [](List, Array g) { return List{g}; });
  const std::string tree = error_of([&] { grad([&](Array a) { return numpy::sum(of_list(List{a, a})); })(x()); },
                                    StatusCode::kInvalidArgument);
  EXPECT_NE(tree.find("same tree structure as the args tuple"), std::string::npos) << tree;
}

TEST(CustomVjp, RefusesTracersThatItClosesOver) {
  const std::string text = error_of(
      [] {
        grad([](Array w) {
          return custom_vjp([w](Array a) { return a * w; })
              .defvjp([](Array a) { return std::pair(a, a); }, [](Array, Array g) { return g; })(w);
        })(3.0f);
      },
      StatusCode::kUnimplemented);
  EXPECT_NE(text.find("Detected differentiation of a custom_vjp function with respect to a closed-over value"),
            std::string::npos)
      << text;
  EXPECT_ANY_THROW(jit([](Array w) {
    const auto f = custom_vjp([](Array a) {
                     return a;
                   }).defvjp([](Array a) { return std::pair(a, a); }, [w](Array, Array g) { return g * w; });
    return grad(jit([&](Array a) { return f(a); }))(w);
  })(3.0f));
}

TEST(CustomGradient, UsesTheFunctionThatComesBesideTheValue) {
  const auto cubic =
      custom_gradient([](Array a) { return std::pair(a * a * a, [a](Array g) { return g * 10.0f * a; }); });
  EXPECT_EQ(cubic(x()).to_vector<float>(), (Floats{-27, 0.125f, 8}));
  const auto sum = [&](Array a) { return numpy::sum(cubic(a)); };
  expect_golden("custom_gradient.grad", grad(sum)(x()));
  expect_golden("custom_gradient.grad", jit(grad(jit(sum)))(x()));
  const auto of_slopes = [&](Array a) { return numpy::sum(grad(sum)(a)); };
  expect_golden("custom_gradient.grad_grad", grad(of_slopes)(x()));
  const auto over_batch = [&](Array a) { return numpy::sum(vmap(cubic)(a)); };
  expect_golden("custom_gradient.grad_vmap", grad(over_batch)(x()));
  const auto in_loop = [&](Array a) {
    return numpy::sum(lax::fori_loop(0, 2, [&](Array, Array c) { return cubic(c); }, a));
  };
  const Floats twice = grad(in_loop)(x()).to_vector<float>();  // 10 x^3 * 10 x
  EXPECT_NEAR(twice[0], 8100, 1e-2);
  EXPECT_NEAR(twice[2], 1600, 1e-2);
}

// ---- symbolic zeros
// --------------------------------------------------------------------------------------------------

/// The arguments that the rules of a two-argument product received.
struct Told {
  std::vector<bool> perturbed, zeros;
};

auto two_results(Told& told, bool symbolic_zeros) {
  return custom_vjp([](Array a, Array b) { return Pair(a * b, a + b); })
      .defvjp(
          [&told](Array a, Array b) {
            told.perturbed = {is_perturbed(a), is_perturbed(b)};
            return std::pair(Pair(a * b, a + b), Pair(a, b));
          },
          [&told](Pair known, Pair g) {
            told.zeros = {is_symbolic_zero(g.first), is_symbolic_zero(g.second)};
            return std::tuple(g.first * known.second + g.second, g.first * known.first + g.second);
          },
          {.symbolic_zeros = symbolic_zeros});
}

TEST(CustomVjp, SymbolicZerosSayWhatDoesntMatter) {
  Told told;
  const auto f = two_results(told, true);
  const Array b = y();
  EXPECT_EQ(grad([&](Array a) { return numpy::sum(f(a, b).first); })(x()).to_vector<float>(), b.to_vector<float>());
  EXPECT_EQ(told.perturbed, (std::vector<bool>{true, false}));
  EXPECT_EQ(told.zeros, (std::vector<bool>{false, true}));
  jit(grad<0, 1>([&](Array p, Array q) { return numpy::sum(f(p, q).second); }))(x(), b);
  EXPECT_EQ(told.perturbed, (std::vector<bool>{true, true}));
  EXPECT_EQ(told.zeros, (std::vector<bool>{true, false}));
}

TEST(CustomVjp, SymbolicZerosGoThroughBatches) {
  Told told;
  const auto f = two_results(told, true);
  const auto total = [&](Array a) { return numpy::sum(vmap([&](Array p, Array q) { return f(p, q).first; })(a, y())); };
  EXPECT_EQ(grad(total)(x()).to_vector<float>(), y().to_vector<float>());
  EXPECT_EQ(told.perturbed, (std::vector<bool>{true, false}));
  EXPECT_EQ(told.zeros, (std::vector<bool>{false, true}));
  vmap(grad([&](Array p, Array q) { return f(p, q).second; }))(x(), y());
  EXPECT_EQ(told.zeros, (std::vector<bool>{true, false}));
}

TEST(CustomVjp, WithoutAskingZerosAreZerosLikeOthers) {
  Told told;
  const auto f = two_results(told, false);
  grad([&](Array a) { return numpy::sum(f(a, y()).first); })(x());
  EXPECT_EQ(told.perturbed, (std::vector<bool>{false, false}));
  EXPECT_EQ(told.zeros, (std::vector<bool>{false, false}));
  EXPECT_FALSE(is_symbolic_zero(numpy::zeros({2})));
}

}  // namespace
}  // namespace hilo
