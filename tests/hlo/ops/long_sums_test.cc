// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/long_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace hilo::hlo {
namespace {

/// Strings show the order in which values are combined.
TEST(LongSums, JoinRunsInPairsAndInOrder) {
  PairwiseFold<std::string> fold([](std::string a, std::string b) { return "(" + a + b + ")"; });
  EXPECT_EQ(fold.value("0"), "0");
  for (int i = 0; i < 3 * 32; ++i) fold.take(i % 32 == 0 ? std::string(1, static_cast<char>('a' + i / 32)) : "");
  std::string text = fold.value("0");
  const auto run = [](char c) { return std::string(31, '(') + c + std::string(31, ')'); };
  EXPECT_EQ(text, "(0((" + run('a') + run('b') + ")" + run('c') + "))");
  fold.take("d");
  EXPECT_EQ(fold.value("0"), "(0((" + run('a') + run('b') + ")(" + run('c') + "d)))");
}

/// Each addition of 0.1f to a large sum has the same rounding error. Added in order, a million of them lose the fourth
/// digit.
TEST(LongSums, DontDriftOverMillionsOfEqualTerms) {
  PairwiseFold<float> fold([](float a, float b) { return a + b; });
  for (int i = 0; i < 1000003; ++i) fold.take(0.1f);
  EXPECT_NEAR(fold.value(0) / (static_cast<double>(0.1f) * 1000003), 1, 5e-7);
}

TEST(LongSums, KeepWhatAdditionsOfDoublesLose) {
  RunningSum<double> sum(1);
  for (int i = 0; i < 1000; ++i) sum.take(0x1p-60);
  EXPECT_EQ(sum.value(), 1 + 1000 * 0x1p-60);
  for (double x : {1e300, 1.0, -1e300}) sum.take(x);
  EXPECT_EQ(sum.value(), 1 + 1000 * 0x1p-60 + 1);
}

/// An infinite running sum stays infinite or becomes NaN; the compensation is ignored.
TEST(LongSums, StayInfinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  CompensatedSum sum;
  for (double x : {1.0, 0.1, infinity, 0.1}) sum.take(x);
  EXPECT_EQ(sum.value(), infinity);
  sum.take(-infinity);
  EXPECT_TRUE(std::isnan(sum.value()));
  EXPECT_TRUE(std::signbit(CompensatedSum{-0.0}.value()));
}

}  // namespace
}  // namespace hilo::hlo
