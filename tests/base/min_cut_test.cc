// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/min_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace hilo {
namespace {

struct TestEdge {
  size_t from, to;
  int64_t capacity;
};

std::vector<bool> cut_of(size_t nodes, const std::vector<TestEdge>& edges) {
  FlowGraph graph(nodes);
  for (const TestEdge& e : edges) graph.add_edge(e.from, e.to, e.capacity);
  return graph.min_cut(0, nodes - 1);
}

int64_t cost_of(const std::vector<bool>& side, const std::vector<TestEdge>& edges) {
  int64_t cost = 0;
  for (const TestEdge& e : edges) cost += side[e.from] && !side[e.to] ? e.capacity : 0;
  return cost;
}

TEST(MinCut, OfAChainIsItsThinnestEdge) {
  EXPECT_EQ(cut_of(4, {{0, 1, 5}, {1, 2, 2}, {2, 3, 7}}), (std::vector<bool>{true, true, false, false}));
}

TEST(MinCut, OfEqualCutsIsTheOneAtTheSource) {
  EXPECT_EQ(cut_of(4, {{0, 1, 3}, {1, 2, 3}, {2, 3, 3}}), (std::vector<bool>{true, false, false, false}));
}

TEST(MinCut, NeverCutsAnEdgeWithoutALimit) {
  const std::vector<TestEdge> edges = {{0, 1, FlowGraph::kNoLimit}, {1, 2, 4}, {1, 3, 6}, {2, 3, FlowGraph::kNoLimit}};
  EXPECT_EQ(cut_of(4, edges), (std::vector<bool>{true, true, false, false}));
}

TEST(MinCut, SendsFlowBackWhereAShortPathWasWrong) {
  const std::vector<TestEdge> edges = {{0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {1, 4, 1}, {2, 3, 1}, {3, 5, 1}, {4, 5, 1}};
  EXPECT_EQ(cost_of(cut_of(6, edges), edges), 2);
}

TEST(MinCut, OfANodeThatCantBeReachedCostsNothing) {
  EXPECT_EQ(cut_of(3, {{0, 1, 1}}), (std::vector<bool>{true, true, false}));
}

/// Compares with all cuts of random graphs.
TEST(MinCut, CostsTheLeastOfAllCuts) {
  std::mt19937 random(0);
  for (int trial = 0; trial < 300; ++trial) {
    const size_t nodes = 2 + random() % 7;
    std::vector<TestEdge> edges;
    const auto below = [&](size_t limit) { return random() % limit; };
    for (size_t k = below(20); k-- > 0;) edges.push_back({below(nodes), below(nodes), static_cast<int64_t>(below(10))});
    int64_t least = INT64_MAX;
    for (size_t bits = 0; bits < size_t{1} << (nodes - 2); ++bits) {
      std::vector<bool> side(nodes);
      side[0] = true;
      for (size_t n = 1; n + 1 < nodes; ++n) side[n] = (bits >> (n - 1)) & 1;
      least = std::min(least, cost_of(side, edges));
    }
    const std::vector<bool> side = cut_of(nodes, edges);
    EXPECT_TRUE(side[0] && !side[nodes - 1]);
    EXPECT_EQ(cost_of(side, edges), least) << trial;
  }
}

}  // namespace
}  // namespace hilo
