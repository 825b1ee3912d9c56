// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hilo/engine/regions.h"

namespace hilo::engine {

double region_cost(const Region& region, const Costs& costs) {
  double outer = 1, row = 1;
  for (size_t k = 0; k < region.extents.size(); ++k)
    (k < region.row_begin ? outer : row) *= static_cast<double>(region.extents[k]);
  const bool is_product = std::ranges::any_of(region.nodes, &RegionNode::is_dot);
  double per_outer = 0, per_element = 0;
  std::vector<bool> in_row;
  for (const RegionNode& n : region.nodes) {
    bool here = n.index.coefficients.size() > region.row_begin || n.kind == NodeKind::kReduce;
    for (uint32_t o : n.operands) here |= n.kind != NodeKind::kReduceResult && in_row[o];
    in_row.push_back(here);
    const double cheap = costs.ops_of(n.type).cheap;
    double cost = n.kind == NodeKind::kOp     ? op_cost(costs, n.instruction->def().cost, n.type)
                  : n.kind == NodeKind::kLoad ? costs.load
                                              : cheap;
    if (here && is_product) cost += costs.product_node - (n.kind == NodeKind::kLoad ? costs.load : cheap);
    (here ? per_element : per_outer) += cost;
  }
  for (const RegionOutput& output : region.outputs) (in_row[output.node] ? per_element : per_outer) += costs.store;
  return outer * (per_outer + row * per_element);
}

}  // namespace hilo::engine
