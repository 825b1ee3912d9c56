// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/ravel_pytree.h"

#include <gtest/gtest.h>

#include "hilo/transform/grad.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;
using Parts = std::pair<Array, std::vector<Array>>;

Parts parts() { return {numpy::array({{1.0f, 2.0f}, {3.0f, 4.0f}}), {numpy::arange(2), Array(7.0f)}}; }

TEST(RavelPytree, MakesOneVectorAndGoesBack) {
  const auto [flat, unravel] = flatten_util::ravel_pytree(parts());
  EXPECT_EQ(flat.to_vector<float>(), (Floats{1, 2, 3, 4, 0, 1, 7}));
  const Parts back = unravel(flat * 2.0f);
  EXPECT_EQ(back.first.aval_shape().to_string(), "f32[2,2]");
  EXPECT_EQ(back.second[0].aval_shape().to_string(), "s32[2]");
  EXPECT_EQ(back.second[0].to_vector<int>(), (std::vector<int>{0, 2}));
  EXPECT_EQ(back.second[1].item<float>(), 14);
}

TEST(RavelPytree, IsDifferentiable) {
  const auto [flat, unravel] = flatten_util::ravel_pytree(parts());
  const auto& back = unravel;
  const auto f = [&](Array v) { return numpy::sum(back(v).first * back(v).first); };
  EXPECT_EQ(grad(f)(flat).to_vector<float>(), (Floats{2, 4, 6, 8, 0, 0, 0}));
}

TEST(RavelPytree, TakesNothingAndRefusesWrongSizes) {
  const auto [flat, unravel] = flatten_util::ravel_pytree(std::vector<Array>());
  EXPECT_EQ(flat.size(), 0);
  EXPECT_TRUE(unravel(flat).empty());
  const auto [other, back] = flatten_util::ravel_pytree(parts());
  const auto& unravel_parts = back;
  const std::string text = error_of([&] { unravel_parts(numpy::ones({6})); }, StatusCode::kInvalidArgument);
  EXPECT_NE(text.find("wanted a vector of 7, got f32[6]"), std::string::npos) << text;
}

}  // namespace
}  // namespace hilo
