// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/regions.h"

#include <gtest/gtest.h>

namespace hilo::engine {
namespace {

Guard guard_of(int64_t constant, int64_t step, int64_t low, int64_t high) {
  return {plus(IndexExpr::dimension(0) * step, constant), low, high};
}

/// Compares with a test of each index.
TEST(Regions, RangeIsWhereTheGuardHolds) {
  const int64_t extents[] = {20};
  for (int64_t constant : {-25, -7, 0, 3, 30}) {
    for (int64_t step : {-3, -1, 1, 2, 5}) {
      for (const auto& [low, high] : {std::pair<int64_t, int64_t>{0, 10}, {-5, 3}, {7, 7}, {0, 100}}) {
        const std::optional<GuardRange> range = range_of(guard_of(constant, step, low, high), extents);
        ASSERT_TRUE(range);
        for (int64_t i = 0; i < extents[0]; ++i) {
          const int64_t index = constant + step * i;
          EXPECT_EQ(low <= index && index < high, range->first <= i && i < range->end)
              << constant << " + " << step << " * " << i << " in [" << low << ", " << high << ")";
        }
      }
    }
  }
}

TEST(Regions, NoRangeOfSeveralDimensionsOrOfNumbersKnownAtRunTime) {
  const int64_t extents[] = {20, 20};
  Guard both = guard_of(0, 1, 0, 5);
  both.index = both.index + IndexExpr::dimension(1);
  EXPECT_FALSE(range_of(both, extents));
  Guard at_run_time = guard_of(0, 1, 0, 5);
  at_run_time.index.terms.push_back({0, 1});
  EXPECT_FALSE(range_of(at_run_time, extents));
}

}  // namespace
}  // namespace hilo::engine
