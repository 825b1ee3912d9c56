// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/lax/slicing.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

const Array& x() {
  static const Array five = numpy::array({1.0f, 2.0f, 3.0f, 4.0f, 5.0f});
  return five;
}

TEST(SliceRules, CotangentsArePaddedWithZeros) {
  const auto f = [](const Array& v) { return numpy::sum(lax::slice(v, {1}, {5}, {3}) * numpy::array({10.0f, 20.0f})); };
  EXPECT_EQ(grad(f)(x()).to_vector<float>(), (Floats{0, 10, 0, 0, 20}));
  const auto none = [](const Array& v) { return numpy::sum(lax::slice(v, {2}, {2})); };
  EXPECT_EQ(grad(none)(x()).to_vector<float>(), Floats(5, 0));
}

TEST(SliceRules, ADynamicSliceStaysInsideAndSoDoesItsGradient) {
  const auto f = [](const Array& v) { return numpy::sum(lax::dynamic_slice(v, {Array(9)}, {2})); };
  EXPECT_EQ(grad(f)(x()).to_vector<float>(), (Floats{0, 0, 0, 1, 1}));
}

TEST(SliceRules, AnUpdateTakesTheCotangentOfItsPlace) {
  const auto f = [](const Array& v, const Array& u) {
    return numpy::sum(lax::dynamic_update_slice(v, u, {Array(1)}) * numpy::array({1.0f, 2.0f, 3.0f, 4.0f, 5.0f}));
  };
  const auto [of_v, of_u] = grad<0, 1>(f)(x(), numpy::array({0.0f, 0.0f}));
  EXPECT_EQ(of_v.to_vector<float>(), (Floats{1, 0, 0, 4, 5}));
  EXPECT_EQ(of_u.to_vector<float>(), (Floats{2, 3}));
}

TEST(SliceRules, ExamplesMayStartAnywhere) {
  const auto f = [](const Array& v, const Array& start) { return lax::dynamic_slice(v, {start}, {2}); };
  EXPECT_EQ(vmap(f, {kNoAxis, 0})(x(), numpy::array({0, 3, 9})).to_vector<float>(), (Floats{1, 2, 4, 5, 4, 5}));
  const Array rows = numpy::stack({x(), -x()});
  EXPECT_EQ(vmap(f, {0, kNoAxis})(rows, Array(1)).to_vector<float>(), (Floats{2, 3, -2, -3}));
}

}  // namespace
}  // namespace hilo
