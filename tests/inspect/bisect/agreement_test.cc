// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/bisect/agreement.h"

#include <gtest/gtest.h>

#include <limits>

namespace hilo::hlo {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Literal f32(std::initializer_list<float> values) {
  return Literal::array<float>({static_cast<int64_t>(values.size())}, values);
}

TEST(Parting, FloatsMayBeApartRelativeToWhatTheyComeFrom) {
  EXPECT_EQ(parting(f32({1.00005F}), f32({1}), 1), "");
  EXPECT_NE(parting(f32({1.0002F}), f32({1}), 1), "");
  EXPECT_EQ(parting(f32({1.0002F}), f32({1}), 10), "");
  EXPECT_NE(parting(f32({1.00005F}), f32({1}), 1, true), "");
}

TEST(Parting, SaysHowManyElementsDifferAndTheWorst) {
  EXPECT_EQ(parting(f32({1, 2.5F, 0}), f32({1, 2, 3}), 1),
            "f32[3]: 2 of 3 elements differ; largest difference 3 at [2]: got 0, wanted 3");
}

TEST(Parting, NaNIsNaNAndInfinityIsANumberOnlyBesideOverflow) {
  EXPECT_EQ(parting(f32({kNaN}), f32({kNaN}), 1, true), "");
  EXPECT_NE(parting(f32({kNaN}), f32({1}), 1), "");
  EXPECT_NE(parting(f32({kInfinity}), f32({3e38F}), 1), "");
  EXPECT_EQ(parting(f32({kInfinity}), f32({3e38F}), 3e38), "");
}

TEST(Parting, ZerosOfUnlikeSignsDifferOnlyExactly) {
  EXPECT_EQ(parting(f32({-0.0F}), f32({0.0F}), 1), "");
  EXPECT_NE(parting(f32({-0.0F}), f32({0.0F}), 1, true), "");
}

TEST(Parting, WhatIsNotRoundedIsTheSameBits) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  const Literal a = Literal::array<int64_t>({2}, {most, 1}), b = Literal::array<int64_t>({2}, {most - 1, 1});
  EXPECT_EQ(parting(a, a, 1e30), "");
  EXPECT_NE(parting(a, b, 1e30), "");
  EXPECT_NE(parting(Literal::scalar(true), Literal::scalar(false), 1), "");
}

TEST(Parting, PartsOfComplexNumbersCountOneByOne) {
  using Complex = std::complex<float>;
  const auto c64 = [](Complex value) { return Literal::scalar(value); };
  EXPECT_EQ(parting(c64({1, 2}), c64({1, 2}), 1), "");
  EXPECT_NE(parting(c64({1, 2}), c64({1, 2.1F}), 1), "");
  EXPECT_EQ(parting(c64({kNaN, 2}), c64({kNaN, 2}), 1), "");
}

TEST(Parting, ShapesMustBeTheSame) { EXPECT_EQ(parting(f32({1}), f32({1, 2}), 1), "got f32[1], wanted f32[2]"); }

TEST(GreatestMagnitude, IsThatOfTheFiniteFloatsOfAllLeaves) {
  EXPECT_EQ(greatest_magnitude(f32({1, -3, kInfinity, kNaN})), 3);
  EXPECT_EQ(greatest_magnitude(Literal::scalar<int32_t>(7)), 0);
  EXPECT_EQ(greatest_magnitude(Literal::tuple({f32({1}), Literal::scalar<double>(-2)})), 2);
}

}  // namespace
}  // namespace hilo::hlo
