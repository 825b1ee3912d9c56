// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hilo/lax/window.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;
constexpr float kInf = std::numeric_limits<float>::infinity();

const Array& weights() {
  static const Array w = numpy::array({1.0f, 10.0f, 100.0f});
  return w;
}

TEST(CumulativeRules, ASumsGradientRunsTheOtherWay) {
  const auto f = [](const Array& x) { return numpy::sum(lax::cumsum(x, 0) * weights()); };
  EXPECT_EQ(grad(f)(numpy::zeros({3})).to_vector<float>(), (Floats{111, 110, 100}));
}

TEST(CumulativeRules, ProductsWithZerosHaveSlopes) {
  const auto f = [](const Array& x) { return numpy::sum(lax::cumprod(x, 0) * weights()); };
  EXPECT_EQ(grad(f)(numpy::array({2.0f, 0.0f, 5.0f})).to_vector<float>(), (Floats{1, 20 + 1000, 0}));
}

TEST(CumulativeRules, ExtremesGoToWhereTheyAre) {
  const auto f = [](const Array& x) { return numpy::sum(lax::cummax(x, 0) * weights()); };
  EXPECT_EQ(grad(f)(numpy::array({2.0f, 1.0f, 5.0f})).to_vector<float>(), (Floats{11, 0, 100}));
}

TEST(CumulativeRules, SumsOfExponentialsHaveSharesAlsoWithInfinities) {
  const auto f = [](const Array& x) { return lax::cumlogsumexp(x, 0)(1); };
  const Floats equal = grad(f)(numpy::array({3.0f, 3.0f})).to_vector<float>();
  EXPECT_NEAR(equal[0], 0.5f, 1e-6);
  EXPECT_NEAR(equal[1], 0.5f, 1e-6);
  EXPECT_EQ(grad(f)(numpy::array({-kInf, 3.0f})).to_vector<float>(), (Floats{0, 1}));
}

TEST(CumulativeRules, BatchesKeepTheirAxis) {
  const auto f = [](const Array& x) { return lax::cumsum(x, 0); };
  const Array x = numpy::array({{1.0f, 2.0f}, {10.0f, 20.0f}});
  EXPECT_EQ(vmap(f)(x).to_vector<float>(), (Floats{1, 3, 10, 30}));
  EXPECT_EQ(vmap(f, {1}, {1})(x).to_vector<float>(), (Floats{1, 2, 11, 22}));
}

}  // namespace
}  // namespace hilo
