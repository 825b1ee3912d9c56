// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/linalg.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

const Array& lower() {
  static const Array a = numpy::array({{2.0f, 0.0f}, {1.0f, 4.0f}});
  return a;
}
Array solve(const Array& a, const Array& b) {
  return lax::linalg::triangular_solve(a, b, {.left_side = true, .lower = true});
}

TEST(LinalgRules, ASolutionsGradients) {
  const Array b = numpy::array({{6.0f}, {11.0f}});  // the solution is 3, 2
  const auto f = [](const Array& a, const Array& rhs) {
    return numpy::sum(solve(a, rhs) * numpy::array({{1.0f}, {8.0f}}));
  };
  const auto [of_a, of_b] = grad<0, 1>(f)(lower(), b);
  EXPECT_EQ(of_b.to_vector<float>(), (Floats{-0.5f, 2}));  // the transpose's solution
  EXPECT_EQ(of_a.to_vector<float>(), (Floats{1.5f, 0, -6, -4}));
}

TEST(LinalgRules, TheCholeskyFactorOfANumberIsItsRoot) {
  const auto f = [](const Array& a) { return numpy::sum(lax::linalg::cholesky(a)); };
  EXPECT_EQ(grad(f)(numpy::array({{16.0f}})).to_vector<float>(), (Floats{0.125f}));
}

TEST(LinalgRules, BatchOneOrBothOperands) {
  const Array many = numpy::stack({lower(), 2.0f * lower()}), b = numpy::array({{6.0f}, {11.0f}});
  EXPECT_EQ(vmap(solve, {0, kNoAxis})(many, b).to_vector<float>(), (Floats{3, 2, 1.5f, 1}));
  EXPECT_EQ(vmap(solve, {kNoAxis, 0})(lower(), numpy::stack({b, 3.0f * b})).to_vector<float>(), (Floats{3, 2, 9, 6}));
}

TEST(LinalgRules, OfNothing) {
  EXPECT_EQ(solve(numpy::zeros({0, 0}), numpy::zeros({0, 3})).size(), 0);
  const auto f = [](const Array& a) { return numpy::sum(lax::linalg::cholesky(a)); };
  EXPECT_EQ(grad(f)(numpy::zeros({0, 0})).size(), 0);
}

}  // namespace
}  // namespace hilo
