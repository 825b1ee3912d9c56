// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/facts.h"

#include <algorithm>

namespace hilo::cpu {
namespace {

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

}  // namespace

std::optional<GuardRange> range_of(const Guard& guard, std::span<const int64_t> extents) {
  if (!guard.index.terms.empty()) return std::nullopt;
  std::optional<size_t> dimension;
  for (size_t k = 0; k < guard.index.coefficients.size(); ++k) {
    if (guard.index.coefficients[k] == 0) continue;
    if (dimension) return std::nullopt;
    dimension = k;
  }
  if (!dimension) return std::nullopt;
  const int64_t step = guard.index.coefficients[*dimension], extent = extents[*dimension];
  // Returns the first index at which step * i + constant reaches a bound, or the first beyond it if the step is
  // negative.
  const auto reach = [&](int64_t bound) {
    const int64_t distance = bound - guard.index.constant;
    return step > 0 ? -floor_divide(-distance, step) : floor_divide(-distance, -step) + 1;
  };
  const int64_t first = std::clamp<int64_t>(reach(step > 0 ? guard.low : guard.high), 0, extent);
  return GuardRange{*dimension, first, std::clamp<int64_t>(reach(step > 0 ? guard.high : guard.low), first, extent)};
}

std::vector<std::vector<int64_t>> cuts_of(const Region& region, size_t vector_dimension) {
  constexpr size_t kMaxCuts = 6, kMaxNodes = 512;
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
    if (here.size() > kMaxCuts || longer > kMaxNodes) here.clear();
    else nodes = longer;
  };
  accept(cuts[vector_dimension]);
  for (size_t k = region.extents.size(); k-- > 0;) {
    if (k != vector_dimension) accept(cuts[k]);
  }
  return cuts;
}

}  // namespace hilo::cpu
