// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/floating_point.h"

#include <gtest/gtest.h>

#include <cfenv>

namespace hilo {
namespace {

using floating_point_detail::kFlushToZero;
using floating_point_detail::modes;
using floating_point_detail::set_modes;

/// Divides at run time, in the current floating-point mode.
template <typename T>
T third_of(T x) {
  volatile T whole = x;
  return whole / 3;
}
float third(float x) { return third_of(x); }
long double long_third(long double x) { return third_of(x); }

TEST(FloatingPointScope, RoundsToNearestInsideAndAsBeforeOutside) {
  const float nearest = third(1);
  const long double long_nearest = long_third(1);
  for (const int mode : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    std::fesetround(mode);
    const float outside = third(-1);
    const long double long_outside = long_third(-1);
    float inside = 0;
    long double long_inside = 0;
    {
      const FloatingPointScope scope;
      inside = third(1);
      long_inside = long_third(1);
    }
    const int after = std::fegetround();
    const bool same = third(-1) == outside && long_third(-1) == long_outside;
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(inside, nearest);
    EXPECT_EQ(long_inside, long_nearest);
    EXPECT_EQ(after, mode);
    EXPECT_TRUE(same);
  }
}

TEST(FloatingPointScope, KeepsDenormalsUnlessAskedOrInsideOfOneThatFlushes) {
  const uint32_t before = modes();
  const auto flushes = [] { return modes() == kFlushToZero; };
  set_modes(kFlushToZero);
  bool plain = true, asked = false, inner = false, after_inner = false;
  {
    const FloatingPointScope scope;
    plain = flushes();
    const FloatingPointScope flushing(Underflow::kToZero);
    asked = flushes();
    {
      const FloatingPointScope inside;
      inner = flushes();
    }
    after_inner = flushes();
  }
  const bool outside = flushes();
  set_modes(before);
  EXPECT_FALSE(plain);
  EXPECT_TRUE(asked && inner && after_inner && outside);
}

TEST(FloatingPointScope, HidesTheExceptionsOfWhatRunsInIt) {
  std::feclearexcept(FE_ALL_EXCEPT);
  {
    const FloatingPointScope scope;
    EXPECT_NE(third(1), 0);
    EXPECT_NE(std::fetestexcept(FE_INEXACT), 0);
  }
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
}

TEST(FloatingPointScope, FlushesDenormalOperandsAndResultsOfBothTypes) {
  volatile float small = 1e-38f, denormal = 1e-40f;
  volatile double tiny = 1e-307, subnormal = 1e-310;
  const FloatingPointScope scope(Underflow::kToZero);
  EXPECT_EQ(small * 0.25f, 0);
  EXPECT_EQ(denormal * 1e20f, 0);
  EXPECT_EQ(tiny * 0.01, 0);
  EXPECT_EQ(subnormal * 1e20, 0);
}

}  // namespace
}  // namespace hilo
