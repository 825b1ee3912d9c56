// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/special/hypergeometric.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/vmap.h"
#include "tests/support/error_of.h"

namespace hilo::scipy::special {
namespace {

float kummer(double a, double b, double x) { return hyp1f1(a, b, x).item<float>(); }
float gauss(double a, double b, double c, double x) { return hyp2f1(a, b, c, x).item<float>(); }
void expect_close(float got, double wanted, double tolerance = 2e-5) {
  EXPECT_NEAR(got, wanted, tolerance * (1e-30 + std::abs(wanted)));
}

// DLMF 13.6.1, 13.6.2, 13.6.7
TEST(Hyp1f1, IsWhatItIsInClosedForm) {
  for (double x : {-90.0, -5.0, -0.5, 0.25, 3.0, 60.0}) {
    expect_close(kummer(1.5, 1.5, x), std::exp(x));
    expect_close(kummer(1, 2, x), std::expm1(x) / x);
    expect_close(kummer(-1, 2, x), 1 - x / 2);
  }
  for (double x : {0.25, 2.0, 9.0})
    expect_close(kummer(0.5, 1.5, -x * x), std::sqrt(std::numbers::pi) / (2 * x) * std::erf(x));
}

TEST(Hyp1f1, EndsInfinityAndNan) {
  EXPECT_EQ(kummer(0, 0, 2), 1);
  EXPECT_EQ(kummer(0, 3, 5), 1);
  EXPECT_EQ(kummer(1, 0, 2), INFINITY);
  EXPECT_EQ(kummer(1, -2, 2), INFINITY);
  EXPECT_EQ(kummer(2.5, 1, 0), 1);
  expect_close(kummer(-1, -2, 3), 1 + 1.5);  // the series ends before a division by 0
  EXPECT_TRUE(std::isnan(kummer(NAN, 1, 1)));
  EXPECT_TRUE(std::isnan(kummer(1, NAN, 1)));
  EXPECT_TRUE(std::isnan(kummer(0, 1, NAN)));
}

// DLMF 15.4.1, 15.4.3, 15.4.4, 15.4.6
TEST(Hyp2f1, IsWhatItIsInClosedForm) {
  for (double x : {-50.0, -3.0, -0.5, 0.25, 0.8, 0.95, 0.99}) {
    expect_close(gauss(1, 1, 2, x), -std::log1p(-x) / x);
    expect_close(gauss(0.75, 1.5, 1.5, x), std::pow(1 - x, -0.75));
    expect_close(gauss(-2, 1.5, 0.5, x), 1 - 6 * x + 5 * x * x, 1e-4);
  }
  for (double x : {0.3, 0.9, 0.98}) {
    expect_close(gauss(0.5, 0.5, 1.5, x * x), std::asin(x) / x);
    expect_close(gauss(0.5, 1, 1.5, x * x), std::log((1 + x) / (1 - x)) / (2 * x));
  }
}

TEST(Hyp2f1, EndsInfinityAndNan) {
  EXPECT_EQ(gauss(1, 2, 3, 0), 1);
  EXPECT_EQ(gauss(0, 2, 3, 0.5), 1);
  EXPECT_EQ(gauss(1, 2, 0, 0.5), INFINITY);
  EXPECT_EQ(gauss(1, 2, -1, 0.5), INFINITY);
  EXPECT_EQ(gauss(1, 2, 3, 1), INFINITY);
  EXPECT_EQ(gauss(1, 2, 3, 1.5), INFINITY);
  expect_close(gauss(1, 2, 4, 1), 3);        // gamma(4) gamma(1) / (gamma(3) gamma(2))
  expect_close(gauss(-2, 1.5, 0.5, 3), 28);  // a polynomial, so defined everywhere
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(std::isnan(gauss(i == 0 ? NAN : 1, i == 1 ? NAN : 1, i == 2 ? NAN : 2, i == 3 ? NAN : 0.5))) << i;
}

/// The derivative with respect to argument `at`, compared with finite differences.
template <size_t kCount>
double difference(const std::array<double, kCount>& x, size_t at) {
  const auto value = [&](double step) {
    std::array<double, kCount> moved = x;
    moved[at] += step;
    if constexpr (kCount == 3) return static_cast<double>(kummer(moved[0], moved[1], moved[2]));
    else return static_cast<double>(gauss(moved[0], moved[1], moved[2], moved[3]));
  };
  return (8 * (value(0.02) - value(-0.02)) - (value(0.04) - value(-0.04))) / (12 * 0.02);
}

TEST(Hyp1f1, DerivativesAreThoseOfDifferences) {
  for (const std::array<double, 3>& x :
       {std::array{1.5, 2.5, 1.25}, {0.0, 1.5, 0.75}, {-1.0, 2.0, 1.5}, {2.0, 3.0, -2.0}}) {
    const auto [a, b, at] = grad<0, 1, 2>([](Array p, Array q, Array t) { return hyp1f1(p, q, t); })(
        static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]));
    EXPECT_NEAR(a.item<float>(), difference(x, 0), 2e-3) << x[0];
    EXPECT_NEAR(b.item<float>(), difference(x, 1), 2e-3) << x[0];
    EXPECT_NEAR(at.item<float>(), difference(x, 2), 2e-3) << x[0];
  }
}

