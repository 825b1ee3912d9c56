// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/merge_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hilo::hlo {
namespace {

TEST(MergeSort, KeepsTheOrderOfEquals) {
  for (size_t n = 0; n < 70; ++n) {
    std::vector<std::pair<int, int>> items;
    for (size_t i = 0; i < n; ++i) items.emplace_back(static_cast<int>(i * 37 % 5), static_cast<int>(i));
    auto wanted = items;
    std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    merge_sort(std::span(items), [](const auto& a, const auto& b) { return a.first < b.first; });
    EXPECT_EQ(items, wanted) << n;
  }
}

TEST(MergeSort, PermutesWhateverTheComparatorSays) {
  for (const bool answer : {false, true}) {
    std::vector<int> items(53), wanted(53);
    std::iota(items.begin(), items.end(), 0);
    wanted = items;
    merge_sort(std::span(items), [&](int, int) { return answer; });
    std::ranges::sort(items);
    EXPECT_EQ(items, wanted);
  }
}

TEST(MergeSort, LeavesNaNWhereItStopsOthers) {
  const float nan = std::nanf("");
  std::vector<float> items = {3, nan, 1, 2};
  merge_sort(std::span(items), [](float a, float b) { return a < b; });
  EXPECT_EQ(items[0], 1);
  EXPECT_EQ(items[1], 2);
  EXPECT_EQ(items[2], 3);
  EXPECT_TRUE(std::isnan(items[3]));
}

}  // namespace
}  // namespace hilo::hlo
