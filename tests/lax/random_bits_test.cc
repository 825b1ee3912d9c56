// SPDX-License-Identifier: Apache-2.0
// Properties of lax::rng_uniform other than its numbers, which are specific to hilo. Golden rows test
// rng_bit_generator.
#include "hilo/lax/random_bits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hilo/transform/jit.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

TEST(RandomBits, RngUniformStaysInItsBounds) {
  const Array x = lax::rng_uniform(-2.0f, 3.0f, {100, 7});
  EXPECT_EQ(x.aval_shape().to_string(), "f32[100,7]");
  const std::vector<float> values = x.to_vector<float>();
  EXPECT_TRUE(std::ranges::all_of(values, [](float v) { return v >= -2 && v < 3; }));
  const auto [least, greatest] = std::ranges::minmax(values);
  EXPECT_LT(least, -1.5f);
  EXPECT_GT(greatest, 2.5f);
  EXPECT_EQ(lax::rng_uniform(0.0f, 1.0f, {0}).size(), 0);
}

TEST(RandomBits, RngUniformDrawsOthersAtEachRun) {
  const auto draw = jit([](const Array& low) { return lax::rng_uniform(low, 1.0f, {8}); });
  const std::vector<float> first = draw(Array(0.0f)).to_vector<float>();
  EXPECT_NE(draw(Array(0.0f)).to_vector<float>(), first);
}

TEST(RandomBits, RngUniformRefusesWhatIsNoPairOfScalars) {
  error_of([] { lax::rng_uniform(0, 1, {2}); }, StatusCode::kInvalidArgument);
  error_of([] { lax::rng_uniform(Array::from_vector<float>({0, 1}, {2}), 1.0f, {2}); }, StatusCode::kInvalidArgument);
  error_of([] { lax::rng_uniform(0.0f, 1.0f, {-1}); }, StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo
