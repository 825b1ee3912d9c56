// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/safe_norm.h"

#include <gtest/gtest.h>

#include "hilo/optim/optim.h"
#include "hilo/transform/grad.h"

namespace hilo::optim {
namespace {

TEST(SafeNorm, OfOtherOrdersAndAlongAxes) {
  const Array x = numpy::array({{3.0f, 4.0f}, {0.0f, 0.0f}});
  EXPECT_EQ(safe_norm(x, 0.5, {.axis = 1}).to_vector<float>(), (std::vector<float>{5, 0.5f}));
  EXPECT_EQ(safe_norm(x, 0.5, {.ord = 1, .axis = 1, .keepdims = true}).to_vector<float>(),
            (std::vector<float>{7, 0.5f}));
  const Array g = grad([](const Array& x) { return numpy::sum(safe_norm(x, 0.5, {.axis = 1})); })(x);
  EXPECT_EQ(g.to_vector<float>(), (std::vector<float>{0.6f, 0.8f, 0, 0}));
}

TEST(SafeNorm, BelowItsLeastHasNoSlope) {
  const auto f = [](const Array& x) { return safe_norm(x, 1.0, {.axis = 0}); };
  EXPECT_EQ(f(numpy::zeros({3})).item<float>(), 1);
  EXPECT_EQ(grad(f)(numpy::zeros({3})).to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(grad(f)(numpy::array({3.0f, 4.0f})).to_vector<float>(), (std::vector<float>{0.6f, 0.8f}));
}

}  // namespace
}  // namespace hilo::optim
