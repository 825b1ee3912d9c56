// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/custom_solve.h"

#include <gtest/gtest.h>

#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jacobian.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
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

/// Never differentiated: steps whose number isn't known.
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

}  // namespace
}  // namespace hilo
