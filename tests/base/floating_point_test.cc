// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/floating_point.h"

#include <gtest/gtest.h>

#if defined(__SSE2__)
#include <xmmintrin.h>

#include <cfenv>

namespace hilo {
namespace {

constexpr unsigned kRaised = 0x3f;  // exception flags raised so far

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
  const unsigned before = _mm_getcsr();
  const auto flushes = [] { return (_mm_getcsr() & 0x8040) == 0x8040; };
  _mm_setcsr(before | 0x8040);
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
  _mm_setcsr(before);
  EXPECT_FALSE(plain);
  EXPECT_TRUE(asked && inner && after_inner && outside);
}

TEST(FloatingPointScope, HidesTheExceptionsOfWhatRunsInIt) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before & ~kRaised);
  {
    const FloatingPointScope scope;
    EXPECT_NE(third(1), 0);
  }
  EXPECT_EQ(_mm_getcsr() & kRaised, 0u);
  _mm_setcsr(before);
}

}  // namespace
}  // namespace hilo
#endif
