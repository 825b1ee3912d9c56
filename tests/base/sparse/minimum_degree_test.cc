// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/minimum_degree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace hilo::sparse_direct {
namespace {

Graph graph_of(int32_t size, const std::vector<std::pair<int32_t, int32_t>>& edges) {
  std::vector<std::set<int32_t>> sets(size);
  for (const auto& [a, b] : edges) {
    if (a == b) continue;
    sets[a].insert(b);
    sets[b].insert(a);
  }
  Graph graph;
  for (const auto& set : sets) graph.emplace_back(set.begin(), set.end());
  return graph;
}

Graph grid(int32_t side) {
  std::vector<std::pair<int32_t, int32_t>> edges;
  for (int32_t y = 0; y < side; ++y) {
    for (int32_t x = 0; x < side; ++x) {
      if (x + 1 < side) edges.emplace_back(y * side + x, y * side + x + 1);
      if (y + 1 < side) edges.emplace_back(y * side + x, y * side + x + side);
    }
  }
  return graph_of(side * side, edges);
}

/// The number of edges that elimination in this order adds.
int64_t fill(const Graph& graph, const std::vector<int32_t>& order) {
  std::vector<std::set<int32_t>> left;
  for (const auto& list : graph) left.emplace_back(list.begin(), list.end());
  int64_t added = 0;
  for (int32_t v : order) {
    for (int32_t a : left[v]) {
      left[a].erase(v);
      for (int32_t b : left[v]) added += a < b && left[a].insert(b).second && left[b].insert(a).second;
    }
  }
  return added;
}

bool is_permutation(std::vector<int32_t> order, size_t size) {
  std::ranges::sort(order);
  std::vector<int32_t> all(size);
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

TEST(MinimumDegree, TreesAndBandsDontFill) {
  for (int32_t size : {0, 1, 2, 17, 300}) {
    std::vector<std::pair<int32_t, int32_t>> path, star, tree;
    for (int32_t v = 1; v < size; ++v) {
      path.emplace_back(v - 1, v);
      star.emplace_back(0, v);
      tree.emplace_back((v - 1) / 3, v);
    }
    for (const auto& edges : {path, star, tree}) {
      const Graph graph = graph_of(size, edges);
      const std::vector<int32_t> order = minimum_degree_order(graph);
      ASSERT_TRUE(is_permutation(order, size));
      EXPECT_EQ(fill(graph, order), 0) << size;
    }
  }
}

TEST(MinimumDegree, GridsFillMuchLessThanInTheirOwnOrder) {
  const Graph graph = grid(30);
  std::vector<int32_t> own(graph.size());
  std::iota(own.begin(), own.end(), 0);
  const std::vector<int32_t> order = minimum_degree_order(graph);
  ASSERT_TRUE(is_permutation(order, graph.size()));
  EXPECT_LT(fill(graph, order) * 3, fill(graph, own));
}

TEST(MinimumDegree, OrdersRandomGraphsOfAllDensities) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const auto size = static_cast<int32_t>(1 + random() % 60);
    std::vector<std::pair<int32_t, int32_t>> edges(random() % (4 * size));
    for (auto& [a, b] : edges) a = static_cast<int32_t>(random() % size), b = static_cast<int32_t>(random() % size);
    const Graph graph = graph_of(size, edges);
    const std::vector<int32_t> order = minimum_degree_order(graph);
    ASSERT_TRUE(is_permutation(order, size)) << trial;
    std::vector<int32_t> own(size);
    std::iota(own.begin(), own.end(), 0);
    EXPECT_LE(fill(graph, order), fill(graph, own) + size) << trial;
  }
}

TEST(MinimumDegree, VerticesWithManyNeighboursComeLast) {
  constexpr int32_t kSize = 5000;
  std::vector<std::pair<int32_t, int32_t>> edges;
  for (int32_t v = 0; v < kSize; ++v) {
    edges.emplace_back(7, v);
    edges.emplace_back(v, (v + 1) % kSize);
  }
  const std::vector<int32_t> order = minimum_degree_order(graph_of(kSize, edges));
  ASSERT_TRUE(is_permutation(order, kSize));
  EXPECT_EQ(order.back(), 7);
}

}  // namespace
}  // namespace hilo::sparse_direct
