// SPDX-License-Identifier: Apache-2.0
// Comparisons with SciPy's values are in tests/scipy/golden.inc.
#include "hilo/scipy/optimize/least_squares.h"

#include <gtest/gtest.h>

#include "hilo/linalg/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"

namespace hilo::scipy::optimize {
namespace {

float greatest(const Array& x) { return numpy::max(numpy::abs(x)).item<float>(); }
Array times() { return numpy::arange(8.0f) / 4.0f; }
Array curve(const Array& p) { return p[0] * numpy::exp(p[1] * times()); }
Array truth() { return numpy::array({2.0f, -1.5f}); }

TEST(LeastSquares, FindsTheParametersOfACurve) {
  const Array y = curve(truth());
  const LeastSquaresResults r = least_squares([&](const Array& p) { return curve(p) - y; }, numpy::array({1.0f, 0.0f}));
  EXPECT_TRUE(r.success.item<bool>());
  EXPECT_LT(greatest(r.x - truth()), 1e-5);
  EXPECT_LT(r.cost.item<float>(), 1e-11);
  EXPECT_EQ(Dimensions(r.jac.shape()), (Dimensions{8, 2}));
  EXPECT_GE(r.nfev.item<int>(), r.njev.item<int>());
}

TEST(LeastSquares, OfALinearFunctionIsTheSolutionOfTheNormalEquations) {
  const Array a = numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 7.0f}});
  const auto fitted = [&](const Array& b) {
    return least_squares([&](const Array& x) { return numpy::matmul(a, x) - b; }, numpy::zeros({2})).x;
  };
  const Array b = numpy::array({1.0f, -1.0f, 2.0f});
  const Array pseudo = numpy::linalg::pinv(a);
  EXPECT_LT(greatest(fitted(b) - numpy::matmul(pseudo, b)), 1e-4);
  // The derivative with respect to b is the pseudoinverse.
  for (int64_t i = 0; i < 2; ++i) {
    const Array row = grad([&](const Array& right) { return fitted(right)[i]; })(b);
    EXPECT_LT(greatest(row - pseudo[i]), 1e-4);
  }
  const Array direction = numpy::array({0.5f, 1.0f, -2.0f});
  EXPECT_LT(greatest(jvp(fitted, std::tuple(b), std::tuple(direction)).second - numpy::matmul(pseudo, direction)),
            1e-4);
  EXPECT_LT(greatest(jit(fitted)(b) - fitted(b)), 1e-6);
  EXPECT_LT(greatest(vmap(fitted)(numpy::stack({b, 2.0f * b}))[1] - 2.0f * fitted(b)), 1e-4);
}

TEST(LeastSquares, CountsStepsUpToWhatIsAllowed) {
  const Array y = curve(truth());
  const LeastSquaresResults r =
      least_squares([&](const Array& p) { return curve(p) - y; }, numpy::array({1.0f, 0.0f}), {.max_nfev = 2});
  EXPECT_EQ(r.nfev.item<int>(), 2);
  EXPECT_EQ(r.status.item<int>(), 0);
  EXPECT_FALSE(r.success.item<bool>());
}

TEST(LeastSquares, GradientOfWhatWasFittedIsThatOfDifferences) {
  const auto rate = [](const Array& scale) {
    const Array y = scale * curve(truth()) + 0.1 * numpy::cos(5.0 * times());
    return least_squares([&](const Array& p) { return curve(p) - y; }, truth()).x[1];
  };
  const float h = 0.02f, exact = grad(rate)(Array(1.0f)).item<float>();
  const float difference = (rate(Array(1.0f + h)).item<float>() - rate(Array(1.0f - h)).item<float>()) / (2 * h);
  EXPECT_NEAR(exact, difference, 2e-3);
}

TEST(CurveFit, ErrorsScaleTheCovariance) {
  const Array x = times(), y = curve(truth()) + 0.01 * numpy::cos(9.0 * times());
  const auto f = [](const Array& t, const Array& p) { return p[0] * numpy::exp(p[1] * t); };
  const CurveFitResult one = curve_fit(f, x, y, truth(), {.sigma = numpy::ones({8}), .absolute_sigma = true});
  const CurveFitResult two = curve_fit(f, x, y, truth(), {.sigma = 2.0f * numpy::ones({8}), .absolute_sigma = true});
  EXPECT_LT(greatest(one.popt - two.popt), 1e-4);
  EXPECT_LT(greatest(two.pcov - 4.0f * one.pcov), 1e-3);
}

TEST(Root, SolvesAndDifferentiates) {
  const auto cube_root = [](const Array& a) {
    return root([&](const Array& x) { return x * x * x - a; }, numpy::ones_like(a)).x;
  };
  const Array a = numpy::array({8.0f, 27.0f});
  EXPECT_LT(greatest(cube_root(a) - numpy::array({2.0f, 3.0f})), 1e-5);
  const Array slopes = grad([&](const Array& v) { return numpy::sum(cube_root(v)); })(a);
  EXPECT_LT(greatest(slopes - numpy::array({1.0f / 12, 1.0f / 27})), 1e-5);
  const RootResults r = root([](const Array& x) { return numpy::square(x) + 1.0; }, numpy::ones({1}));
  EXPECT_FALSE(r.success.item<bool>());  // the function has no root
}

TEST(LeastSquares, RefusesOtherShapes) {
  const auto same = [](const Array& x) { return x; };
  EXPECT_THROW(least_squares(same, numpy::ones({2, 2})), Error);
  EXPECT_THROW(least_squares([](const Array& x) { return x[range(0, 1)]; }, numpy::ones({2})), Error);
  EXPECT_THROW(least_squares([](const Array& x) { return numpy::sum(x); }, numpy::ones({2})), Error);
  EXPECT_THROW(least_squares(same, numpy::ones({2}), {.method = "trf"}), Error);
  EXPECT_THROW(least_squares(same, numpy::ones({0})), Error);
  EXPECT_THROW(root([](const Array& x) { return numpy::concatenate({x, x}); }, numpy::ones({2})), Error);
  EXPECT_THROW(root(same, numpy::ones({2}), {.method = "hybr"}), Error);
}

}  // namespace
}  // namespace hilo::scipy::optimize
