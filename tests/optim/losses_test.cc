// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hilo/optim/optim.h"
#include "hilo/transform/grad.h"
#include "tests/support/error_of.h"

namespace hilo::optim {
namespace {

const float kInf = std::numeric_limits<float>::infinity();

TEST(Losses, OfRegressionTakeErrorsOrPairs) {
  const Array x = numpy::array({1.0f, -2.0f, 4.0f}), y = numpy::array({1.0f, 0.0f, 1.0f});
  EXPECT_EQ(squared_error(x, y).to_vector<float>(), (std::vector<float>{0, 4, 9}));
  EXPECT_EQ(l2_loss(x, y).to_vector<float>(), (std::vector<float>{0, 2, 4.5f}));
  EXPECT_EQ(l2_loss(numpy::array({3.0f})).to_vector<float>(), (std::vector<float>{4.5f}));
  EXPECT_EQ(huber_loss(x, y).to_vector<float>(), (std::vector<float>{0, 1.5f, 2.5f}));
  EXPECT_THROW(squared_error(x, numpy::zeros({2})), Error);
}

TEST(Losses, LogCoshDoesNotOverflow) {
  EXPECT_NEAR(log_cosh(Array(1000.0f)).item<float>(), 1000 - std::log(2.0), 1e-3);
  EXPECT_EQ(log_cosh(Array(0.0f)).item<float>(), 0);
}

TEST(Losses, CosinesAreOfAngles) {
  const Array x = numpy::array({{1.0f, 0.0f}, {3.0f, 4.0f}}), y = numpy::array({{0.0f, 2.0f}, {3.0f, 4.0f}});
  const std::vector<float> similar = cosine_similarity(x, y).to_vector<float>();
  EXPECT_NEAR(similar[0], 0, 1e-7);
  EXPECT_NEAR(similar[1], 1, 1e-6);
  EXPECT_NEAR(cosine_distance(x, y)(1).item<float>(), 0, 1e-6);
}

TEST(Losses, BinaryCrossEntropyIsExactForHugeLogits) {
  const Array logits = numpy::array({0.0f, 100.0f, -100.0f}), labels = numpy::array({1.0f, 1.0f, 1.0f});
  const std::vector<float> loss = sigmoid_binary_cross_entropy(logits, labels).to_vector<float>();
  EXPECT_NEAR(loss[0], std::log(2.0), 1e-6);
  EXPECT_NEAR(loss[1], 0, 1e-6);
  EXPECT_EQ(loss[2], 100);
}

TEST(Losses, SoftmaxTakesDistributionsOrClasses) {
  const Array logits = numpy::array({{0.0f, std::log(3.0f)}});
  EXPECT_NEAR(softmax_cross_entropy_with_integer_labels(logits, numpy::array({1})).item<float>(), std::log(4.0 / 3),
              1e-6);
  EXPECT_NEAR(softmax_cross_entropy(logits, numpy::array({{1.0f, 0.0f}})).item<float>(), std::log(4.0), 1e-6);
  const Array infinite = numpy::array({{0.0f, -kInf}});
  EXPECT_EQ(safe_softmax_cross_entropy(infinite, numpy::array({{1.0f, 0.0f}})).item<float>(), 0);
}

}  // namespace
}  // namespace hilo::optim
