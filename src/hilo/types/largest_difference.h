// SPDX-License-Identifier: Apache-2.0
// types/largest_difference.h -- what is said of two arrays that differ: how many elements, the worst, and by how much.
#pragma once

#include <cstdint>
#include <string>

#include "hilo/types/literal.h"

namespace hilo {

/// Counts elements that differ, and keeps the worst of them.
struct LargestDifference {
  int64_t wrong = 0, index = -1;
  double largest = -1;

  /// Element `at` differs by `gap`, where what isn't finite is the worst there is. Whether it is the worst so far.
  bool add(int64_t at, double gap);
  bool found() const { return wrong != 0; }
  /// "f32[4]: 2 of 4 elements differ; largest difference 0.5 at [3]: got 1, wanted 1.5".
  /// Precondition: found(), in arrays of one shape
  std::string to_string(const Literal& actual, const Literal& expected) const;
};

}  // namespace hilo
