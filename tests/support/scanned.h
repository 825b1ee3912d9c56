// SPDX-License-Identifier: Apache-2.0
// tests/support/scanned.h -- shared by tests of custom rules: a function within a loop, and approximate comparisons.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "hilo/lax/control_flow.h"

namespace hilo {

/// f as the step of a scan with one iteration.
template <typename F>
Array scanned(const F& f, const Array& x) {
  return lax::scan([&](Array c, std::nullopt_t) { return std::pair(f(c), std::tuple<>()); }, x, std::nullopt, 1).first;
}

inline void expect_near(const Array& got, const Array& wanted, double tolerance = 1e-6) {
  ASSERT_EQ(got.size(), wanted.size());
  const std::vector<double> a = got.to_vector<double>(), b = wanted.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::abs(b[i])));
}

}  // namespace hilo
