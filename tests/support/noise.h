// SPDX-License-Identifier: Apache-2.0
// tests/support/noise.h -- random arrays, and comparisons of arrays with expected ones.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hilo/random/random.h"

namespace hilo::tests {

inline std::vector<float> flat(const Array& x) { return x.to_vector<float>(); }

/// Floats between -1 and 1.
inline Array noise(int seed, std::vector<int64_t> shape) {
  return random::uniform(random::key(seed), Dimensions(shape)) * 2.0f - 1.0f;
}

/// The tolerance is relative, and absolute for numbers below 1.
inline void expect_close(const Array& got, const Array& wanted, float tolerance = 1e-6f) {
  ASSERT_EQ(got.aval_shape(), wanted.aval_shape());
  const std::vector<float> a = flat(got), b = flat(wanted);
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance * std::max(1.0f, std::abs(b[i]))) << i;
}

}  // namespace hilo::tests
