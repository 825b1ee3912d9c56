// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "hilo/engine/regions.h"

namespace hilo::engine {
namespace {

/// Returns the fraction of the indices at which the guards hold, as far as that is known.
double fraction_of(const RegionNode& node, std::span<const int64_t> extents) {
  double all = 1;
  for (const Guard& g : node.guards) {
    const auto moves = [](int64_t c) { return c != 0; };
    const auto at = std::ranges::find_if(g.index.coefficients, moves);
    if (at == g.index.coefficients.end() || !g.index.terms.empty() ||
        std::ranges::count_if(g.index.coefficients, moves) != 1)
      continue;
    const auto extent = static_cast<double>(extents[at - g.index.coefficients.begin()]);
    all *= std::min(static_cast<double>(g.high - g.low) / static_cast<double>(std::abs(*at)) / extent, 1.0);
  }
  return all;
}

/// Returns, per node of a map, the fraction of the indices at which its value is used: the operands of a guarded node
/// are alternatives.
std::vector<double> used_fractions(const Region& region) {
  std::vector<double> used(region.nodes.size(), region.has_row() ? 1 : 0);
  if (region.has_row()) return used;
  for (const RegionOutput& o : region.outputs) used[o.node] = 1;
  for (size_t n = region.nodes.size(); n-- > 0;) {
    const RegionNode& node = region.nodes[n];
    used[n] = std::min(used[n], 1.0);
    const bool chooses = node.kind == NodeKind::kGuarded && node.operands.size() == 2;
    const double inside = chooses ? std::min(used[n], fraction_of(node, region.extents)) : used[n];
    for (size_t k = 0; k < node.operands.size(); ++k)
      used[node.operands[k]] += k == 1 && chooses ? used[n] - inside : inside;
    for (const IndexTerm& t : node.index.terms) used[t.node] = 1;
  }
  return used;
}

}  // namespace

double region_cost(const Region& region, const Costs& costs) {
  double outer = 1, row = 1;
  for (size_t k = 0; k < region.extents.size(); ++k)
    (k < region.row_begin ? outer : row) *= static_cast<double>(region.extents[k]);
  const bool is_product = std::ranges::any_of(region.nodes, &RegionNode::is_dot);
  double per_outer = 0, per_element = 0;
  std::vector<bool> in_row;
  const std::vector<double> used = used_fractions(region);
  for (const RegionNode& n : region.nodes) {
    bool here = n.index.coefficients.size() > region.row_begin || n.kind == NodeKind::kReduce;
    for (uint32_t o : n.operands) here |= n.kind != NodeKind::kReduceResult && in_row[o];
    in_row.push_back(here);
    const double cheap = costs.ops_of(n.type).cheap;
    double cost = n.kind == NodeKind::kOp     ? op_cost(costs, n.instruction->def().cost, n.type)
                  : n.kind == NodeKind::kLoad ? costs.load
                                              : cheap;
    if (here && is_product) cost += costs.product_node - (n.kind == NodeKind::kLoad ? costs.load : cheap);
    (here ? per_element : per_outer) += cost * used[&n - region.nodes.data()];
  }
  for (const RegionOutput& output : region.outputs) (in_row[output.node] ? per_element : per_outer) += costs.store;
  return outer * (per_outer + row * per_element);
}

}  // namespace hilo::engine
