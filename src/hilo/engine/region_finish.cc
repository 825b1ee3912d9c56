// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_former.h"

#include "hilo/base/sizes.h"

#include <algorithm>
#include <boost/container/flat_set.hpp>

namespace hilo::engine {
namespace {

template <typename F> void for_each_index(Region& region, const F& f) {
  for (RegionNode& n : region.nodes) {
    if (n.kind == NodeKind::kLoad || n.kind == NodeKind::kIndex) f(n.index);
    for (Guard& g : n.guards) f(g.index);
  }
  for (RegionOutput& o : region.outputs) f(o.index);
}

/// Returns all nodes that `node` reads, through operands and indices.
std::vector<uint32_t> reads_of(const RegionNode& node) {
  std::vector<uint32_t> reads = node.operands;
  for (const IndexTerm& t : node.index.terms) reads.push_back(t.node);
  for (const Guard& g : node.guards) {
    for (const IndexTerm& t : g.index.terms) reads.push_back(t.node);
  }
  return reads;
}

/// A load or index whose guards always hold doesn't need them.
bool always_holds(const Guard& g, std::span<const int64_t> extents) {
  if (!g.index.terms.empty()) return false;
  const IndexReach reach = reach_of(g.index, extents);
  return reach.least >= g.low && reach.greatest < g.high;
}

void drop_dimension(Region& region, size_t k) {
  for_each_index(region, [&](IndexExpr& e) {
    if (k < e.coefficients.size()) e.coefficients.erase(e.coefficients.begin() + k);
    e.drop_zeros();
  });
  region.extents.erase(region.extents.begin() + k);
  if (k < region.row_begin) --region.row_begin;
}

/// Reorders the loops of a map that reads along one dimension and writes along the last (a transpose). The first of
/// them becomes the innermost loop, so that successive vectors of the last dimension read the same cache lines.
void reorder_inner_loop(Region& region) {
  if (region.has_row() || region.extents.size() < 2) return;
  const size_t last = region.extents.size() - 1;
  std::vector<int> votes(region.extents.size(), 0);
  for (const RegionNode& n : region.nodes) {
    if (n.kind != NodeKind::kLoad || n.index.coefficient(last) == 0) continue;
    for (size_t k = 0; k <= last; ++k) votes[k] += n.index.coefficient(k) == 1 && region.extents[k] >= 8;
  }
  const size_t other = std::ranges::max_element(votes) - votes.begin();
  if (other == last || votes[other] == 0 || votes[other] < votes[last]) return;
  for_each_index(region, [&](IndexExpr& e) {
    e.coefficients.resize(region.extents.size(), 0);
    std::swap(e.coefficients[other], e.coefficients[last]);
    e.drop_zeros();
  });
  std::swap(region.extents[other], region.extents[last]);
}

/// Whether dimensions k - 1 and k are one in a row-major array.
bool is_in_step(const IndexExpr& e, size_t k, const Region& region) {
  return e.coefficient(k - 1) == e.coefficient(k) * region.extents[k];
}

/// Whether every index moves along dimensions k - 1 and k as along one. A guard may be a range of dimension k - 1: the
/// loop is cut at its bounds.
bool may_merge(const Region& region, size_t k) {
  constexpr size_t kMaxBounds = 6;
  const bool may_cut = !region.has_row() || k < region.row_begin;
  boost::container::flat_set<int64_t> bounds;
  for (const RegionNode& n : region.nodes) {
    if ((n.kind == NodeKind::kLoad || n.kind == NodeKind::kIndex) && !is_in_step(n.index, k, region)) return false;
    for (const Guard& g : n.guards) {
      if (is_in_step(g.index, k, region)) continue;
      const std::optional<GuardRange> range = range_of(g, region.extents);
      if (!may_cut || !range || range->dimension != k - 1) return false;
      bounds.insert({range->first, range->end});
    }
  }
  return bounds.size() <= kMaxBounds &&
         std::ranges::all_of(region.outputs, [&](const RegionOutput& o) { return is_in_step(o.index, k, region); });
}

/// Makes one dimension of k - 1 and k.
void merge(Region& region, size_t k) {
  const int64_t extent = region.extents[k];
  for (RegionNode& n : region.nodes) {
    for (Guard& g : n.guards) {
      if (is_in_step(g.index, k, region)) continue;
      const GuardRange range = *range_of(g, region.extents);
      g = {IndexExpr::dimension(k), range.first * extent, range.end * extent};
    }
  }
  for_each_index(region, [&](IndexExpr& e) {
    if (k - 1 < e.coefficients.size()) e.coefficients[k - 1] = e.coefficient(k);
  });
  region.extents[k - 1] *= extent;
  drop_dimension(region, k);
}

}  // namespace

void merge_dimensions(Region& region) {
  for (size_t k = region.extents.size(); k-- > 0;) {
    // A row has at least one dimension, even if its extent is one.
    const bool last_of_row = k >= region.row_begin && region.extents.size() - region.row_begin == 1;
    if (region.extents[k] == 1 && !last_of_row) drop_dimension(region, k);
  }
  for (size_t k = region.extents.size(); k-- > 1;) {
    if (k == region.row_begin) continue;  // outer dimensions don't merge with the row's
    if (may_merge(region, k)) merge(region, k);
  }
}

namespace {

/// Orders the nodes by a depth-first walk from the outputs, with an explicit stack. Drops nodes that no output reads.
void order_nodes(Region& region) {
  std::vector<uint32_t> place(region.nodes.size(), kNoNode);
  std::vector<bool> open(region.nodes.size(), false);
  std::vector<RegionNode> ordered;
  std::vector<uint32_t> stack;
  const auto add_from = [&](uint32_t root) {
    stack.push_back(root);
    while (!stack.empty()) {
      const uint32_t n = stack.back();
      if (place[n] != kNoNode) {
        stack.pop_back();
      } else if (open[n]) {
        place[n] = size32(ordered);
        ordered.push_back(std::move(region.nodes[n]));
        stack.pop_back();
      } else {
        open[n] = true;
        for (uint32_t read : reads_of(region.nodes[n])) {
          if (place[read] == kNoNode) stack.push_back(read);
        }
      }
    }
  };
  for (const RegionOutput& o : region.outputs) {
    add_from(o.node);
    for (const IndexTerm& t : o.index.terms) add_from(t.node);
  }
  region.nodes = std::move(ordered);
  for (RegionOutput& o : region.outputs) o.node = place[o.node];
  for (RegionNode& n : region.nodes) {
    for (uint32_t& o : n.operands) o = place[o];
  }
  for_each_index(region, [&](IndexExpr& e) {
    for (IndexTerm& t : e.terms) t.node = place[t.node];
  });
}

/// Removes inputs that only dropped nodes read.
void number_inputs(Region& region) {
  std::vector<uint32_t> place(region.inputs.size(), kNoNode);
  std::vector<RegionInput> inputs;
  for (RegionNode& n : region.nodes) {
    if (n.kind != NodeKind::kLoad) continue;
    if (place[n.input] == kNoNode) {
      place[n.input] = size32(inputs);
      inputs.push_back(region.inputs[n.input]);
    }
    n.input = place[n.input];
  }
  region.inputs = std::move(inputs);
}

}  // namespace

Region finished_region(Region region, const std::vector<uint32_t>& forwards) {
  const auto resolve = [&](uint32_t n) {
    while (forwards[n] != kNoNode) n = forwards[n];
    return n;
  };
  for (RegionNode& n : region.nodes) {
    for (uint32_t& o : n.operands) o = resolve(o);
    std::erase_if(n.guards, [&](const Guard& g) { return always_holds(g, region.extents); });
    if (n.kind == NodeKind::kGuarded && n.guards.empty()) n.operands.resize(1);  // always true
  }
  for (RegionOutput& o : region.outputs) o.node = resolve(o.node);
  order_nodes(region);
  number_inputs(region);
  merge_dimensions(region);
  reorder_inner_loop(region);
  if (!region.has_row()) region.row_begin = region.extents.size();
  return region;
}

}  // namespace hilo::engine
