// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/lax/dot.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

const Array& a() {
  static const Array x = numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
  return x;
}
const Array& b() {
  static const Array x = numpy::array({{1.0f, 0.0f, 2.0f}, {0.0f, 1.0f, -1.0f}});
  return x;
}

TEST(DotRules, EachFactorGetsTheOther) {
  const auto f = [](const Array& x, const Array& y) { return numpy::sum(lax::dot(x, y)); };
  const auto [of_a, of_b] = grad<0, 1>(f)(a(), b());
  EXPECT_EQ(of_a.to_vector<float>(), (Floats{3, 0, 3, 0, 3, 0}));
  EXPECT_EQ(of_b.to_vector<float>(), (Floats{9, 9, 9, 12, 12, 12}));
}

TEST(DotRules, TangentsAddUp) {
  const auto f = [](const Array& x, const Array& y) { return lax::dot(x, y); };
  const Array x = numpy::array({1.0f, 2.0f}), y = numpy::array({3.0f, 4.0f});
  const Array t = jvp(f, std::tuple(x, y), std::tuple(numpy::array({1.0f, 0.0f}), numpy::array({0.0f, 10.0f}))).second;
  EXPECT_EQ(t.item<float>(), 3 + 20);
}

TEST(DotRules, BatchesOneOrBothOperands) {
  const auto f = [](const Array& x, const Array& y) { return lax::dot(x, y); };
  EXPECT_EQ(vmap(f)(a(), a()).to_vector<float>(), (Floats{5, 25, 61}));
  EXPECT_EQ(vmap(f, {0, kNoAxis})(a(), numpy::array({1.0f, 10.0f})).to_vector<float>(), (Floats{21, 43, 65}));
  EXPECT_EQ(vmap(f, {1, 1})(a(), numpy::transpose(b())).to_vector<float>(), (Floats{11, -2}));
}

TEST(DotRules, OfNothingIsZero) {
  const auto f = [](const Array& x) { return numpy::sum(lax::dot(x, numpy::zeros({0, 2}))); };
  EXPECT_EQ(f(numpy::zeros({3, 0})).item<float>(), 0);
  EXPECT_EQ(grad(f)(numpy::zeros({3, 0})).size(), 0);
}

}  // namespace
}  // namespace hilo
