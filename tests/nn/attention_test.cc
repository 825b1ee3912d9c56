// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "tests/support/error_of.h"

namespace hilo::nn {
namespace {

/// [positions, 1 head, size]
Array rows(const Array& x) { return numpy::expand_dims(x, 1); }
const Array& identity() {
  static const Array x = rows(numpy::eye(3));
  return x;
}
std::vector<float> values(const Array& x) { return x.to_vector<float>(); }

TEST(Attention, OfOneKeyIsItsValue) {
  const Array key = rows(numpy::array({{3.0f, -1.0f}})), value = rows(numpy::array({{5.0f, 7.0f}}));
  EXPECT_EQ(values(dot_product_attention(rows(numpy::ones({2, 2})), key, value)), (std::vector<float>{5, 7, 5, 7}));
}

TEST(Attention, EqualScoresGiveTheMean) {
  const Array value = rows(numpy::array({{0.0f, 3.0f, 6.0f}, {3.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}}));
  const std::vector<float> mean = values(dot_product_attention(numpy::zeros({3, 1, 3}), identity(), value));
  EXPECT_NEAR(mean[0], 1, 1e-6);
  EXPECT_NEAR(mean[2], 2, 1e-6);
}

TEST(Attention, CausalQueriesSeeWhatIsBeforeThem) {
  const std::vector<float> seen =
      values(dot_product_attention(numpy::zeros({3, 1, 3}), identity(), identity(), {.is_causal = true}));
  const std::vector<float> wanted = {1, 0, 0, 0.5f, 0.5f, 0, 1 / 3.0f, 1 / 3.0f, 1 / 3.0f};
  for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(seen[i], wanted[i], 1e-6) << i;
}

TEST(Attention, MasksWindowsAndLengthsHideKeys) {
  const Array mask = numpy::array({false, true, false});
  const std::vector<float> masked = values(dot_product_attention(identity(), identity(), identity(), {.mask = mask}));
  EXPECT_EQ(masked, (std::vector<float>{0, 1, 0, 0, 1, 0, 0, 1, 0}));
  const std::vector<float> own =
      values(dot_product_attention(identity(), identity(), identity(), {.local_window_size = 0}));
  EXPECT_EQ(own, (std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST(Attention, TheResidualIsTheLogsumexpOfTheScores) {
  const AttentionAndResidual both =
      dot_product_attention_with_residual(numpy::zeros({2, 1, 3}), identity(), identity());
  EXPECT_NEAR(both.residual.to_vector<float>()[0], std::log(3.0f), 1e-6);
}

TEST(Attention, BiasAndScaleAreOfTheScores) {
  const Array bias = numpy::array({0.0f, 0.0f, 1000.0f});
  EXPECT_EQ(values(dot_product_attention(identity(), identity(), identity(), {.bias = bias})),
            (std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1}));
  const std::vector<float> flat = values(dot_product_attention(identity(), identity(), identity(), {.scale = 0.0}));
  EXPECT_NEAR(flat[0], 1 / 3.0f, 1e-6);
}

TEST(Attention, RefusesWhatDoesNotFit) {
  EXPECT_THROW(dot_product_attention(identity(), identity(), numpy::ones({2, 1, 3})), Error);
  EXPECT_THROW(dot_product_attention(identity(), identity(), identity(), {.implementation = "cudnn"}), Error);
}

}  // namespace
}  // namespace hilo::nn
