// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/facts.h"

#include <algorithm>

namespace hilo::cpu {
std::vector<std::vector<int64_t>> cuts_of(const Region& region, size_t vector_dimension) {
  std::vector<std::vector<int64_t>> cuts(region.extents.size());
  if (region.has_row()) return cuts;
  for (const RegionNode& n : region.nodes) {
    for (const Guard& g : n.guards) {
      const std::optional<GuardRange> range = range_of(g, region.extents);
      if (!range) continue;
      for (int64_t at : {range->first, range->end}) {
        if (at > 0 && at < region.extents[range->dimension]) cuts[range->dimension].push_back(at);
      }
    }
  }
  size_t nodes = region.nodes.size();
  const auto accept = [&](std::vector<int64_t>& here) {
    std::ranges::sort(here);
    here.erase(std::ranges::unique(here).begin(), here.end());
    const size_t longer = nodes * (here.size() + 1);
    if (here.size() > engine::kMaxCuts || longer > engine::kMaxCutNodes) here.clear();
    else nodes = longer;
  };
  accept(cuts[vector_dimension]);
  for (size_t k = region.extents.size(); k-- > 0;) {
    if (k != vector_dimension) accept(cuts[k]);
  }
  return cuts;
}

}  // namespace hilo::cpu