TEST(Hyp2f1, DerivativesAreThoseOfDifferences) {
  for (const std::array<double, 4>& x :
       {std::array{1.5, 0.5, 2.5, 0.25}, {0.0, 1.5, 2.0, 0.5}, {1.25, 0.75, 2.5, -0.75}, {0.5, 0.75, 3.25, 0.93}}) {
    const auto [a, b, c, at] = grad<0, 1, 2, 3>([](Array p, Array q, Array r, Array t) { return hyp2f1(p, q, r, t); })(
        static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]), static_cast<float>(x[3]));
    EXPECT_NEAR(a.item<float>(), difference(x, 0), 2e-3) << x[3];
    EXPECT_NEAR(b.item<float>(), difference(x, 1), 2e-3) << x[3];
    EXPECT_NEAR(c.item<float>(), difference(x, 2), 2e-3) << x[3];
    EXPECT_NEAR(at.item<float>(), difference(x, 3), 2e-3) << x[3];
  }
}

TEST(Hyp2f1, WhereTheSumIsInfiniteAtOneItsDerivativesAreToo) {
  const auto f = [](Array a, Array b, Array c, Array x) { return hyp2f1(a, b, c, x); };
  EXPECT_EQ(gauss(5, 1, 3, 1), INFINITY);
  const auto [a, b, c] = grad<0, 1, 2>(f)(5.0f, 1.0f, 3.0f, 1.0f);
  EXPECT_EQ(a.item<float>(), INFINITY);
  EXPECT_EQ(b.item<float>(), INFINITY);
  EXPECT_EQ(c.item<float>(), -INFINITY);
  // The derivative with respect to x diverges faster.
  const auto [beside_a, in_x] = grad<0, 3>(f)(5.0f, 1.0f, 3.0f, 1.0f);
  EXPECT_EQ(beside_a.item<float>(), 0);
  EXPECT_EQ(in_x.item<float>(), INFINITY);
  // Finite at 1: the derivative of gamma(c) gamma(c - a - b) / (gamma(c - a) gamma(c - b)).
  const float slope = grad(f)(0.5f, 1.0f, 4.0f, 1.0f).item<float>();
  EXPECT_NEAR(slope, (gauss(0.501, 1, 4, 1) - gauss(0.499, 1, 4, 1)) / 0.002, 1e-3);
}

TEST(Hyp2f1, BroadcastsTakesHalfFloatsAndIntegersAndTransforms) {
  const Array a = numpy::array({1, 2, 3}), x = numpy::array({{0.25f}, {0.5f}});
  const Array all = hyp2f1(a, 1.5f, 2, x);
  EXPECT_EQ(all.aval_shape(), numpy::zeros({2, 3}).aval_shape());
  EXPECT_LT(
      numpy::max(numpy::abs(jit([](Array p, Array t) { return hyp2f1(p, 1.5f, 2, t); })(a, x) - all)).item<float>(),
      1e-5f);
  const Array rows = vmap([&](Array t) { return hyp2f1(a, 1.5f, 2, t); })(x);
  EXPECT_LT(numpy::max(numpy::abs(rows - all)).item<float>(), 1e-5f);
  EXPECT_EQ(hyp1f1(numpy::ones({2}, ElementType::kF16), 2.0, 0.5).dtype(), ElementType::kF16);
  EXPECT_EQ(hyp1f1(numpy::zeros({0}), 2.0, 0.5).size(), 0);
  error_of([] { hyp1f1(std::complex<float>(1, 1), 2.0, 0.5); }, StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hilo::scipy::special
