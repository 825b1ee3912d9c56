// SPDX-License-Identifier: Apache-2.0
// types/largest_difference.h -- the difference of two arrays: number of different elements, and the largest difference.
#pragma once

#include <cstdint>
#include <string>

#include "hilo/types/literal.h"

namespace hilo {

/// Counts different elements, and stores the one that differs most.
struct LargestDifference {
  int64_t wrong = 0, index = -1;
  double largest = -1;

  /// Adds element `at` with difference `gap`; a difference that isn't finite counts as largest. Returns whether it is
  /// the largest so far.
  bool add(int64_t at, double gap);
  bool found() const { return wrong != 0; }
  /// "f32[4]: 2 of 4 elements differ; largest difference 0.5 at [3]: got 1, wanted 1.5".
  /// Precondition: found(), in arrays of one shape
  std::string to_string(const Literal& actual, const Literal& expected) const;
};

}  // namespace hilo
