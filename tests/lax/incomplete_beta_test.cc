// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/incomplete_beta.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo::lax {
namespace {

float value(float a, float b, float x) { return betainc(Array(a), Array(b), Array(x)).item<float>(); }

TEST(Betainc, EndsAreWhatTheyAreByDefinition) {
  EXPECT_EQ(value(2, 3, 0), 0);
  EXPECT_EQ(value(2, 3, 1), 1);
  EXPECT_EQ(value(0, 3, 0.5f), 1);  // all mass at 0
  EXPECT_EQ(value(2, 0, 0.5f), 0);  // all mass at 1
  EXPECT_EQ(value(INFINITY, 3, 0.5f), 0);
  EXPECT_EQ(value(2, INFINITY, 0.5f), 1);
  for (auto [a, b, x] : {std::tuple(-1.0f, 3.0f, 0.5f), {2.0f, 3.0f, 1.5f}, {0.0f, 0.0f, 0.5f}, {NAN, 1.0f, 0.5f}})
    EXPECT_TRUE(std::isnan(value(a, b, x))) << a << " " << b << " " << x;
}

// I_x(a, 1) = x^a, I_x(1, b) = 1 - (1 - x)^b, and I_x(a, b) = 1 - I_(1-x)(b, a): DLMF 8.17.
TEST(Betainc, IsAPowerWhereAParameterIsOne) {
  for (float x : {0.01f, 0.3f, 0.5f, 0.99f}) {
    EXPECT_NEAR(value(2.5f, 1, x), std::pow(x, 2.5f), 2e-6f);
    EXPECT_NEAR(value(1, 2.5f, x), 1 - std::pow(1 - x, 2.5f), 2e-6f);
    EXPECT_NEAR(value(2.5f, 4, x) + value(4, 2.5f, 1 - x), 1, 2e-6f);
  }
}

TEST(Betainc, DerivativesInAllParametersAreThoseOfDifferences) {
  const auto at = [](double a, double b, double x) {
    return betainc(numpy::astype(a, ElementType::kF32), numpy::astype(b, ElementType::kF32),
                   numpy::astype(x, ElementType::kF32));
  };
  const Array a = Array(2.5f), b = Array(1.5f), x = Array(0.4f);
  const auto [da, db, dx] = grad<0, 1, 2>([](Array p, Array q, Array t) { return betainc(p, q, t); })(a, b, x);
  const auto slope = [&](double in_a, double in_b, double in_x) {
    constexpr double kStep = 0.02;
    const Array up = at(2.5 + kStep * in_a, 1.5 + kStep * in_b, 0.4 + kStep * in_x);
    const Array down = at(2.5 - kStep * in_a, 1.5 - kStep * in_b, 0.4 - kStep * in_x);
    return (up.item<float>() - down.item<float>()) / (2 * kStep);
  };
  EXPECT_NEAR(da.item<float>(), slope(1, 0, 0), 3e-4);
  EXPECT_NEAR(db.item<float>(), slope(0, 1, 0), 3e-4);
  EXPECT_NEAR(dx.item<float>(), slope(0, 0, 1), 1e-3);
}

TEST(Betainc, HalfFloatsEmptyArraysJitAndVmap) {
  const Array half = numpy::array({0.5f, 0.25f}).astype(ElementType::kBf16);
  EXPECT_EQ(betainc(half, half, half).dtype(), ElementType::kBf16);
  EXPECT_EQ(betainc(numpy::zeros({0}), numpy::zeros({0}), numpy::zeros({0})).size(), 0);
  const Array a = numpy::array({0.5f, 2.0f, 7.0f}), x = numpy::array({0.25f, 0.5f, 0.75f});
  const Array all = betainc(a, a, x);
  const auto f = [](Array p, Array t) { return betainc(p, p, t); };
  EXPECT_TRUE(numpy::array_equal(vmap(f)(a, x), all).item<bool>());
  EXPECT_LT(numpy::max(numpy::abs(jit(f)(a, x) - all)).item<float>(), 1e-6f);
}

TEST(Betainc, RefusesOtherTypesAndTypesThatDiffer) {
  const Array i = numpy::array({1, 2}), f = numpy::array({1.0f, 2.0f});
  const std::string message = error_of([&] { betainc(f, f, i); }, StatusCode::kInvalidArgument);
  EXPECT_NE(message.find("betainc"), std::string::npos);
  EXPECT_NE(message.find("wanted floats of one type; got f32[2], f32[2], s32[2]"), std::string::npos) << message;
}

}  // namespace
}  // namespace hilo::lax
