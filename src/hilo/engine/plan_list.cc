// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/plan_list.h"

#include <fmt/format.h>

#include "hilo/base/stop.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::engine {
namespace {

using hlo::Opcode;

constexpr int kMaxNesting = 128;  // of loops and branches

Status plan_node(Scope& scope, const Node& node) {
  const hlo::Instruction& i = *node.instruction;
  for (ValueId v : node.operands) {
    const auto view = scope.views.find(v);
    if (view != scope.views.end()) scope.places[v].slot = scope.places[view->second.of].slot;
    if (scope.places[v].slot != kNoSlot)
      use(scope.state,
          scope.places[v].slot);  // otherwise a loop will fill this memory
  }
  if (i.opcode == Opcode::kConstant) {
    const Literal& value = hlo::attributes_of<hlo::ConstantAttributes>(i).value;
    scope.places[node.results[0]].slot = constant_slot(scope.state, value);
    return ok_status();
  }
  if (i.opcode != Opcode::kWhile && i.opcode != Opcode::kConditional) return plan_library_call(scope, node);
  const bool is_loop = i.opcode == Opcode::kWhile;
  if (scope.depth >= kMaxNesting)
    return unimplemented(
        fmt::format("{}: {} are nested more than {} deep", describe(i), is_loop ? "loops" : "branches", kMaxNesting));
  return is_loop ? plan_while(scope, node) : plan_conditional(scope, node);
}

/// Copies each result to its target slot, unless it is already there.
StatusOr<std::vector<SlotId>> end_results(Scope& scope, const ResultPlan& plan) {
  std::vector<SlotId> slots;
  for (size_t r = 0; r < scope.graph.results.size(); ++r) {
    const ValueId v = scope.graph.results[r];
    slots.push_back(scope.places[v].slot);
    if (slots[r] == kNoSlot)
      return internal_error(fmt::format("plan: result {} of '{}' is never computed", r, scope.state.module.name));
    use(scope.state, slots[r]);
    if (plan.targets[r] == kNoSlot || slots[r] == plan.targets[r] || slots[r] == plan.in_place[r]) continue;
    add_copy(scope, slots[r], plan.targets[r], scope.bytes_of(v));
    slots[r] = plan.targets[r];
  }
  return slots;
}

}  // namespace

StatusOr<ListResult> plan_list(PlanState& state, const Graph& graph, std::span<const SlotId> parameters,
                               const ResultPlan& plan, int depth) {
  HILO_ASSIGN_OR_RETURN(RegionGraph regions, form_regions(graph, state.target.costs()));
  const ValueViews views = take_views(graph, regions, state.target);
  Scope scope{state, graph, views, lifetimes_of(graph, regions, views), std::vector<ValuePlace>(graph.values.size()),
              depth};
  for (size_t p = 0; p < parameters.size(); ++p) scope.places[graph.parameters[p]].slot = parameters[p];
  set_result_targets(scope, plan);
  const std::vector<Item>& items = scope.lifetimes.items;
  for (size_t i = 0; i < items.size(); ++i) {
    HILO_RETURN_IF_ERROR(stop_status());
    scope.item = i;
    ++state.clock;
    if (items[i].is_region) plan_region(scope, std::move(regions.regions[items[i].index]));
    else HILO_RETURN_IF_ERROR(plan_node(scope, graph.nodes[items[i].index]));
  }
  ++state.clock;
  HILO_ASSIGN_OR_RETURN(std::vector<SlotId> slots, end_results(scope, plan));
  if (depth == 0) add_donations(scope, plan.targets);
  return ListResult{std::move(scope.steps), std::move(slots)};
}

}  // namespace hilo::engine
