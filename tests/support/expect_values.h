// SPDX-License-Identifier: Apache-2.0
// tests/support/expect_values.h -- compares the elements of an array with expected f32 values.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "hilo/array/array.h"

namespace hilo {

/// NaN equals any NaN.
inline void expect_values(const Array& got, const std::vector<float>& wanted) {
  const std::vector<float> values = got.to_vector<float>();
  ASSERT_EQ(values.size(), wanted.size()) << got.to_string();
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(wanted[i])) EXPECT_TRUE(std::isnan(values[i])) << got.to_string();
    else EXPECT_FLOAT_EQ(values[i], wanted[i]) << got.to_string();
  }
}

}  // namespace hilo
