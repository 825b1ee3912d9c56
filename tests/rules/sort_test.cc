// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/lax/sorting.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

Array weighted(const Array& x) { return numpy::sum(lax::sort(x) * numpy::array({1.0f, 10.0f, 100.0f})); }

TEST(SortRules, CotangentsGoBackToWhereTheValuesWere) {
  EXPECT_EQ(grad(weighted)(numpy::array({5.0f, -1.0f, 2.0f})).to_vector<float>(), (Floats{100, 1, 10}));
}

TEST(SortRules, EqualValuesKeepTheirOrder) {
  EXPECT_EQ(grad(weighted)(numpy::array({2.0f, 2.0f, 2.0f})).to_vector<float>(), (Floats{1, 10, 100}));
}

TEST(SortRules, ValuesThatFollowAKeyMoveWithIt) {
  const Array key = numpy::array({3, 1, 2});
  const auto second = [&](const Array& v) {
    return numpy::sum(lax::sort({key, v}, 0)[1] * numpy::array({1.0f, 10.0f, 100.0f}));
  };
  EXPECT_EQ(grad(second)(numpy::array({7.0f, 7.0f, 7.0f})).to_vector<float>(), (Floats{100, 1, 10}));
}

TEST(SortRules, BatchesAlongAnyAxis) {
  const auto f = [](const Array& v) { return lax::sort(v); };
  const Array x = numpy::array({{3.0f, 1.0f}, {2.0f, 5.0f}});
  EXPECT_EQ(vmap(f)(x).to_vector<float>(), (Floats{1, 3, 2, 5}));
  EXPECT_EQ(vmap(f, {1}, {1})(x).to_vector<float>(), (Floats{2, 1, 3, 5}));
  EXPECT_EQ(vmap(f)(numpy::zeros({2, 0})).size(), 0);
}

}  // namespace
}  // namespace hilo
