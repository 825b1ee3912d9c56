// SPDX-License-Identifier: Apache-2.0
// tests/support/near.h -- compares an expression with JAX's values, with a tolerance for differences in the last
// digits.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/numpy/numpy.h"
#include "hilo/transform/grad.h"
#include "tests/support/golden.h"

namespace hilo {

/// The derivative of f at x along ones; for an elementwise function the derivative at each element.
template <typename F>
Array slope_of(const F& f, const Array& x) {
  return jvp(f, std::tuple(x), std::tuple(numpy::ones_like(x))).second;
}

/// The tolerance of two f32 programs: 1e-5 of the value and 2e-6 of the maximum.
inline void expect_near(const char* expression, const Array& result, const std::vector<double>& wanted) {
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

}  // namespace hilo

#define NEAR(values, ...) expect_near(#__VA_ARGS__, __VA_ARGS__, values);
