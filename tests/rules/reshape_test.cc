// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/lax/shape.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

const Array& weights() {
  static const Array w = numpy::array({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}});
  return w;
}

TEST(ReshapeRules, ABroadcastSumsItsCotangents) {
  const auto rows = [](const Array& v) { return numpy::sum(lax::broadcast_in_dim(v, {2, 3}, {1}) * weights()); };
  EXPECT_EQ(grad(rows)(numpy::zeros({3})).to_vector<float>(), (Floats{5, 7, 9}));
  const auto stretched = [](const Array& v) {
    return numpy::sum(lax::broadcast_in_dim(v, {2, 3}, {0, 1}) * weights());
  };
  EXPECT_EQ(grad(stretched)(numpy::zeros({2, 1})).to_vector<float>(), (Floats{6, 15}));
}

TEST(ReshapeRules, MovesAreUndone) {
  const auto turned = [](const Array& v) { return numpy::sum(lax::transpose(v, {1, 0}) * weights()); };
  EXPECT_EQ(grad(turned)(numpy::zeros({3, 2})).to_vector<float>(), (Floats{1, 4, 2, 5, 3, 6}));
  const auto flat = [](const Array& v) { return numpy::sum(lax::reshape(v, {2, 3}) * weights()); };
  EXPECT_EQ(grad(flat)(numpy::zeros({6})).to_vector<float>(), (Floats{1, 2, 3, 4, 5, 6}));
  const auto reversed = [](const Array& v) { return numpy::sum(lax::rev(v, {1}) * weights()); };
  EXPECT_EQ(grad(reversed)(numpy::zeros({2, 3})).to_vector<float>(), (Floats{3, 2, 1, 6, 5, 4}));
}

TEST(ReshapeRules, BatchesBehindAreMoved) {
  const auto flat = [](const Array& v) { return lax::reshape(v, {4}); };
  const Array x = numpy::reshape(numpy::arange(8), {2, 2, 2});
  EXPECT_EQ(vmap(flat, {2})(x).to_vector<int>(), (std::vector<int>{0, 2, 4, 6, 1, 3, 5, 7}));
  const auto wide = [](const Array& v) { return lax::broadcast(v, {2}); };
  EXPECT_EQ(vmap(wide, {1}, {2})(numpy::zeros({3, 5})).aval_shape().to_string(), "f32[2,3,5]");
  EXPECT_EQ(vmap(flat)(numpy::zeros({0, 2, 2})).aval_shape().to_string(), "f32[0,4]");
}

}  // namespace
}  // namespace hilo
