// SPDX-License-Identifier: Apache-2.0
// jax.scipy's functions beside JAX's values.
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/scipy/scipy.h"
#include "hilo/transform/grad.h"
#include "tests/support/golden.h"

namespace hilo::scipy {
namespace {

/// The derivative of an elementwise function at each element.
template <typename F>
Array slope_of(const F& f, const Array& x) {
  return jvp(f, std::tuple(x), std::tuple(numpy::ones_like(x))).second;
}

// What rows hand to solvers; tests/golden/record_scipy.py has them in Python.
Array banana(const Array& x) { return 10.0 * numpy::square(x[1] - numpy::square(x[0])) + numpy::square(1.0 - x[0]); }
Array bowl(const Array& x) { return numpy::sum(numpy::cosh(x - 1.0)) + 0.5 * numpy::square(numpy::sum(x)); }
Array decay(const Array& z) {
  return numpy::array({2.0, 1.3, 0.7, 0.5}) - z[0] * numpy::exp(-z[1] * numpy::arange(4.0));
}
Array model(const Array& x, const Array& z) { return z[0] * numpy::cos(0.5 * x) + z[1]; }
Array circle_and_line(const Array& z) {
  return numpy::stack({numpy::square(z[0]) + numpy::square(z[1]) - 4.0, z[0] - z[1] - 1.0});
}
Array wave(const Array& x) { return numpy::cos(x) - 0.5 * x; }
Array pendulum(const Array& y, const Array& t) { return numpy::stack({y[1], -9.81 * numpy::sin(y[0]) - 0.1 * t}); }
Array pendulum_at(const Array& t, const Array& y) { return pendulum(y, t); }

/// 1e-5 of the value and 2e-6 of the greatest: what the two f32 programs may differ by.
void expect_near(const char* expression, const Array& result, const std::vector<double>& wanted) {
  const std::vector<double> got = result.to_vector<double>();
  ASSERT_EQ(got.size(), wanted.size()) << expression;
  double greatest = 0;
  for (double w : wanted)
    if (std::isfinite(w)) greatest = std::max(greatest, std::abs(w));
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(wanted[i])) EXPECT_TRUE(std::isnan(got[i])) << expression << ", " << i << ": " << got[i];
    else if (std::isinf(wanted[i])) EXPECT_EQ(got[i], wanted[i]) << expression << ", " << i;
    else EXPECT_NEAR(got[i], wanted[i], 1e-5 * std::abs(wanted[i]) + 2e-6 * greatest) << expression << ", " << i;
  }
}

#define NEAR(values, ...) expect_near(#__VA_ARGS__, __VA_ARGS__, values);
TEST(Golden, ValuesAndDerivativesAreThoseOfJax) {
#include "golden.inc"
}

}  // namespace
}  // namespace hilo::scipy
