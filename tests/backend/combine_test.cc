// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/combine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hilo {
namespace {

using hlo::ReducerKind;

template <typename T>
T combined(ReducerKind kind, T x, T y) {
  const CombineFunction function = combine_function(kind, element_type_of<T>);
  EXPECT_NE(function, nullptr);
  if (function != nullptr) function(reinterpret_cast<std::byte*>(&x), reinterpret_cast<const std::byte*>(&y), 1);
  return x;
}

TEST(Combine, NanGoesThroughMaximumAndMinimumFromEitherSide) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (ReducerKind kind : {ReducerKind::kMaximum, ReducerKind::kMinimum}) {
    EXPECT_TRUE(std::isnan(combined(kind, nan, 1.0f)));
    EXPECT_TRUE(std::isnan(combined(kind, 1.0f, nan)));
    EXPECT_TRUE(std::isnan(static_cast<float>(combined(kind, bfloat16(1), bfloat16(nan)))));
  }
}

TEST(Combine, ZerosAreOrderedBySign) {
  EXPECT_FALSE(std::signbit(combined(ReducerKind::kMaximum, -0.0, 0.0)));
  EXPECT_TRUE(std::signbit(combined(ReducerKind::kMinimum, 0.0, -0.0)));
}

TEST(Combine, IntegersWrapAndBooleansOr) {
  EXPECT_EQ(combined<int8_t>(ReducerKind::kAdd, 127, 1), -128);
  EXPECT_EQ(combined<uint16_t>(ReducerKind::kMultiply, 300, 300), static_cast<uint16_t>(90000));
  EXPECT_EQ(combined<int32_t>(ReducerKind::kXor, 6, 3), 5);
  EXPECT_TRUE(combined(ReducerKind::kAdd, true, true));
  EXPECT_FALSE(combined(ReducerKind::kAnd, true, false));
}

TEST(Combine, HalfPrecisionRoundsEveryTime) {
  // 256 + 1 is not a bf16 and ties round to even, so repeatedly adding 1 stays at 256.
  bfloat16 sum(256);
  for (int i = 0; i < 4; ++i) sum = combined(ReducerKind::kAdd, sum, bfloat16(1));
  EXPECT_EQ(static_cast<float>(sum), 256);
  EXPECT_EQ(static_cast<float>(combined(ReducerKind::kMultiply, float16(3), float16(0.5f))), 1.5f);
}

TEST(Combine, HasNoLoopWhereTheOperationHasNoMeaning) {
  EXPECT_EQ(combine_function(ReducerKind::kGeneric, ElementType::kF32), nullptr);
  EXPECT_EQ(combine_function(ReducerKind::kMaximum, ElementType::kC64), nullptr);
  EXPECT_EQ(combine_function(ReducerKind::kAnd, ElementType::kF32), nullptr);
  EXPECT_EQ(combine_function(ReducerKind::kAnd, ElementType::kF8E5M2), nullptr);
}

}  // namespace
}  // namespace hilo
