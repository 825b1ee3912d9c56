// SPDX-License-Identifier: Apache-2.0
#include "hilo/scipy/special/bessel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"

namespace hilo::scipy::special {
namespace {

double derivative(int order, double x) {  // of std::cyl_bessel_j
  const double above = std::cyl_bessel_j(order + 1, x);
  return order == 0 ? -above : 0.5 * (std::cyl_bessel_j(order - 1, x) - above);
}

TEST(Bessel, TheDerivativeIsThatOfTheOrdersBesideIt) {
  for (const double x : {0.05, 0.3, 1.0, 7.5}) {
    for (const int order : {0, 1, 4}) {
      const auto f = [&](const Array& z) { return bessel_jn(z, {.v = 4, .n_iter = 40})[order]; };
      const double wanted = derivative(order, x);
      EXPECT_NEAR(grad(f)(Array(static_cast<float>(x))).item<double>(), wanted, 2e-6 * std::max(1.0, std::abs(wanted)));
    }
  }
}

TEST(Bessel, TheSecondDerivativeObeysTheEquation) {
  const auto f = [](const Array& z) { return bessel_jn(z, {.v = 2, .n_iter = 40})[2]; };
  const float x = 1.3f, j = f(x).item<float>(), d = grad(f)(Array(x)).item<float>();
  const float second = grad(grad(f))(Array(x)).item<float>();
  EXPECT_NEAR(x * x * second + x * d + (x * x - 4) * j, 0, 1e-5);
}

}  // namespace
}  // namespace hilo::scipy::special
