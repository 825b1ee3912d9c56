// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/fronts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace hilo::sparse_direct {
namespace {

std::vector<int32_t> numbers(size_t count) {
  std::vector<int32_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The later vertices that each vertex is connected to when it is eliminated, by the definition.
std::vector<std::set<int32_t>> filled(const Graph& graph, const std::vector<int32_t>& order) {
  std::vector<int32_t> place(order.size());
  for (size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<int32_t>(k);
  std::vector<std::set<int32_t>> below(order.size());
  for (size_t v = 0; v < graph.size(); ++v) {
    for (const int32_t w : graph[v]) {
      if (place[w] > place[v]) below[place[v]].insert(place[w]);
    }
  }
  for (size_t k = 0; k < below.size(); ++k) {
    if (below[k].empty()) continue;
    const int32_t next = *below[k].begin();
    for (const int32_t row : below[k]) {
      if (row != next) below[next].insert(row);
    }
  }
  return below;
}

void expect_fronts(const Graph& graph, const std::vector<int32_t>& mate, std::vector<int32_t> order) {
  const std::vector<Front> fronts = order_fronts(graph, mate, order);
  std::vector<int32_t> sorted = order;
  std::ranges::sort(sorted);
  ASSERT_EQ(sorted, numbers(graph.size()));
  const std::vector<std::set<int32_t>> below = filled(graph, order);
  int32_t next = 0;
  for (size_t f = 0; f < fronts.size(); ++f) {
    const Front& front = fronts[f];
    ASSERT_FALSE(front.columns.empty());
    EXPECT_TRUE(std::ranges::is_sorted(front.rows));
    EXPECT_TRUE(front.parent == -1 || front.parent > static_cast<int32_t>(f));
    EXPECT_EQ(front.parent == -1, front.rows.empty());
    for (const int32_t column : front.columns) {
      EXPECT_EQ(column, next++);               // consecutive
      for (const int32_t row : below[column])  // there is memory for each filled element
        EXPECT_TRUE(std::ranges::count(front.columns, row) + std::ranges::count(front.rows, row) == 1) << column;
    }
  }
  EXPECT_EQ(next, static_cast<int32_t>(graph.size()));
}

TEST(OrderFronts, ACliqueIsOneFront) {
  const Graph clique = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
  std::vector<int32_t> order = numbers(4);
  const std::vector<Front> fronts = order_fronts(clique, std::vector<int32_t>(4, -1), order);
  ASSERT_EQ(fronts.size(), 1u);
  EXPECT_EQ(fronts[0].columns.size(), 4u);
  EXPECT_TRUE(fronts[0].rows.empty());
}

TEST(OrderFronts, VerticesWithoutEdgesAreRoots) {
  expect_fronts({{}, {}, {}}, {-1, -1, -1}, {2, 0, 1});
  expect_fronts({}, {}, {});
}

TEST(OrderFronts, HoldTheFillOfRandomGraphs) {
  std::mt19937 random(3);
  for (int drawn = 0; drawn < 200; ++drawn) {
    const size_t count = 1 + random() % 40;
    Graph graph(count);
    for (size_t edge = random() % (2 * count); edge-- > 0;) {
      const auto a = static_cast<int32_t>(random() % count), b = static_cast<int32_t>(random() % count);
      if (a == b || std::ranges::count(graph[a], b) != 0) continue;
      graph[a].push_back(b);
      graph[b].push_back(a);
    }
    for (auto& neighbours : graph) std::ranges::sort(neighbours);
    std::vector<int32_t> order = numbers(count);
    std::ranges::shuffle(order, random);
    expect_fronts(graph, std::vector<int32_t>(count, -1), order);
  }
}

}  // namespace
}  // namespace hilo::sparse_direct
