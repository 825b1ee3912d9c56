// SPDX-License-Identifier: Apache-2.0
// Nodes are visited from last to first. When a node is visited, all its readers have requested it, each for a region
// and under an access map. The node then joins these regions, or becomes a separate region from which they load.
#include "hilo/engine/region_former.h"

#include <algorithm>

#include "hilo/base/sizes.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::engine {
namespace {

void load_all(RegionState& state, const Node& node) {
  for (ValueId v : node.results) {
    for (const Request& r : state.requests[v]) load(state, v, r);
    state.requests[v].clear();
  }
}

void visit(RegionState& state, uint32_t n) {
  const Node& node = state.graph.nodes[n];
  const bool effect = hlo::is_kept_when_unused(node.instruction->opcode, node.instruction->attributes);
  const auto is_used = [&](ValueId v) { return !state.requests[v].empty() || state.is_needed(v); };
  if (!effect && std::ranges::none_of(node.results, is_used)) return;
  const RegionOp op = region_op_of(state.graph, node, state.costs);
  // A sum that another loop computes by the way costs nothing. As a row of its reader it would read its arrays again.
  const bool sibling_first = op == RegionOp::kReduce;
  if (sibling_first && try_join_sibling(state, node, op)) return;
  if (op != RegionOp::kNone && try_join(state, node, op)) return;
  if (op != RegionOp::kNone && !sibling_first && try_join_sibling(state, node, op)) return;
  load_all(state, node);
  if (op != RegionOp::kNone && node.instruction->opcode != hlo::Opcode::kConstant) return start_root(state, node);
  state.others.push_back(n);  // a constant is already in memory
  if (op != RegionOp::kNone) return;
  for (ValueId v : node.operands) state.needed_before[v] = std::min(state.needed_before[v], node_key(state.graph, n));
}

}  // namespace

StatusOr<RegionGraph> form_regions(const Graph& graph, const Costs& costs) {
  RegionState state(graph, costs);
  for (ValueId v : graph.results) state.needed_before[v] = kNoValue - 1;  // in memory, but not until the end
  for (uint32_t n = size32(graph.nodes); n-- > 0;) visit(state, n);
  for (ValueId v : graph.parameters) {
    for (const Request& r : state.requests[v]) load(state, v, r);
  }
  RegionGraph result;
  for (size_t r = 0; r < state.regions.size(); ++r)
    result.regions.push_back(finished_region(std::move(state.regions[r]), state.forwards[r]));
  std::ranges::stable_sort(result.regions, {}, &Region::root);
  std::ranges::sort(state.others);
  result.other_nodes = std::move(state.others);
  return result;
}

}  // namespace hilo::engine
