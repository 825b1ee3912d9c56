// SPDX-License-Identifier: Apache-2.0
// Loops, branches and library calls.
#include <fmt/format.h>

#include <algorithm>

#include "hilo/engine/planner.h"
#include "hilo/engine/register_loop.h"
#include "hilo/hlo/ops/control_flow.h"

namespace hilo::engine {

using hlo::attributes_of;

namespace {

constexpr int kMaxNesting = 128;  // loops and branches inside each other

/// The instruction alone, on parameters: what a plan keeps of it.
StatusOr<hlo::ComputationPtr> call_of(const Node& node) {
  const hlo::Instruction& i = *node.instruction;
  hlo::ComputationDraft draft(i.name);
  std::vector<hlo::InstructionId> operands;
  for (hlo::InstructionId id : i.operands) {
    auto number = std::make_shared<hlo::ParameterAttributes>();
    number->number = static_cast<int64_t>(operands.size());
    operands.push_back(
        draft.append(hlo::Opcode::kParameter, node.computation->instruction(id).shape, {}, std::move(number)));
  }
  const hlo::InstructionId root = draft.append_copy(i, operands);
  return std::move(draft).finish(root);
}

}  // namespace

/// An element of a loop's carry. Its slots move between two stretches of memory, unless the body updates in place.
struct Planner::Carry {
  SlotId now, next;
  SlotId home = kNoSlot;   ///< where `next` points before the first turn; none if the element never changes
  bool in_target = false;  ///< it begins where the loop's result must end

  bool fixed() const { return home == kNoSlot; }
};

/// The slots of a loop's carry, and the steps that bring it to where it is when the loop begins.
std::vector<Planner::Carry> Planner::start_carries(Scope& scope, const Node& node, const Graph& body) {
  std::vector<Carry> carries;
  for (size_t k = 0; k < node.operands.size(); ++k) {
    Carry carry{new_slot(SlotSource::kMoving, 0), kNoSlot};
    carry.next = carry.now;
    if (body.results[k] != body.parameters[k]) {
      carry.next = new_slot(SlotSource::kMoving, 0);
      carry.home = new_arena_slot(scope.graph.values[node.operands[k]].shape.byte_size());
      slot_buffers_[carry.next] = slot_buffers_[carry.home];
    }
    carries.push_back(carry);
  }
  for (size_t k = 0; k < carries.size(); ++k) {
    Carry& carry = carries[k];
    const ValueId init = node.operands[k];
    const int64_t bytes = scope.graph.values[init].shape.byte_size();
    const SlotId from = scope.places[init].slot;
    const bool dies = scope.lifetimes.last_use[init] == scope.item && std::ranges::count(node.operands, init) == 1;
    if (carry.fixed() || (scope.places[init].owned && dies)) {
      alias(scope, from, carry.now);
    } else {
      // A result that must end somewhere starts there: if the body works in place, it stays.
      ValuePlace& result = scope.places[node.results[k]];
      carry.in_target = result.target != kNoSlot;
      if (dies) result.overwrites.push_back(init);
      alias(scope, carry.in_target ? result.target : new_arena_slot(bytes), carry.now);
      if (from != kNoSlot) copy(scope, from, carry.now, bytes);  // else the loop will fill it
    }
    if (!carry.fixed()) alias(scope, carry.home, carry.next);
  }
  return carries;
}

/// What a turn exchanges, and where the results are when the loop is over. `turned`: the slots that a turn leaves them in.
void Planner::end_carries(Scope& scope, const Node& node, std::span<const Carry> carries,
                          std::span<const SlotId> turned, WhileLoop& loop) {
  for (size_t k = 0; k < carries.size(); ++k) {
    const Carry& carry = carries[k];
    const bool moved = turned[k] != carry.now;
    if (moved) {
      loop.swaps.push_back({carry.now, carry.next});
      may_become(carry.now, carry.next);
    } else if (!carry.fixed()) {  // updated in place: nothing is ever at home
      for (BufferId b : slot_buffers_[carry.home]) stretches_[b].bytes = 0;
    }
    const Shape& shape = scope.graph.values[node.operands[k]].shape;
    if (shape.is_array() && shape.element_count() == 1)
      loop.scalars.push_back({carry.now, turned[k], shape.element_type(), carry.fixed()});
    use(carry.now);
    use(carry.next);
    ValuePlace& result = scope.places[node.results[k]];
    result.first_item = scope.item;
    if (result.target == kNoSlot) {
      result.slot = carry.now;
      result.owned = !carry.fixed();
    } else {
      result.slot = result.target;
    }
  }
}

/// A loop whose carry lives in registers, if this is one.
StatusOr<bool> Planner::plan_register_loop(Scope& scope, const Node& node) {
  const auto& attributes = attributes_of<hlo::WhileAttributes>(*node.instruction);
  HILO_ASSIGN_OR_RETURN(const std::optional<CodeFunction> function,
                        target_.register_loop(*attributes.condition, *attributes.body));
  if (!function) return false;
  LibraryCall call{std::string(kRegisterLoop), nullptr, {}, {}, {add_function(plan_, *function)}};
  std::vector<SlotId> arguments;
  for (ValueId v : node.operands) {
    const Shape& shape = scope.graph.values[v].shape;
    const SlotId slot = scope.places[v].slot;
    arguments.push_back(slot != kNoSlot ? slot : new_arena_slot(shape.byte_size()));  // the loop will fill it
    use(arguments.back());
    call.operands.push_back(shape);
  }
  const int64_t batch = loop_batch(call.operands);
  for (size_t k = 0; k < node.results.size(); ++k) {
    const ValueId v = node.results[k], w = node.operands[k];
    // An index of the batch is read before it is written. What all indices read isn't written over.
    const bool apart = batch == 1 || batch_dimension(call.operands[k], batch);
    if (apart && std::ranges::count(node.operands, w) == 1) place_written(scope, v, w);
    arguments.push_back(output_slot(scope, v));
    call.results.push_back(scope.graph.values[v].shape);
  }
  scope.steps.push_back(library_step(std::move(call), arguments, work_of(places_, scope.graph, node, "loop")));
  return true;
}

Status Planner::plan_while(Scope& scope, const Node& node, int depth) {
  if (depth >= kMaxNesting)
    return unimplemented(
        fmt::format("{}: loops are nested more than {} deep", describe(*node.instruction), kMaxNesting));
  HILO_ASSIGN_OR_RETURN(const bool planned, plan_register_loop(scope, node));
  if (planned) return ok_status();
  const auto& attributes = attributes_of<hlo::WhileAttributes>(*node.instruction);
  HILO_ASSIGN_OR_RETURN(const Graph condition, build_graph(*attributes.condition));
  HILO_ASSIGN_OR_RETURN(const Graph body, build_graph(*attributes.body));
  const std::vector<Carry> carries = start_carries(scope, node, body);
  std::vector<SlotId> now;
  ResultPlan plan;
  for (const Carry& carry : carries) {
    now.push_back(carry.now);
    plan.targets.push_back(carry.next);
    plan.in_place.push_back(carry.now);
  }
  WhileLoop loop;
  ++clock_;
  HILO_ASSIGN_OR_RETURN(ListResult test, plan_list(condition, now, {{kNoSlot}, {kNoSlot}}, depth + 1));
  loop.condition = std::move(test.steps);
  loop.predicate = test.result_slots[0];
  ++clock_;
  HILO_ASSIGN_OR_RETURN(ListResult turn, plan_list(body, now, plan, depth + 1));
  loop.body = std::move(turn.steps);
  ++clock_;
  end_carries(scope, node, carries, turn.result_slots, loop);
  Step step{StepKind::kWhile};
  step.work = add_work(work_of(places_, scope.graph, node, "loop"));
  step.index = static_cast<uint32_t>(plan_.loops.size());
  plan_.loops.push_back(std::move(loop));
  scope.steps.push_back(step);
  for (size_t k = 0; k < carries.size(); ++k) {
    const SlotId target = scope.places[node.results[k]].target;
    const bool is_there = carries[k].in_target && turn.result_slots[k] == carries[k].now;
    if (target != kNoSlot && !is_there)
      copy(scope, carries[k].now, target, scope.graph.values[node.operands[k]].shape.byte_size());
  }
  return ok_status();
}

Status Planner::plan_conditional(Scope& scope, const Node& node, int depth) {
  if (depth >= kMaxNesting)
    return unimplemented(
        fmt::format("{}: branches are nested more than {} deep", describe(*node.instruction), kMaxNesting));
  const auto& attributes = attributes_of<hlo::ConditionalAttributes>(*node.instruction);
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
    ++clock_;
    HILO_ASSIGN_OR_RETURN(ListResult list, plan_list(graph, parameters, plan, depth + 1));
    branches.lists.push_back(std::move(list.steps));
  }
  ++clock_;
  for (ValueId v : node.operands) use(scope.places[v].slot);
  for (SlotId slot : plan.targets) use(slot);
  Step step{StepKind::kConditional};
  step.index = static_cast<uint32_t>(plan_.branches.size());
  plan_.branches.push_back(std::move(branches));
  scope.steps.push_back(step);
  return ok_status();
}

