// SPDX-License-Identifier: Apache-2.0
// Slopes at the boundaries of domains, recorded from jax 0.10.2. Exception: the slope of x^0 is 0 at 0 too.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hilo/lax/elementwise.h"
#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"

namespace hilo::lax {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

void expect_same(float got, float wanted, const std::string& where) {
  if (std::isnan(wanted)) EXPECT_TRUE(std::isnan(got)) << where << ": " << got;
  else EXPECT_FLOAT_EQ(got, wanted) << where;
}

struct PowerSlope {
  float x, y, by_x, by_y;
};
const PowerSlope kPowers[] = {
    {0, 0, 0, 0},
    {0, 1, 1, 0},
    {0, 2, 0, 0},
    {0, -1, -kInf, kNan},
    {0, 0.5f, kInf, 0},
    {0, 3, 0, 0},
    {0, kInf, kNan, 0},
    {-0.0f, 0, 0, 0},
    {-0.0f, 1, 1, 0},
    {1, 0, 0, 0},
    {1, kInf, kInf, 0},
    {1, kNan, kNan, 0},
    {-1, 2, -2, kNan},
    {-1, 0.5f, kNan, kNan},
    {2, 0, 0, 0.6931472f},
    {2, 3, 12, 5.5451775f},
    {2, -1, -0.25f, 0.34657359f},
    {kInf, 0, 0, kInf},
    {kInf, -1, 0, kNan},
    {-2, 3, 12, kNan},
};

TEST(PowSlopes, AreThoseOfJax) {
  const auto f = [](const Array& x, const Array& y) { return pow(x, y); };
  for (const PowerSlope& p : kPowers) {
    const std::string where = std::to_string(p.x) + "^" + std::to_string(p.y);
    for (const auto& [dx, dy] : {grad<0, 1>(f)(Array(p.x), Array(p.y)), jit(grad<0, 1>(f))(Array(p.x), Array(p.y))}) {
      expect_same(dx.item<float>(), p.by_x, where);
      expect_same(dy.item<float>(), p.by_y, where);
    }
  }
}

float slope(Array (*f)(const Operand&), float at) {
  return grad([f](const Array& x) { return f(x); })(Array(at)).item<float>();
}

TEST(Slopes, OfAbsAtZeroAndNan) {
  EXPECT_EQ(slope(abs, 0.0f), 1);
  EXPECT_EQ(slope(abs, -0.0f), 1);
  EXPECT_EQ(slope(abs, kNan), -1);
  EXPECT_EQ(slope(abs, -kInf), -1);
}

TEST(Slopes, OfRootsAndSignsAtZero) {
  EXPECT_EQ(slope(sqrt, 0.0f), kInf);
  EXPECT_EQ(slope(cbrt, 0.0f), kInf);
  EXPECT_EQ(slope(rsqrt, 0.0f), -kInf);
  EXPECT_EQ(slope(sign, 0.0f), 0);
  EXPECT_FLOAT_EQ(slope(cbrt, 8.0f), 1.0f / 12);
  EXPECT_FLOAT_EQ(slope(cbrt, -8.0f), 1.0f / 12);
}

TEST(Slopes, OfEqualExtremesAreShared) {
  const auto f = [](const Array& x, const Array& y) { return max(x, y); };
  const auto g = [](const Array& x, const Array& y) { return min(x, y); };
  for (const auto& [dx, dy] : {grad<0, 1>(f)(Array(1.0f), Array(1.0f)), grad<0, 1>(g)(Array(1.0f), Array(1.0f))}) {
    EXPECT_EQ(dx.item<float>(), 0.5f);
    EXPECT_EQ(dy.item<float>(), 0.5f);
  }
  const auto [dx, dy] = grad<0, 1>(f)(Array(kNan), Array(1.0f));
  EXPECT_EQ(dx.item<float>(), 0);
  EXPECT_EQ(dy.item<float>(), 0);
}

}  // namespace
}  // namespace hilo::lax
