// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/components.h"

#include <gtest/gtest.h>

#include <random>

namespace hilo::sparse_direct {
namespace {

using Successors = std::vector<std::vector<int32_t>>;

TEST(Components, AreThoseOfMutualReach) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const auto size = static_cast<int32_t>(1 + random() % 25);
    Successors successors(size);
    std::vector<std::vector<bool>> reach(size, std::vector<bool>(size, false));
    for (int32_t v = 0; v < size; ++v) reach[v][v] = true;
    for (size_t e = random() % (2 * size); e > 0; --e) {
      const auto from = static_cast<int32_t>(random() % size), to = static_cast<int32_t>(random() % size);
      successors[from].push_back(to);
      reach[from][to] = true;
    }
    for (int32_t k = 0; k < size; ++k) {
      for (int32_t i = 0; i < size; ++i) {
        for (int32_t j = 0; j < size; ++j) reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
      }
    }
    const std::vector<int32_t> component = strong_components(successors);
    for (int32_t i = 0; i < size; ++i) {
      for (int32_t j = 0; j < size; ++j) {
        EXPECT_EQ(component[i] == component[j], reach[i][j] && reach[j][i]);
        EXPECT_TRUE(!reach[i][j] || component[i] <= component[j]);
      }
    }
  }
}

TEST(Components, LongPathsNeedNoRecursion) {
  constexpr int32_t kSize = 1'000'000;
  Successors path(kSize);
  for (int32_t v = 0; v + 1 < kSize; ++v) path[v] = {v + 1};
  EXPECT_EQ(strong_components(path).back(), kSize - 1);
  path.back() = {0};
  EXPECT_EQ(strong_components(path).back(), 0);
}

TEST(Components, OfNothing) { EXPECT_TRUE(strong_components({}).empty()); }

}  // namespace
}  // namespace hilo::sparse_direct
