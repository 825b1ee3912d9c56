// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/lax/control_flow.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

/// The carry after c = c * x for each x.
Array product(const Array& start, const Array& xs) {
  return lax::scan([](const Array& c, const Array& x) { return std::pair(c * x, c); }, start, xs).first;
}

TEST(ScanRules, ReverseModeGoesThroughTheSteps) {
  const auto [of_start, of_xs] = grad<0, 1>(product)(Array(2.0f), numpy::array({3.0f, 5.0f, 7.0f}));
  EXPECT_EQ(of_start.item<float>(), 105);
  EXPECT_EQ(of_xs.to_vector<float>(), (Floats{70, 42, 30}));
}

TEST(ScanRules, TangentsGoAlong) {
  const auto f = [](const Array& start) { return product(start, numpy::array({3.0f, 5.0f})); };
  EXPECT_EQ(jvp(f, std::tuple(Array(2.0f)), std::tuple(Array(10.0f))).second.item<float>(), 150);
}

TEST(ScanRules, OfNoStepsIsTheStart) {
  const auto [of_start, of_xs] = grad<0, 1>(product)(Array(2.0f), numpy::zeros({0}));
  EXPECT_EQ(of_start.item<float>(), 1);
  EXPECT_EQ(of_xs.size(), 0);
}

TEST(ScanRules, BatchesCarriesOrSteps) {
  const Array xs = numpy::array({3.0f, 5.0f});
  EXPECT_EQ(vmap(product, {0, kNoAxis})(numpy::array({1.0f, 2.0f}), xs).to_vector<float>(), (Floats{15, 30}));
  EXPECT_EQ(vmap(product, {kNoAxis, 0})(Array(2.0f), numpy::array({{3.0f, 5.0f}, {1.0f, 7.0f}})).to_vector<float>(),
            (Floats{30, 14}));
}

}  // namespace
}  // namespace hilo
