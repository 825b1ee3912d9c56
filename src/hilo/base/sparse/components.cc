// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/components.h"

#include <algorithm>

namespace hilo::sparse_direct {

std::vector<int32_t> strong_components(const std::vector<std::vector<int32_t>>& successors) {
  const auto count = static_cast<int32_t>(successors.size());
  std::vector<int32_t> component(count, -1), number(count, -1), low(count, 0), open;
  struct Visit {
    int32_t vertex;
    size_t next;
  };
  std::vector<Visit> path;
  int32_t visited = 0, components = 0;
  const auto enter = [&](int32_t v) {
    number[v] = low[v] = visited++;
    open.push_back(v);
    path.push_back({v, 0});
  };
  for (int32_t root = 0; root < count; ++root) {
    if (number[root] < 0) enter(root);
    while (!path.empty()) {
      const int32_t v = path.back().vertex;
      if (path.back().next < successors[v].size()) {
        const int32_t to = successors[v][path.back().next++];
        if (number[to] < 0) enter(to);
        else if (component[to] < 0) low[v] = std::min(low[v], number[to]);
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back().vertex] = std::min(low[path.back().vertex], low[v]);
      if (low[v] != number[v]) continue;
      for (int32_t top = -1; top != v; open.pop_back()) {
        top = open.back();
        component[top] = components;
      }
      ++components;
    }
  }
  // A component is complete after all that it leads to: the reverse order leads forward.
  for (int32_t& c : component) c = components - 1 - c;
  return component;
}

}  // namespace hilo::sparse_direct
