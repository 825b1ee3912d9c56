// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/assignment.h"

#include <gtest/gtest.h>

#include <random>

namespace hilo::engine {
namespace {

using Offsets = std::vector<int64_t>;

Assignment assigned(std::vector<LiveRange> ranges) { return assign_offsets(ranges); }

TEST(Assignment, MemoryIsUsedAgainOnceItIsFree) {
  const Assignment chain = assigned({{100, 0, 1}, {100, 1, 2}, {100, 2, 3}});
  EXPECT_EQ(chain.offsets, (Offsets{0, 128, 0}));
  EXPECT_EQ(chain.bytes, 256);
}

TEST(Assignment, TheSmallestHoleThatFitsIsTaken) {
  // A large and a small hole are free when the last value is placed.
  const Assignment a = assigned({{1024, 0, 1}, {64, 0, 9}, {128, 0, 1}, {64, 0, 9}, {100, 2, 3}});
  EXPECT_EQ(a.offsets, (Offsets{0, 1024, 1088, 1216, 1088}));
  EXPECT_EQ(a.bytes, 1280);
}

TEST(Assignment, NeighbouringHolesAreOne) {
  const Assignment a = assigned({{64, 0, 1}, {64, 0, 2}, {64, 0, 9}, {128, 3, 4}});
  EXPECT_EQ(a.offsets, (Offsets{0, 64, 128, 0}));
  EXPECT_EQ(a.bytes, 192);
}

TEST(Assignment, NothingTakesAPlaceToo) {
  const Assignment a = assigned({{0, 0, 5}, {0, 0, 5}});
  EXPECT_EQ(a.offsets, (Offsets{0, 64}));
  EXPECT_EQ(assigned({}).bytes, 0);
}

TEST(Assignment, WhatIsNeverNeededTakesNone) { EXPECT_EQ(assigned({{100, 3, 2}, {64, 4, 5}}).bytes, 64); }

TEST(Assignment, StretchesOfOneTimeNeverOverlap) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<LiveRange> ranges;
    for (int k = 0; k < 40; ++k) {
      const int64_t begin = random() % 30;
      ranges.push_back({static_cast<int64_t>(random() % 1000), begin, begin + static_cast<int64_t>(random() % 10)});
    }
    const Assignment a = assign_offsets(ranges);
    for (size_t i = 0; i < ranges.size(); ++i) {
      EXPECT_EQ(a.offsets[i] % 64, 0);
      EXPECT_LE(a.offsets[i] + ranges[i].bytes, a.bytes);
      for (size_t j = 0; j < i; ++j) {
        const bool together = ranges[i].begin <= ranges[j].end && ranges[j].begin <= ranges[i].end;
        const bool apart = a.offsets[i] + std::max<int64_t>(ranges[i].bytes, 1) <= a.offsets[j] ||
                           a.offsets[j] + std::max<int64_t>(ranges[j].bytes, 1) <= a.offsets[i];
        EXPECT_TRUE(!together || apart) << i << " and " << j;
      }
    }
  }
}

}  // namespace
}  // namespace hilo::engine
