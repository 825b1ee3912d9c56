// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

namespace hilo::sparse_direct {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
using Dense = std::vector<std::vector<double>>;  // costs [column][row]

CostedColumns sparse(const Dense& dense) {
  CostedColumns out{{0}, {}, {}};
  for (const auto& column : dense) {
    for (size_t i = 0; i < column.size(); ++i) {
      if (column[i] == kNone) continue;
      out.row.push_back(static_cast<int32_t>(i));
      out.cost.push_back(column[i]);
    }
    out.begin.push_back(std::ssize(out.row));
  }
  return out;
}

/// The best number of pairs, and their least cost, by trying all permutations.
std::pair<int, double> best_of_all(const Dense& dense) {
  std::vector<int32_t> rows(dense.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::pair<int, double> best{-1, 0};
  do {
    int pairs = 0;
    double cost = 0;
    for (size_t j = 0; j < dense.size(); ++j) {
      if (dense[j][rows[j]] == kNone) continue;
      ++pairs;
      cost += dense[j][rows[j]];
    }
    if (pairs > best.first || (pairs == best.first && cost < best.second)) best = {pairs, cost};
  } while (std::ranges::next_permutation(rows).found);
  return best;
}

TEST(Matching, IsTheBestOfAllPermutations) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 400; ++trial) {
    const size_t size = 1 + random() % 6;
    Dense dense(size, std::vector<double>(size, kNone));
    for (auto& column : dense) {
      for (double& cost : column) {
        if (random() % 2 == 0) cost = static_cast<double>(random() % 8);
      }
    }
    const std::vector<int32_t> rows = least_cost_rows(sparse(dense));
    std::vector<bool> used(size, false);
    int pairs = 0;
    double cost = 0;
    for (size_t j = 0; j < size; ++j) {
      if (rows[j] < 0) continue;
      EXPECT_FALSE(used[rows[j]]);
      used[rows[j]] = true;
      ASSERT_NE(dense[j][rows[j]], kNone);
      ++pairs;
      cost += dense[j][rows[j]];
    }
    const auto [most, least] = best_of_all(dense);
    EXPECT_EQ(pairs, most) << trial;
    if (pairs < static_cast<int>(size)) continue;
    EXPECT_EQ(cost, least) << trial;
  }
}

TEST(Matching, KeepsTheDiagonalIfItIsFree) {
  const Dense dense = {{0, 0, 1}, {0, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(least_cost_rows(sparse(dense)), (std::vector<int32_t>{0, 1, 2}));
}

TEST(Matching, FollowsLongPaths) {
  // Column j has rows j and j + 1; the last has row 0 only: all others have to move.
  constexpr int32_t kSize = 2000;
  CostedColumns columns{{0}, {}, {}};
  for (int32_t j = 0; j < kSize; ++j) {
    if (j + 1 < kSize) columns.row.insert(columns.row.end(), {j, j + 1});
    else columns.row.push_back(0);
    columns.begin.push_back(std::ssize(columns.row));
  }
  columns.cost.assign(columns.row.size(), 0);
  const std::vector<int32_t> rows = least_cost_rows(columns);
  for (int32_t j = 0; j + 1 < kSize; ++j) ASSERT_EQ(rows[j], j + 1);
  EXPECT_EQ(rows.back(), 0);
}

}  // namespace
}  // namespace hilo::sparse_direct
