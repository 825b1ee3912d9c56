// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_former.h"

#include <algorithm>

namespace hilo::engine {

uint32_t add_region(RegionState& state, ValueId root, std::span<const int64_t> extents) {
  Region region;
  region.row_begin = extents.size();
  region.extents.assign(extents.begin(), extents.end());
  region.root = root;
  state.regions.push_back(std::move(region));
  state.forwards.emplace_back();
  state.interleaves.push_back(false);
  state.written_nodes.push_back(0);
  return static_cast<uint32_t>(state.regions.size() - 1);
}

uint32_t add_node(RegionState& state, uint32_t region, RegionNode node) {
  state.regions[region].nodes.push_back(std::move(node));
  state.forwards[region].push_back(kNoNode);
  return static_cast<uint32_t>(state.regions[region].nodes.size() - 1);
}

uint32_t request(RegionState& state, ValueId value, uint32_t region, AccessMap map) {
  std::vector<Request>& requests = state.requests[value];
  const auto latest = state.latest.try_emplace(uint64_t{value} << 32 | region, kNoRequest).first;
  for (uint32_t k = latest->second; k != kNoRequest; k = requests[k].previous) {
    if (requests[k].map == map) return requests[k].node;
  }
  const uint32_t node = add_node(state, region, {});
  requests.push_back({region, node, std::move(map), latest->second});
  latest->second = static_cast<uint32_t>(requests.size() - 1);
  return node;
}

void load(RegionState& state, ValueId value, const Request& r) {
  Region& region = state.regions[r.region];
  RegionNode& node = region.nodes[r.node];
  node.type = state.shape(value).element_type();
  if (state.shape(value).element_count() == 0) {
    node.kind = NodeKind::kConstant;  // never read: guards exclude all readers
    return;
  }
  node.kind = NodeKind::kLoad;
  node.index = linear_index(r.map, state.shape(value));
  node.guards = r.map.guards;
  const auto same = std::ranges::find(region.inputs, value, &RegionInput::value);
  node.input = static_cast<uint32_t>(same - region.inputs.begin());
  if (same == region.inputs.end()) region.inputs.push_back({value, node.type});
}

}  // namespace hilo::engine