Status Planner::plan_library_call(Scope& scope, const Node& node) {
  LibraryCall call;
  for (ValueId v : node.operands) {
    call.operands.push_back(scope.graph.values[v].shape);
    const auto view = scope.views.find(v);
    call.views.push_back(view == scope.views.end() ? OperandView() : view->second.how);
  }
  for (ValueId v : node.results) {
    const auto view = scope.views.find(v);
    call.views.push_back(view == scope.views.end() ? OperandView() : view->second.how);
  }
  if (std::ranges::all_of(call.views, [](const OperandView& v) { return v.strides.empty(); })) call.views.clear();
  for (ValueId v : node.results) call.results.push_back(scope.graph.values[v].shape);
  HILO_ASSIGN_OR_RETURN(const LibraryChoice choice,
                        target_.library_choice({*node.instruction, call.operands, call.results}));
  call.symbol = choice.symbol;
  HILO_ASSIGN_OR_RETURN(call.call, call_of(node));
  for (const CodeFunction& function : choice.code) call.code.push_back(add_function(plan_, function));
  if (choice.updates_in_place)
    place_over(scope, node.results[0], node.operands[0], std::ranges::count(node.operands, node.operands[0]) == 1);
  std::vector<SlotId> arguments;
  for (ValueId v : node.operands) arguments.push_back(scope.places[v].slot);
  for (ValueId v : node.results) {
    const auto view = scope.views.find(v);
    arguments.push_back(output_slot(scope, view == scope.views.end() ? v : view->second.of));
  }
  PlannedWork work = work_of(places_, scope.graph, node, node.instruction->def().name);
  scope.steps.push_back(library_step(std::move(call), arguments, std::move(work)));
  return ok_status();
}

}  // namespace hilo::engine
