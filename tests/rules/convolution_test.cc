// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hilo/lax/convolution.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/vmap.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

/// [1, 1, n]
Array line(const std::vector<float>& values) {
  return Array::from_vector<float>(values, {1, 1, static_cast<int64_t>(values.size())});
}
Array convolved(const Array& x, const Array& k) { return lax::conv(x, k, {1}, "VALID"); }

TEST(ConvolutionRules, EachOperandGetsTheOther) {
  const auto f = [](const Array& x, const Array& k) { return numpy::sum(convolved(x, k)); };
  const auto [of_x, of_k] = grad<0, 1>(f)(line({1, 2, 3, 4}), line({10, 20}));
  EXPECT_EQ(of_x.to_vector<float>(), (Floats{10, 30, 30, 20}));
  EXPECT_EQ(of_k.to_vector<float>(), (Floats{6, 9}));
}

TEST(ConvolutionRules, StridesLeaveElementsWithoutASlope) {
  const auto f = [](const Array& x) { return numpy::sum(lax::conv(x, line({10, 20}), {3}, "VALID")); };
  EXPECT_EQ(grad(f)(line({1, 2, 3, 4, 5})).to_vector<float>(), (Floats{10, 20, 0, 10, 20}));
}

TEST(ConvolutionRules, BatchesArraysOrKernels) {
  const Array x = numpy::stack({line({1, 2, 3}), line({4, 5, 6})}), k = numpy::stack({line({1, 0}), line({0, 1})});
  EXPECT_EQ(vmap(convolved, {0, kNoAxis})(x, line({1, 1})).to_vector<float>(), (Floats{3, 5, 9, 11}));
  EXPECT_EQ(vmap(convolved, {kNoAxis, 0})(line({1, 2, 3}), k).to_vector<float>(), (Floats{1, 2, 2, 3}));
  EXPECT_EQ(vmap(convolved)(x, k).to_vector<float>(), (Floats{1, 2, 5, 6}));
}

}  // namespace
}  // namespace hilo
