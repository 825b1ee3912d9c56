// SPDX-License-Identifier: Apache-2.0
#include "hilo/nn/pooling.h"

#include <gtest/gtest.h>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "tests/support/error_of.h"

namespace hilo {
namespace {

using Floats = std::vector<float>;

/// [4, 4, 1] of 0, 1, ..., 15.
Array image() { return numpy::reshape(numpy::arange(16, ElementType::kF32), {4, 4, 1}); }

TEST(Pooling, TakesTheExtremesOfWindows) {
  EXPECT_EQ(nn::max_pool(image(), {2, 2}, {2, 2}).to_vector<float>(), (Floats{5, 7, 13, 15}));
  EXPECT_EQ(nn::min_pool(image(), {2, 2}, {2, 2}).to_vector<float>(), (Floats{0, 2, 8, 10}));
  EXPECT_EQ(nn::max_pool(image(), {3, 3}).to_vector<float>(), (Floats{10, 11, 14, 15}));
  EXPECT_EQ(nn::max_pool(image(), {3, 3}, {2, 2}, "SAME").to_vector<float>(), (Floats{10, 11, 14, 15}));
}

TEST(Pooling, LeavesBatchesAndFeaturesAlone) {
  const Array batch = numpy::reshape(numpy::arange(24, ElementType::kF32), {3, 2, 2, 2});
  const Array out = nn::max_pool(batch, {2, 2});
  EXPECT_EQ(std::vector<int64_t>(out.shape().begin(), out.shape().end()), (std::vector<int64_t>{3, 1, 1, 2}));
  EXPECT_EQ(out.to_vector<float>(), (Floats{6, 7, 14, 15, 22, 23}));
  EXPECT_EQ(nn::max_pool(image(), {2, 2}, {2, 2}).ndim(), 3);
}

TEST(Pooling, AveragesCountPaddingOnlyIfAsked) {
  const Array x = numpy::ones({1, 3, 1});
  EXPECT_EQ(nn::avg_pool(x, {2}, {2}, "SAME").to_vector<float>(), (Floats{1, 0.5}));
  EXPECT_EQ(nn::avg_pool(x, {2}, {2}, "SAME", false).to_vector<float>(), (Floats{1, 1}));
  EXPECT_EQ(nn::avg_pool(x, {2}, {1}, {{1, 1}}).to_vector<float>(), (Floats{0.5, 1, 1, 0.5}));
}

TEST(Pooling, SpreadsGradientsOverWindows) {
  const auto average = [](const Array& x) { return numpy::sum(nn::avg_pool(x, {2, 2}, {2, 2})); };
  EXPECT_EQ(grad(average)(image()).to_vector<float>(), Floats(16, 0.25f));
  const auto greatest = [](const Array& x) { return numpy::sum(nn::max_pool(x, {2, 2}, {2, 2})); };
  EXPECT_EQ(grad(greatest)(image()).to_vector<float>(), (Floats{0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1}));
}

TEST(Pooling, MistakesAreErrors) {
  const auto error = [](const std::function<void()>& f) { return error_of(f, StatusCode::kInvalidArgument); };
  EXPECT_NE(error([] { nn::max_pool(numpy::ones({4}), {2, 2}); }).find("wanted at least 3 dimensions"),
            std::string::npos);
  EXPECT_NE(error([] { nn::max_pool(image(), {2, 2}, {2}); }).find("got 1 strides for a window of 2 dimensions"),
            std::string::npos);
  EXPECT_NE(error([] { nn::avg_pool(numpy::arange(4), {2}); }).find("wanted floats"), std::string::npos);
}

}  // namespace
}  // namespace hilo
