// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/plan_list.h"

#include <algorithm>

#include "hilo/hlo/ops/control_flow.h"

namespace hilo::engine {
namespace {

/// Copies the instruction into a computation with parameters as operands. The plan stores this copy.
StatusOr<hlo::ComputationPtr> call_of(const Node& node) {
  const hlo::Instruction& i = *node.instruction;
  hlo::ComputationDraft draft(i.name);
  std::vector<hlo::InstructionId> operands;
  for (hlo::InstructionId id : i.operands) {
    auto number = std::make_shared<hlo::ParameterAttributes>();
    number->number = std::ssize(operands);
    operands.push_back(
        draft.append(hlo::Opcode::kParameter, node.computation->instruction(id).shape, {}, std::move(number)));
  }
  const hlo::InstructionId root = draft.append_copy(i, operands);
  return std::move(draft).finish(root);
}

}  // namespace

Status plan_library_call(Scope& scope, const Node& node) {
  LibraryCall call;
  const auto view_of = [&](ValueId v) {
    const auto view = scope.views.find(v);
    return view == scope.views.end() ? ValueView{v, {}} : view->second;
  };
  for (ValueId v : node.operands) call.operands.push_back(scope.graph.values[v].shape);
  for (ValueId v : node.results) call.results.push_back(scope.graph.values[v].shape);
  for (ValueId v : node.operands) call.views.push_back(view_of(v).how);
  for (ValueId v : node.results) call.views.push_back(view_of(v).how);
  if (std::ranges::all_of(call.views, [](const OperandView& v) { return v.strides.empty(); })) call.views.clear();
  HILO_ASSIGN_OR_RETURN(const LibraryChoice choice,
                        scope.state.target.library_choice({*node.instruction, call.operands, call.results}));
  call.symbol = choice.symbol;
  HILO_ASSIGN_OR_RETURN(call.call, call_of(node));
  for (const CodeFunction& function : choice.code) call.code.push_back(add_function(scope.state.plan, function));
  if (choice.updates_in_place)
    place_over(scope, node.results[0], node.operands[0], std::ranges::count(node.operands, node.operands[0]) == 1);
  std::vector<SlotId> arguments;
  for (ValueId v : node.operands) arguments.push_back(scope.places[v].slot);
  for (ValueId v : node.results) arguments.push_back(output_slot(scope, view_of(v).of));
  PlannedWork work = work_of(scope.state.places, scope.graph, node, node.instruction->def().name);
  scope.steps.push_back(library_step(scope.state, std::move(call), arguments, std::move(work)));
  return ok_status();
}

}  // namespace hilo::engine
