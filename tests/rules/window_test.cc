// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/lax/elementwise.h"
#include "hilo/lax/window.h"
#include "hilo/nn/pooling.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

/// [1, n, 1]: one example, one channel.
Array line(const std::vector<float>& values) {
  return Array::from_vector<float>(values, {1, static_cast<int64_t>(values.size()), 1});
}

TEST(WindowRules, TheGradientOfAMaximumGoesToItsFirstPlace) {
  const auto f = [](const Array& x) { return numpy::sum(nn::max_pool(x, {2}, {2})); };
  EXPECT_EQ(grad(f)(line({1, 5, 7, 2})).to_vector<float>(), (Floats{0, 1, 1, 0}));
  EXPECT_EQ(grad(f)(line({3, 3, 0, 0})).to_vector<float>(), (Floats{1, 0, 1, 0}));
}

TEST(WindowRules, TheGradientOfASumCountsTheWindows) {
  const auto f = [](const Array& x) {
    return numpy::sum(lax::reduce_window(x, 0.0f, lax::add, {1, 2, 1}, {1, 1, 1}, "VALID"));
  };
  EXPECT_EQ(grad(f)(line({1, 5, 7, 2})).to_vector<float>(), (Floats{1, 2, 2, 1}));
}

TEST(WindowRules, TangentsAreThoseOfTheMaximum) {
  const auto f = [](const Array& x) { return nn::max_pool(x, {2}, {2}); };
  const Array t = jvp(f, std::tuple(line({1, 5, 7, 2})), std::tuple(line({10, 20, 30, 40}))).second;
  EXPECT_EQ(t.to_vector<float>(), (Floats{20, 30}));
}

TEST(WindowRules, BatchesAlongANewAxis) {
  const auto f = [](const Array& x) { return lax::reduce_window(x, 0.0f, lax::add, {2}, {1}, "VALID"); };
  const Array rows = numpy::array({{1.0f, 2.0f, 3.0f}, {10.0f, 20.0f, 30.0f}});
  EXPECT_EQ(vmap(f)(rows).to_vector<float>(), (Floats{3, 5, 30, 50}));
  EXPECT_EQ(vmap(f, {1})(rows).to_vector<float>(), (Floats{11, 22, 33}));
}

}  // namespace
}  // namespace hilo
