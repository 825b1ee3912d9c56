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

}  // namespace
}  // namespace hilo::numpy
