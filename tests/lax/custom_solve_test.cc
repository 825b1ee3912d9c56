// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/custom_solve.h"

#include <gtest/gtest.h>

#include "hilo/lax/barrier.h"
#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/scipy/linalg/linalg.h"
#include "hilo/transform/callback.h"
#include "hilo/transform/checkpoint.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/derivatives.h"
#include "tests/support/error_of.h"
#include "tests/support/golden_values.h"

namespace hilo {
namespace {

Array x() { return numpy::array({-3.0f, 0.5f, 2.0f}); }
Array y() { return numpy::array({1.5f, -2.0f, 0.25f}); }
Array matrix() { return numpy::array({{4.0f, 1.0f, 0.5f}, {0.0f, 3.0f, -1.0f}, {1.0f, 0.0f, 5.0f}}); }

Array solved(const Array& m, const Array& b) {
  return lax::custom_linear_solve([m](Array v) { return numpy::matmul(m, v); }, b,
                                  [m](auto, Array v) { return linalg::solve(m, v); },
                                  [m](auto, Array v) { return linalg::solve(numpy::transpose(m), v); });
}
Array loss(const Array& m, const Array& b) { return numpy::sum(numpy::sin(solved(m, b))); }

TEST(CustomLinearSolve, SolvesAndDifferentiates) {
  expect_golden("custom_linear_solve.value", solved(matrix(), x()));
  expect_golden("custom_linear_solve.value", jit(solved)(matrix(), x()));
  expect_golden("custom_linear_solve.jvp", jvp(solved, std::tuple(matrix(), x()), std::tuple(matrix() * 0.1f, y())));
  expect_golden("custom_linear_solve.grad", grad<0, 1>(loss)(matrix(), x()));
  expect_golden("custom_linear_solve.grad", jit(grad<0, 1>(jit(loss)))(matrix(), x()));
  expect_golden("custom_linear_solve.hessian", hessian([](Array b) { return loss(matrix(), b); })(x()));
}

TEST(CustomLinearSolve, StaysASolverThroughVmap) {
  const auto over_rows = [](Array m, Array b) { return numpy::sum(numpy::sin(vmap(solved, {kNoAxis, 0})(m, b))); };
  expect_golden("custom_linear_solve.grad_vmap", grad<0, 1>(over_rows)(matrix(), numpy::stack({x(), y()})));
  expect_golden("custom_linear_solve.grad_vmap", jit(grad<0, 1>(over_rows))(matrix(), numpy::stack({x(), y()})));
}

/// Not differentiable in reverse mode: the number of steps is unknown.
template <typename F>
Array by_steps(const F& matvec, const Array& b) {
  return lax::while_loop([&](Array v) { return numpy::max(numpy::abs(matvec(v) - b)) > 1e-6f; },
                         [&](Array v) { return v + 0.2f * (b - matvec(v)); }, b);
}

TEST(CustomLinearSolve, PutsAnyLoopInReverse) {
  const auto f = [](Array m, Array b) {
    return numpy::sum(numpy::sin(lax::custom_linear_solve([m](Array v) { return numpy::matmul(m, v); }, b,
                                                          [](auto matvec, Array c) { return by_steps(matvec, c); },
                                                          [](auto vecmat, Array c) { return by_steps(vecmat, c); })));
  };
  expect_golden("custom_linear_solve.grad", grad<0, 1>(f)(matrix(), x()), 1e-5);
  const Array symmetric = matrix() + numpy::transpose(matrix());
  const auto g = [](Array m, Array b) {
    const auto matvec = [m](Array v) { return numpy::matmul(m, v); };
    const auto steps = [](auto mv, Array c) {
      return lax::while_loop([&](Array v) { return numpy::max(numpy::abs(mv(v) - c)) > 1e-6f; },
                             [&](Array v) { return v + 0.1f * (c - mv(v)); }, c);
    };
    return numpy::sum(numpy::sin(lax::custom_linear_solve(matvec, b, steps, {.symmetric = true})));
  };
  const Array wanted = grad<1>(loss)(symmetric, x()), got = grad<1>(g)(symmetric, x());
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(got[i].item<float>(), wanted[i].item<float>(), 1e-5);
}

TEST(CustomLinearSolve, SaysWhatItMisses) {
  const auto f = [](Array b) {
    return numpy::sum(
        lax::custom_linear_solve([](Array v) { return v * 2.0f; }, b, [](auto, Array c) { return c / 2.0f; }));
  };
  EXPECT_NEAR(f(x()).item<float>(), -0.25, 1e-6);
  const std::string text = error_of([&] { grad(f)(x()); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("transpose_solve required for backwards mode automatic differentiation"), std::string::npos)
      << text;
  error_of(
      [] {
        jit([](Array b) {
          return lax::custom_linear_solve([](Array v) { return numpy::sum(v); }, b, [](auto, Array c) { return c; });
        })(x());
      },
      StatusCode::kInvalidArgument);
}

Array cube_root(const Array& a) {
  const auto newton = [](auto f, Array guess) {
    return lax::fori_loop(0, 20, [&](Array, Array v) { return v - f(v) / (3.0f * v * v); }, guess);
  };
  return lax::custom_root([a](Array v) { return v * v * v - a; }, Array(1.0f), newton,
                          [](auto g, Array c) { return c / g(Array(1.0f)); });
}

TEST(CustomRoot, IsDifferentiatedByTheImplicitFunctionTheorem) {
  expect_golden("custom_root.value", cube_root(5.0f));
  expect_golden("custom_root.value", jit(cube_root)(5.0f));
  expect_golden("custom_root.grad", grad(cube_root)(5.0f));
  expect_golden("custom_root.grad", jit(grad(jit(cube_root)))(5.0f));
  expect_golden("custom_root.grad_grad", grad(grad(cube_root))(5.0f));
  expect_golden("custom_root.vmap_grad", vmap(grad(cube_root))(numpy::array({1.0f, 2.0f, 8.0f})));
  const auto total = [](Array a) { return numpy::sum(vmap(cube_root)(a)); };
  expect_golden("custom_root.vmap_grad", grad(total)(numpy::array({1.0f, 2.0f, 8.0f})));
}

TEST(CustomRoot, TakesLoopsOfUnknownLength) {
  const auto f = [](Array a) {
    const auto bisect = [](auto g, Array guess) {
      const auto halved = [&](std::pair<Array, Array> s) {
        const Array middle = (s.first + s.second) / 2.0f;
        const Array above = g(middle) > 0.0f;
        return std::pair(numpy::where(above, s.first, middle), numpy::where(above, middle, s.second));
      };
      return lax::while_loop([](std::pair<Array, Array> s) { return s.second - s.first > 1e-5f; }, halved,
                             std::pair<Array, Array>(guess, guess + 4.0f))
          .first;
    };
    return lax::custom_root([a](Array v) { return v * v * v - a; }, Array(0.0f), bisect,
                            [](auto g, Array c) { return c / g(Array(1.0f)); });
  };
  expect_golden("custom_root.grad", grad(f)(5.0f), 1e-5);
}

// ---- as JAX's custom_linear_solve_test and custom_root_test have them; numbers are finite differences
// -----------------

Array general() { return numpy::array({{4.0, 1.0, 0.5}, {0.25, 3.0, -1.0}, {1.0, 0.0, 5.0}}); }
Array right_hand_side() { return numpy::array({1.0, -2.0, 0.5}); }
Array positive(const Array& m) { return numpy::matmul(m, numpy::transpose(m)); }

Array by_cholesky(const Array& m, const Array& b) {
  const auto factors = scipy::linalg::cho_factor(m);
  return lax::custom_linear_solve([m](Array v) { return numpy::matmul(m, v); }, b,
                                  [&](auto, Array c) { return scipy::linalg::cho_solve(factors, c); },
                                  {.symmetric = true});
}

TEST(CustomLinearSolve, HasSecondDerivativesHoweverItSolves) {
  const X64Scope x64;
  const auto by_lu = [](Array m, Array b) {
    const auto factors = scipy::linalg::lu_factor(lax::stop_gradient(m));
    return lax::custom_linear_solve([m](Array v) { return numpy::matmul(m, v); }, b,
                                    [&](auto, Array c) { return scipy::linalg::lu_solve(factors, c); },
                                    [&](auto, Array c) { return scipy::linalg::lu_solve(factors, c, {.trans = 1}); });
  };
  expect_derivatives(by_lu, std::tuple(general(), right_hand_side()));
  expect_derivatives(jit(solved), std::tuple(general(), right_hand_side()));
  expect_derivatives(checkpoint(solved), std::tuple(general(), right_hand_side()));
  expect_derivatives([](Array m, Array b) { return by_cholesky(positive(m), b); },
                     std::tuple(general(), right_hand_side()));
  const auto around_nothing = [](Array b) {  // The matrix has no derivative, and neither has half of b.
    return solved(general(), numpy::concatenate({b, numpy::array({0.5})}));
  };
  expect_derivatives(around_nothing, std::tuple(numpy::array({1.0, -2.0})));
  expect_derivatives(vmap(solved, {kNoAxis, 0}),
                     std::tuple(general(), numpy::stack({right_hand_side(), -right_hand_side()})));
  expect_derivatives<1>(vmap(solved), std::tuple(numpy::stack({general(), positive(general())}),
                                                 numpy::stack({right_hand_side(), -right_hand_side()})));
}

TEST(CustomLinearSolve, HandsOnAux) {
  const X64Scope x64;
  using Aux = std::map<std::string, Array>;
  const auto f = [](Array m, Array b) {
    const auto by = [](Array matrix) {
      return has_aux([matrix](auto, Array c) { return std::pair(linalg::solve(matrix, c), Aux{{"a", 1}, {"b", 2}}); });
    };
    return lax::custom_linear_solve([m](Array v) { return numpy::matmul(m, v); }, b, by(m), by(numpy::transpose(m)));
  };
  const auto [x, aux] = jit(f)(general(), right_hand_side());
  EXPECT_EQ(x.to_vector<double>(), f(general(), right_hand_side()).first.to_vector<double>());
  EXPECT_EQ(aux.at("a").item<int>(), 1);
  EXPECT_EQ(aux.at("b").item<int>(), 2);
  expect_derivatives([&](Array m, Array b) { return f(m, b).first; }, std::tuple(general(), right_hand_side()));
  const auto over_rows = vmap(f, {kNoAxis, 0});
  expect_derivatives([&](Array m, Array b) { return over_rows(m, b).first; },
                     std::tuple(general(), numpy::stack({right_hand_side(), -right_hand_side()})));
  EXPECT_EQ(over_rows(general(), numpy::ones({2, 3}, float64)).second.at("b").to_vector<int>(),
            (std::vector<int>{2, 2}));

  using Parts = std::map<std::string, Array>;
  const Parts b = {{"c", numpy::ones({2})}, {"d", numpy::ones({3})}};
  const auto same = has_aux([](auto, Parts c) { return std::pair(c, Array(3)); });
  const auto [y, count] = lax::custom_linear_solve([](Parts v) { return v; }, b, same, same);
  EXPECT_EQ(y.at("d").to_vector<float>(), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(count.item<int>(), 3);
}

TEST(CustomLinearSolve, OfComplexNumbers) {
  using Complex = std::complex<float>;
  const Array m = numpy::array({{Complex(2, 1), Complex(0, 1)}, {Complex(1, 0), Complex(3, -1)}});
  const Array b = numpy::array({Complex(1, 0), Complex(0, -2)});
  const Array again = numpy::matmul(m, jit(solved)(m, b));
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(std::abs(again[i].item<Complex>() - b[i].item<Complex>()), 0, 1e-5);
  const Array t = numpy::array({Complex(0, 1), Complex(1, 1)});
  const auto [x, dx] = jvp([&](Array c) { return solved(m, c); }, std::tuple(b), std::tuple(t));
  const auto [same, pull] = vjp([&](Array c) { return solved(m, c); }, b);
  const Array there = numpy::sum(std::get<0>(pull(t)) * t), here = numpy::sum(t * dx);
  EXPECT_NEAR(std::abs(there.item<Complex>() - here.item<Complex>()), 0, 1e-5) << "the transpose, not the adjoint";
}

TEST(CustomLinearSolve, TakesTrees) {
  const X64Scope x64;
  using Rows = std::vector<Array>;
  // Solves a lower triangular system with two nonzero diagonals, by substitution from above or below.
  const auto apply = [](const Rows& diagonal, const Rows& below, const Rows& v) {
    Rows out = {diagonal[0] * v[0]};
    for (size_t i = 1; i < v.size(); ++i) out.push_back(diagonal[i] * v[i] + below[i - 1] * v[i - 1]);
    return out;
  };
  const auto substitute = [](bool from_above) {
    return [from_above](auto matvec, const Rows& b) {
      Rows x(b.size(), Array(0.0));
      for (size_t k = 0; k < b.size(); ++k) {
        const size_t i = from_above ? k : b.size() - 1 - k;
        Rows unit(b.size(), Array(0.0));
        unit[i] = Array(1.0);
        const Rows so_far = matvec(x), column = matvec(unit);
        x[i] = (b[i] - so_far[i]) / column[i];
      }
      return x;
    };
  };
  const auto f = [=](Rows diagonal, Rows below, Rows b) {
    return lax::custom_linear_solve([=](Rows v) { return apply(diagonal, below, v); }, b, substitute(true),
                                    substitute(false));
  };
  const auto rows = [](const std::vector<double>& values) {
    Rows out;
    for (const double v : values) out.push_back(numpy::array(v));
    return out;
  };
  const auto arguments = std::tuple(rows({1, 2, 4, 3}), rows({1, 0.5, -1}), rows({0.3, -0.2, 1, 2}));
  const Rows x = std::apply(f, arguments), again = apply(std::get<0>(arguments), std::get<1>(arguments), x);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(again[i].item<double>(), std::get<2>(arguments)[i].item<double>(), 1e-12);
  expect_derivatives(f, arguments);
  Rows some = rows({0.3, -0.2, 1, 2});
  some[2] = numpy::array({1.0, 2.0, 3.0});
  const Rows batched = vmap([&](Array third) {
    return f(std::get<0>(arguments), std::get<1>(arguments), {some[0], some[1], third, some[3]});
  })(some[2]);
  EXPECT_NEAR(batched[3][0].item<double>(), x[3].item<double>(), 1e-12);
}

TEST(CustomLinearSolve, RunsItsEffectsOnce) {
  const Array b = numpy::ones({24});
  int calls = 0;
  const auto solve = [&](Array c) {
    const auto matvec = [&](Array v) {
      debug::callback([&](Array) { ++calls; }, {.ordered = true}, v);
      return v;
    };
    return lax::custom_linear_solve(matvec, c, [](auto mv, Array v) { return mv(v); });
  };
  EXPECT_EQ(solve(b).to_vector<float>(), std::vector<float>(24, 1.0f));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(jit(solve)(b).to_vector<float>(), std::vector<float>(24, 1.0f));
  EXPECT_EQ(calls, 2);
}

TEST(CustomLinearSolve, TransposesWhereNothingMoves) {
  const auto of_scale = [](Array z) {
    return linalg::solve(numpy::sum(z) * numpy::eye(3), numpy::array({1.0f, 0.0f, 0.0f}))[0];
  };
  const auto f = [&](Array x) {
    const auto push = [&](Array y) { return jvp(vmap(of_scale), std::tuple(x), std::tuple(y)).second; };
    return std::get<0>(vjp(push, numpy::ones_like(x)).second(x))[0];
  };
  const Array x = numpy::array({200.0f});
  EXPECT_NEAR(f(x).item<float>(), -1.0 / 200, 1e-6);
  EXPECT_NEAR(jacrev(f)(x).item<float>(), 1.0 / (200 * 200), 1e-8);
}

TEST(CustomRoot, OfScalarsAndVectorsHasSecondDerivatives) {
  const X64Scope x64;
  const auto square_root = [](Array a) {
    const auto newton = [](auto f, Array guess) {
      return lax::while_loop([f](Array v) { return numpy::abs(f(v)) > 1e-13; },
                             [f](Array v) { return v - f(v) / (2.0 * v); }, guess);
    };
    return lax::custom_root([a](Array v) { return v * v - a; }, numpy::array(1.0), newton,
                            [](auto g, Array c) { return c / g(numpy::array(1.0)); });
  };
  for (const double a : {4.0, 9.0}) {
    EXPECT_NEAR(square_root(numpy::array(a)).item<double>(), std::sqrt(a), 1e-12);
    expect_derivatives<3>(square_root, std::tuple(numpy::array(a)), Modes::kBoth, 1e-5);
    expect_derivatives(jit(square_root), std::tuple(numpy::array(a)), Modes::kBoth, 1e-5);
  }
  const auto tangent_solve = [](auto g, Array c) {
    return linalg::solve(jacfwd([g](Array v) { return g(v); })(numpy::zeros_like(c)), c);
  };
  const auto linear = [&](Array m, Array b) {
    return lax::custom_root([m, b](Array v) { return numpy::matmul(m, v) - b; }, numpy::zeros_like(b),
                            [m, b](auto, Array) { return linalg::solve(m, b); }, tangent_solve);
  };
  expect_derivatives(linear, std::tuple(general(), right_hand_side()));
  const auto curved = [&](Array a) {  // v + v^3 = a, elementwise
    const auto newton = [](auto f, Array guess) {
      return lax::while_loop([f](Array v) { return numpy::max(numpy::abs(f(v))) > 1e-13; },
                             [f](Array v) { return v - f(v) / (1.0 + 3.0 * v * v); }, guess);
    };
    return lax::custom_root([a](Array v) { return v + v * v * v - a; }, numpy::ones_like(a), newton, tangent_solve);
  };
  expect_derivatives(curved, std::tuple(numpy::array({1.0, -0.5, 3.0})), Modes::kBoth, 1e-5);
  expect_derivatives(jit(curved), std::tuple(numpy::array({1.0, -0.5, 3.0})), Modes::kBoth, 1e-5);
}

/// Solves g(x) = c for a linear g.
template <typename G>
Array by_jacobian(const G& g, const Array& c) {
  return linalg::solve(jacfwd([g](Array v) { return g(v); })(numpy::zeros_like(c)), c);
}

TEST(CustomRoot, TangentSolveMayCloseOverWhatIsDifferentiated) {
  // The root of x x = a. The solver knows its slope, 2 sqrt(a).
  const auto root = [](Array a) {
    return lax::custom_root([a](Array v) { return v * v - a; }, Array(1.0f),
                            [a](auto, Array) { return numpy::sqrt(a); },
                            [a](auto, Array v) { return v / (2.0f * numpy::sqrt(a)); });
  };
  EXPECT_FLOAT_EQ(root(4.0f).item<float>(), 2.0f);
  EXPECT_FLOAT_EQ(grad(root)(4.0f).item<float>(), 0.25f);
  EXPECT_FLOAT_EQ(jit(grad(root))(4.0f).item<float>(), 0.25f);
  EXPECT_FLOAT_EQ(jvp(root, std::tuple(Array(4.0f)), std::tuple(Array(2.0f))).second.item<float>(), 0.5f);
  EXPECT_FLOAT_EQ(grad(grad(root))(4.0f).item<float>(), -1.0f / 32.0f);
  const Array several = vmap(grad(root))(numpy::array({1.0f, 4.0f, 16.0f}));
  EXPECT_TRUE(numpy::allclose(several, numpy::array({0.5f, 0.25f, 0.125f})).item<bool>());
}

TEST(CustomRoot, MayHoldALinearSolve) {
  const X64Scope x64;
  const auto f = [](Array m, Array b) {
    const Array a = positive(m);
    const auto inner = [](auto g, Array c) {
      return lax::custom_linear_solve([g](Array v) { return g(v); }, c,
                                      [](auto matvec, Array d) { return by_jacobian(matvec, d); }, {.symmetric = true});
    };
    return lax::custom_root([a, b](Array v) { return numpy::matmul(a, v) - b; }, numpy::zeros_like(b),
                            [a, b](auto, Array) { return linalg::solve(a, b); }, inner);
  };
  const Array wanted = linalg::solve(positive(general()), right_hand_side());
  const Array got = jit(f)(general(), right_hand_side());
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(got[i].item<double>(), wanted[i].item<double>(), 1e-12);
  expect_derivatives<1>(f, std::tuple(general(), right_hand_side()));
}

TEST(CustomRoot, HandsOnAux) {
  const X64Scope x64;
  using Aux = std::map<std::string, Array>;
  const auto f = [](Array m, Array b) {
    const auto solve = [m, b](auto, Array) {
      return std::pair(linalg::solve(m, b), Aux{{"converged", 1.0}, {"grad", numpy::array({1.0, 2.0, 3.0})}});
    };
    return lax::custom_root([m, b](Array v) { return numpy::matmul(m, v) - b; }, b, has_aux(solve),
                            [](auto g, Array c) { return by_jacobian(g, c); });
  };
  const auto [x, aux] = jit(f)(general(), right_hand_side());
  EXPECT_EQ(aux.at("grad").to_vector<double>(), (std::vector<double>{1, 2, 3}));
  const auto root_alone = [&](Array m, Array b) { return f(m, b).first; };
  expect_derivatives(root_alone, std::tuple(general(), right_hand_side()));
  const Array slopes = jacfwd([&](Array b) { return f(general(), b).first; })(right_hand_side());
  EXPECT_LT(numpy::max(numpy::abs(slopes - linalg::inv(general()))).item<double>(), 1e-12);
  const Array of_aux = jacfwd([&](Array b) { return f(general(), b).second.at("grad"); })(right_hand_side());
  EXPECT_EQ(numpy::max(numpy::abs(of_aux)).item<double>(), 0);
}

TEST(CustomRoot, SaysWhatAFunctionGaveWrong) {
  const auto text = [](const auto& f, const auto& solve, const auto& tangent) {
    return error_of(
        [&] {
          jvp([&](Array a) { return lax::custom_root([&](Array v) { return f(v, a); }, Array(0.0f), solve, tangent); },
              std::tuple(Array(1.0f)), std::tuple(Array(1.0f)));
        },
        StatusCode::kInvalidArgument);
  };
  const auto difference = [](Array v, Array a) { return v - a; };
  const auto vector = [](Array v, Array a) { return numpy::stack({v - a, v}); };
  const auto same = [](auto, Array c) { return c; };
  const auto pair = [](auto, Array c) { return numpy::stack({c, c}); };
  for (const std::string& error :
       {text(vector, same, same), text(difference, pair, same), text(difference, same, pair)})
    EXPECT_NE(error.find("f32[2]"), std::string::npos) << error;
}

}  // namespace
}  // namespace hilo
