// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/introsort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace hilo::hlo {
namespace {

/// Positions, sorted by their keys.
std::vector<int> order_of(const std::vector<int>& keys) {
  std::vector<int> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  introsort(std::span(order),
            [&](int a, int b) { return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)]; });
  return order;
}

TEST(Introsort, SortsAnyLengthAndAnyNumberOfEqualKeys) {
  std::mt19937 random(1);
  for (const size_t n : {0, 1, 2, 15, 16, 17, 33, 1000}) {
    for (const int values : {1, 2, 7, 100000}) {
      std::vector<int> keys(n);
      for (int& key : keys) key = static_cast<int>(random() % static_cast<unsigned>(values));
      std::vector<int> sorted;
      for (int position : order_of(keys)) sorted.push_back(keys[static_cast<size_t>(position)]);
      std::sort(keys.begin(), keys.end());
      EXPECT_EQ(sorted, keys) << n << " keys of " << values << " values";
    }
  }
}

#if defined(__GLIBCXX__)
TEST(Introsort, LeavesEqualElementsWhereTheStandardLibraryDoes) {
  std::mt19937 random(2);
  for (const size_t n : {16, 17, 40, 1000}) {
    std::vector<int> keys(n), order(n);
    for (int& key : keys) key = static_cast<int>(random() % 5);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)]; });
    EXPECT_EQ(order_of(keys), order) << n;
  }
}
#endif

TEST(Introsort, StaysInBoundsWhereTheComparatorIsNoOrder) {
  for (const size_t n : {17, 40, 200}) {
    std::vector<int> items(n);
    std::iota(items.begin(), items.end(), 0);
    introsort(std::span(items), [](int, int) { return true; });
    std::sort(items.begin(), items.end());
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(items[i], static_cast<int>(i)) << "an element was lost";
  }
}

TEST(Introsort, TurnsToAHeapWhereEveryPivotIsBad) {
  // In an organ pipe with equal neighbours, the median of three is always the smallest element.
  std::vector<int> keys;
  for (int i = 0; i < 2000; ++i) keys.push_back(i < 1000 ? i : 2000 - i);
  const std::vector<int> order = order_of(keys);
  for (size_t i = 1; i < order.size(); ++i)
    EXPECT_LE(keys[static_cast<size_t>(order[i - 1])], keys[static_cast<size_t>(order[i])]);
}

}  // namespace
}  // namespace hilo::hlo
