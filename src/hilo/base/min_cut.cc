// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/min_cut.h"

#include <algorithm>

namespace hilo {

void FlowGraph::add_edge(size_t from, size_t to, int64_t capacity) {
  out_[from].push_back(edges_.size());
  edges_.push_back({to, capacity});
  out_[to].push_back(edges_.size());
  edges_.push_back({from, 0});
}

/// Returns the number of edges with capacity left from the source to each node; kFar if the node can't be reached.
std::vector<size_t> FlowGraph::distances(size_t source) const {
  std::vector<size_t> distance(out_.size(), kFar), queue = {source};
  distance[source] = 0;
  for (size_t head = 0; head < queue.size(); ++head) {
    for (const size_t k : out_[queue[head]]) {
      if (edges_[k].left == 0 || distance[edges_[k].to] != kFar) continue;
      distance[edges_[k].to] = distance[queue[head]] + 1;
      queue.push_back(edges_[k].to);
    }
  }
  return distance;
}

/// Sends flow along shortest paths until none has capacity left.
void FlowGraph::saturate(size_t source, size_t sink, const std::vector<size_t>& distance) {
  std::vector<size_t> next(out_.size()), path;  // per node, the first edge that may lead to the sink
  for (;;) {
    const size_t at = path.empty() ? source : edges_[path.back()].to;
    if (at == sink) {
      int64_t least = kNoLimit;
      for (const size_t k : path) least = std::min(least, edges_[k].left);
      for (const size_t k : path) {
        edges_[k].left -= least;
        edges_[k ^ 1].left += least;
      }
      path.clear();
      continue;
    }
    const auto leads_on = [&](size_t k) { return edges_[k].left > 0 && distance[edges_[k].to] == distance[at] + 1; };
    while (next[at] < out_[at].size() && !leads_on(out_[at][next[at]])) ++next[at];
    if (next[at] < out_[at].size()) {
      path.push_back(out_[at][next[at]]);
    } else if (path.empty()) {
      return;
    } else {
      ++next[edges_[path.back() ^ 1].to];
      path.pop_back();
    }
  }
}

std::vector<bool> FlowGraph::min_cut(size_t source, size_t sink) {
  std::vector<size_t> distance = distances(source);
  for (; distance[sink] != kFar; distance = distances(source)) saturate(source, sink, distance);
  std::vector<bool> side;
  for (const size_t d : distance) side.push_back(d != kFar);
  return side;
}

}  // namespace hilo
