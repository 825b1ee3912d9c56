// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/lifetimes.h"

#include <algorithm>

namespace hilo::engine {

Lifetimes lifetimes_of(const Graph& graph, const RegionGraph& regions, const ValueViews& views) {
  Lifetimes lifetimes;
  std::vector<Item>& items = lifetimes.items;
  for (size_t k = 0; k < regions.regions.size(); ++k) items.push_back({regions.regions[k].root, true, k});
  for (uint32_t n : regions.other_nodes) {
    items.push_back({node_key(graph, n), false, n});
  }
  std::ranges::stable_sort(items, {}, &Item::key);
  lifetimes.last_use.assign(graph.values.size(), kNeverRead);
  for (size_t i = 0; i < items.size(); ++i) {
    const auto read = [&](ValueId v) {
      const auto view = views.find(v);
      lifetimes.last_use[view == views.end() ? v : view->second.of] = static_cast<int64_t>(i);
    };
    if (items[i].is_region) {
      const Region& region = regions.regions[items[i].index];
      for (const RegionInput& input : region.inputs) read(input.value);
      if (region.updated != kNoValue) read(region.updated);
    } else {
      std::ranges::for_each(graph.nodes[items[i].index].operands, read);
    }
  }
  for (ValueId v : graph.results) lifetimes.last_use[v] = kReadByCaller;
  return lifetimes;
}

}  // namespace hilo::engine
