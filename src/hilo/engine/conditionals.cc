// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/plan_list.h"

#include "hilo/base/sizes.h"
#include "hilo/hlo/ops/control_flow.h"

namespace hilo::engine {

Status plan_conditional(Scope& scope, const Node& node) {
  const auto& attributes = hlo::attributes_of<hlo::ConditionalAttributes>(*node.instruction);
  Branches branches;
  branches.predicated = attributes.predicated;
  branches.selector = scope.places[node.operands[0]].slot;
  ResultPlan plan;
  for (ValueId v : node.results) {
    plan.targets.push_back(output_slot(scope, v));
    plan.in_place.push_back(kNoSlot);
  }
  size_t next = 1;
  for (const hlo::ComputationPtr& branch : attributes.branches) {
    HILO_ASSIGN_OR_RETURN(const Graph graph, build_graph(*branch));
    std::vector<SlotId> parameters;
    for (size_t k = 0; k < graph.parameters.size(); ++k) parameters.push_back(scope.places[node.operands[next++]].slot);
    ++scope.state.clock;
    HILO_ASSIGN_OR_RETURN(ListResult list, plan_list(scope.state, graph, parameters, plan, scope.depth + 1));
    branches.lists.push_back(std::move(list.steps));
  }
  ++scope.state.clock;
  for (ValueId v : node.operands) use(scope.state, scope.places[v].slot);
  for (SlotId slot : plan.targets) use(scope.state, slot);
  const auto index = size32(scope.state.plan.branches);
  scope.state.plan.branches.push_back(std::move(branches));
  scope.steps.push_back({.kind = StepKind::kConditional, .index = index});
  return ok_status();
}

}  // namespace hilo::engine
