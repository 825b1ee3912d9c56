// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/positions.h"

#include <gtest/gtest.h>

namespace hilo::numpy {
namespace {

TEST(Positions, SearchAndClip) {
  const Array x = array({1, 3, 5});
  EXPECT_EQ(searchsorted(x, 3, "right").item<int>(), 2);
  EXPECT_EQ(clip(x, 2).to_vector<int>(), (std::vector<int>{2, 3, 5}));
  EXPECT_EQ(clip(x, std::nullopt, 4).to_vector<int>(), (std::vector<int>{1, 3, 4}));
  EXPECT_EQ(clip(x, 2, std::nullopt).to_vector<int>(), (std::vector<int>{2, 3, 5}));
  EXPECT_EQ(nan_to_num(array({nan, 1.0}), true, 7.0)[0].item<float>(), 7);
}

TEST(Positions, DistancesOfGradients) {
  const Array f = array({0.0f, 1.0f, 4.0f});
  EXPECT_EQ(Array(gradient(f, 2.0)).to_vector<float>(), (std::vector<float>{0.5f, 1, 1.5f}));
  EXPECT_EQ(Array(gradient(f, array({0.0f, 2.0f, 4.0f}))).to_vector<float>(), (std::vector<float>{0.5f, 1, 1.5f}));
  EXPECT_EQ(gradient(ones({3, 4}), 1.0, 2.0).size(), 2u);
  EXPECT_EQ(Array(gradient(ones({3, 4}), 1.0, {.axis = 0})).shape(1), 4);
}

TEST(Positions, BinsAndConstants) {
  const Array x = array({0.1f, 0.2f, 0.9f}), y = array({0.1f, 0.7f, 0.8f});
  EXPECT_EQ(histogram2d(x, y, {3, 4}).H.shape(), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(polyint(array({2.0f, 1.0f}), {.m = 1, .k = 3.0}).to_vector<float>(), (std::vector<float>{1, 1, 3}));
  EXPECT_EQ(polyint(array({2.0f, 1.0f}), 1, {.k = 3.0}).to_vector<float>(), (std::vector<float>{1, 1, 3}));
}

TEST(Positions, SubscriptsAsNumbers) {
  const Array x = arange(6.0).reshape({2, 3}), y = arange(12.0).reshape({3, 4});
  EXPECT_EQ(einsum(x, {0, 1}, y, {1, 2}, {0, 2}).to_vector<float>(), matmul(x, y).to_vector<float>());
  EXPECT_EQ(einsum(x, {0, 1}, y, {1, 2}).to_vector<float>(), matmul(x, y).to_vector<float>());
  EXPECT_EQ(einsum(x, {0, 1}, {1}).to_vector<float>(), (std::vector<float>{3, 5, 7}));
  EXPECT_THROW(einsum(x, {0, 26}, {0}), Error);
}

TEST(Positions, NumbersMeetTypesAsPythonsTypesDo) {
  EXPECT_EQ(promote_types(1.0, float32), ElementType::kF32);
  EXPECT_EQ(promote_types(1.0, bfloat16), ElementType::kBf16);
  EXPECT_EQ(promote_types(int8, 1), ElementType::kS8);
  EXPECT_EQ(promote_types(1, 1.0), default_float());
  EXPECT_EQ(promote_types(std::complex<double>(1, 0), float32), ElementType::kC64);
  EXPECT_EQ(promote_types(int32, float32), ElementType::kF32);
}

}  // namespace
}  // namespace hilo::numpy
