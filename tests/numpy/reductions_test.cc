// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"

namespace hilo::numpy {
namespace {

TEST(Extremes, AlongAnotherAxisOfNothingAreNothing) {
  EXPECT_EQ(max(zeros({2, 0}), 0).aval_shape().to_string(), "f32[0]");
  EXPECT_EQ(min(zeros({0, 2}), 1).aval_shape().to_string(), "f32[0]");
  EXPECT_EQ(argmax(zeros({2, 0}), 0).aval_shape().to_string(), "s32[0]");
}

TEST(Reductions, OfNothingThatHaveAValue) {
  EXPECT_EQ(sum(zeros({0})).item<float>(), 0);
  EXPECT_EQ(prod(zeros({0})).item<float>(), 1);
  EXPECT_TRUE(std::isnan(mean(zeros({0})).item<float>()));
  EXPECT_TRUE(all(zeros({0})).item<bool>());
  EXPECT_FALSE(any(zeros({0})).item<bool>());
}

TEST(Variances, TakeOneCorrectionAndAComplexTypeOfComplexNumbers) {
  EXPECT_THROW(std(array({1.0, 2.0}), {.ddof = 1, .correction = 0}), Error);
  EXPECT_THROW(nanvar(array({std::complex<float>(1, 2), std::complex<float>(3, 1)}), {.dtype = float32}), Error);
  EXPECT_EQ(var(array({1.0, 3.0}), {.correction = 1}).item<float>(), 2);
}

TEST(Truth, OfNumbersIsWhetherTheyAreZero) {
  EXPECT_TRUE(all(array({1, 2, NAN})).item<bool>());
  EXPECT_FALSE(all(array({1.0, 0})).item<bool>());
  EXPECT_TRUE(any(Array::from_vector<int32_t>({0, 2}, {2})).item<bool>());
  EXPECT_EQ(any(array({{0.0, 0}, {0, 3}}), 1).to_vector<bool>(), (std::vector<bool>{false, true}));
}

// Values of jax 0.12.0.1.
TEST(Reductions, Minmax) {
  using Ints = std::vector<int>;
  const Array x = array({{2, 5, 1, 6}, {3, -7, -2, 4}});
  const auto values = [](const std::pair<Array, Array>& p) {
    return std::pair(p.first.to_vector<int>(), p.second.to_vector<int>());
  };
  EXPECT_EQ(values(minmax(x)), std::pair(Ints{-7}, Ints{6}));
  EXPECT_EQ(values(minmax(x, {.axis = 0})), std::pair(Ints({2, -7, -2, 4}), Ints({3, 5, 1, 6})));
  EXPECT_EQ(minmax(x, {.axis = 1, .keepdims = true}).second.shape(), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(values(minmax(x, {.axis = 1, .initial = {0, 7}})), std::pair(Ints({0, -7}), Ints({7, 7})));
  EXPECT_EQ(values(minmax(x, {.axis = 1, .initial = {3}})), std::pair(Ints({1, -7}), Ints({6, 4})));
  EXPECT_EQ(values(minmax(x, {.axis = 1, .initial = {10, -10}, .where = x > 0})),
            std::pair(Ints({1, 3}), Ints({6, 4})));
  const auto [low, high] = minmax(array({1.0f, std::nanf("")}));
  EXPECT_TRUE(std::isnan(low.item<float>()) && std::isnan(high.item<float>()));
  EXPECT_THROW(minmax(x, {.initial = {1, 2, 3}}), Error);
  EXPECT_THROW(minmax(x, {.where = x > 0}), Error);
}

}  // namespace
}  // namespace hilo::numpy
