// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/plan_list.h"

#include <algorithm>

namespace hilo::engine {
namespace {

constexpr size_t kMaxPairs = 4096;

bool is_safe(const Scope& scope, std::span<const SlotId> targets, size_t r, size_t p) {
  const Graph& graph = scope.graph;
  const ValueId v = graph.results[r], w = graph.parameters[p];
  if (scope.bytes_of(v) != scope.bytes_of(w)) return false;
  if (v == w) {  // an array can't change its layout in place
    const bool stays =
        targets[r] != kNoSlot || scope.state.plan.slots[scope.places[w].slot].source != SlotSource::kArgument;
    return stays && std::ranges::count(graph.results, v) == 1;
  }
  const ValuePlace& place = scope.places[v];
  const int64_t last_use = scope.lifetimes.last_use[w];
  if (place.slot != targets[r] || targets[r] == kNoSlot) return false;
  if (last_use < place.first_item) return true;
  return last_use == place.first_item && std::ranges::find(place.overwrites, w) != place.overwrites.end();
}

}  // namespace

void add_donations(const Scope& scope, std::span<const SlotId> targets) {
  const size_t results = scope.graph.results.size(), parameters = scope.graph.parameters.size();
  std::vector<DonationPair>& donations = scope.state.plan.donations;
  const auto add = [&](size_t r, size_t p) {
    if (r < results && p < parameters && is_safe(scope, targets, r, p))
      donations.push_back({static_cast<uint32_t>(r), static_cast<uint32_t>(p)});
  };
  for (const hlo::Alias& alias : scope.state.module.aliases) {
    if (!alias.parameter_index.empty() || alias.result_index.size() > 1) continue;
    add(alias.result_index.empty() ? 0 : static_cast<size_t>(alias.result_index[0]),
        static_cast<size_t>(alias.parameter_number));
  }
  for (size_t r = 0; r < results; ++r) {
    for (size_t p = 0; p < parameters && donations.size() < kMaxPairs; ++p) add(r, p);
  }
}

}  // namespace hilo::engine
