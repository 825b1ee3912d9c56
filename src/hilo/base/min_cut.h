// SPDX-License-Identifier: Apache-2.0
// base/min_cut.h -- cuts a directed graph with capacities between two nodes at the least cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hilo {

/// A directed graph whose edges have capacities.
class FlowGraph {
 public:
  static constexpr int64_t kNoLimit = INT64_MAX / 4;  ///< capacity of an edge that can't be cut

  explicit FlowGraph(size_t node_count) : out_(node_count) {}

  /// Adds an edge. Precondition: the capacities of all edges without kNoLimit add up to less than kNoLimit.
  void add_edge(size_t from, size_t to, int64_t capacity);

  /// Returns whether each node is on the source's side of the cut of least capacity. Of several such cuts, that with
  /// the fewest nodes on the source's side. Uses up the capacities.
  /// Source     Dinic, "Algorithm for solution of a problem of maximum flow in networks with power estimation" (1970)
  std::vector<bool> min_cut(size_t source, size_t sink);

 private:
  static constexpr size_t kFar = SIZE_MAX;
  struct Edge {
    size_t to;
    int64_t left;
  };

  std::vector<size_t> distances(size_t source) const;
  void saturate(size_t source, size_t sink, const std::vector<size_t>& distance);

  std::vector<Edge> edges_;  ///< edge k and its reverse, k ^ 1
  std::vector<std::vector<size_t>> out_;
};

}  // namespace hilo
