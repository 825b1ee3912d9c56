// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/plan_list.h"

#include <algorithm>
#include <utility>

#include "hilo/base/sizes.h"
#include "hilo/engine/register_loop.h"
#include "hilo/engine/straight_plan.h"
#include "hilo/hlo/ops/control_flow.h"

namespace hilo::engine {
namespace {

/// An element of a loop's carry. Its slots alternate between two blocks of memory, unless the body updates it in place.
struct Carry {
  SlotId now, next;
  SlotId home = kNoSlot;   ///< the memory of `next` in the first turn; kNoSlot if the element never changes
  bool in_target = false;  ///< whether it begins in the memory of the loop's result

  bool fixed() const { return home == kNoSlot; }
};

/// Returns the slots of a loop's carry. Adds the steps that initialize them.
std::vector<Carry> start_carries(Scope& scope, const Node& node, const Graph& body) {
  std::vector<Carry> carries;
  for (size_t k = 0; k < node.operands.size(); ++k) {
    Carry carry{new_slot(scope.state, SlotSource::kMoving, 0), kNoSlot};
    carry.next = carry.now;
    if (body.results[k] != body.parameters[k]) {
      carry.next = new_slot(scope.state, SlotSource::kMoving, 0);
      carry.home = new_arena_slot(scope.state, scope.bytes_of(node.operands[k]));
      scope.state.slot_buffers[carry.next] = scope.state.slot_buffers[carry.home];
    }
    carries.push_back(carry);
  }
  for (size_t k = 0; k < carries.size(); ++k) {
    Carry& carry = carries[k];
    const ValueId init = node.operands[k];
    const int64_t bytes = scope.bytes_of(init);
    const SlotId from = scope.places[init].slot;
    const bool dies = scope.dies(init) && std::ranges::count(node.operands, init) == 1;
    if (carry.fixed() || (scope.places[init].owned && dies)) {
      add_alias(scope, from, carry.now);
    } else {
      // If a result has a target slot, the carry starts there. It stays there if the body works in place.
      ValuePlace& result = scope.places[node.results[k]];
      carry.in_target = result.target != kNoSlot;
      if (dies) result.overwrites.push_back(init);
      add_alias(scope, carry.in_target ? result.target : new_arena_slot(scope.state, bytes), carry.now);
      if (from != kNoSlot) add_copy(scope, from, carry.now, bytes);  // otherwise the loop will fill it
    }
    if (!carry.fixed()) add_alias(scope, carry.home, carry.next);
  }
  return carries;
}

/// Plans the swaps after each turn and the places of the results. `turned`: the slots in which a turn leaves them.
void end_carries(Scope& scope, const Node& node, std::span<const Carry> carries, std::span<const SlotId> turned,
                 WhileLoop& loop) {
  for (size_t k = 0; k < carries.size(); ++k) {
    const Carry& carry = carries[k];
    const bool moved = turned[k] != carry.now;
    if (moved) {
      loop.swaps.push_back({carry.now, carry.next});
      may_become(scope.state, carry.now, carry.next);
    } else if (!carry.fixed()) {  // updated in place: no swap, no home
      for (BufferId b : scope.state.slot_buffers[carry.home]) scope.state.ranges[b].bytes = 0;
    }
    const Shape& shape = scope.graph.values[node.operands[k]].shape;
    if (shape.is_array() && shape.element_count() == 1)
      loop.scalars.push_back({carry.now, turned[k], shape.element_type(), carry.fixed()});
    use(scope.state, carry.now);
    use(scope.state, carry.next);
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

/// Places element k of the carry, which stays in memory. Returns the slot in which it begins and ends.
SlotId place_in_memory(Scope& scope, const Node& node, size_t k, LeafHome home) {
  const ValueId v = node.results[k], w = node.operands[k];
  const bool alone = std::ranges::count(node.operands, w) == 1;
  if (scope.places[w].slot == kNoSlot) return output_slot(scope, v);  // the loop will fill it
  if (home == LeafHome::kWritten || scope.places[v].target != kNoSlot) place_over(scope, v, w, alone);
  else place_unchanged(scope, v, w, alone);
  return output_slot(scope, v);
}

/// Plans the loop with its carry in registers. Returns false if the loop isn't suitable.
StatusOr<bool> plan_register_loop(Scope& scope, const Node& node) {
  const auto& attributes = hlo::attributes_of<hlo::WhileAttributes>(*node.instruction);
  const std::optional<RegisterLoopForm> form = register_loop_form(*attributes.condition, *attributes.body);
  if (!form) return false;
  HILO_ASSIGN_OR_RETURN(const std::optional<CodeFunction> function,
                        scope.state.target.register_loop(*attributes.condition, *attributes.body, *form));
  if (!function) return false;
  LibraryCall call{std::string(kRegisterLoop), nullptr, {}, {}, {add_function(scope.state.plan, *function)}};
  call.batch = form->batch;
  std::vector<SlotId> arguments;
  for (size_t k = 0; k < node.operands.size(); ++k) {
    const ValueId w = node.operands[k];
    const Shape& shape = scope.graph.values[w].shape;
    call.operands.push_back(shape);
    if (form->homes[k] != LeafHome::kRegisters) {
      arguments.push_back(place_in_memory(scope, node, k, form->homes[k]));
      continue;
    }
    const SlotId slot = scope.places[w].slot;
    // without a slot, the loop will fill it
    arguments.push_back(slot != kNoSlot ? slot : new_arena_slot(scope.state, shape.byte_size()));
    use(scope.state, arguments.back());
  }
  for (size_t k = 0; k < node.results.size(); ++k) {
    const ValueId v = node.results[k], w = node.operands[k];
    call.results.push_back(scope.graph.values[v].shape);
    if (form->homes[k] != LeafHome::kRegisters) {
      arguments.push_back(arguments[k]);
      continue;
    }
    // Each index of the batch is read before it is written. An operand that all indices read must not be overwritten.
    const bool apart = form->batch == 1 || batch_dimension(call.operands[k], form->batch);
    if (apart && std::ranges::count(node.operands, w) == 1) place_written(scope, v, w);
    arguments.push_back(output_slot(scope, v));
  }
  scope.steps.push_back(
      library_step(scope.state, std::move(call), arguments, work_of(scope.state.places, scope.graph, node, "loop")));
  return true;
}

/// Returns the straight line of a loop's body, if it is faster than the body's steps. Its carry has one place for each
/// of two turns, so that the line never writes what it reads.
StatusOr<std::vector<StraightPart>> body_line(const Scope& scope, const hlo::ComputationPtr& body, const Graph& graph) {
  if (!scope.state.straight_bodies || !scope.state.target.straight_line_options()) return std::vector<StraightPart>();
  PlanState apart{scope.state.module, scope.state.target};  // planned for its time only
  apart.straight_bodies = false;
  std::vector<SlotId> parameters;
  ResultPlan plan;
  for (ValueId v : graph.parameters) parameters.push_back(new_arena_slot(apart, graph.values[v].shape.byte_size()));
  for (ValueId v : graph.results) {
    plan.targets.push_back(new_arena_slot(apart, graph.values[v].shape.byte_size()));
    plan.in_place.push_back(kNoSlot);
  }
  HILO_ASSIGN_OR_RETURN(const ListResult turn, plan_list(apart, graph, parameters, plan, scope.depth + 1));
  return choose_straight_line(apart, body, turn.steps);
}

/// Plans a turn as straight lines, and as steps for results that their guard rejects. Each result ends in its target.
StatusOr<ListResult> plan_straight_turn(Scope& scope, const Graph& body, std::span<const StraightPart> lines,
                                        std::span<const SlotId> now, ResultPlan plan) {
  PlanState& state = scope.state;
  std::vector<SlotId> written = plan.targets;
  for (size_t k = 0; k < now.size(); ++k) {  // an element that never changes may be in memory of the caller
    if (written[k] == now[k]) written[k] = new_arena_slot(state, body.values[body.results[k]].shape.byte_size());
  }
  HILO_ASSIGN_OR_RETURN(StraightSteps straight, straight_steps(state, lines, now, written));
  ListResult turn{std::move(straight.steps), plan.targets};
  if (straight.guard == kNoSlot) return turn;
  ++state.clock;
  plan.in_place.assign(plan.targets.size(), kNoSlot);
  const bool before = std::exchange(state.straight_bodies, false);
  const size_t first_kernel = state.kernels.size();
  StatusOr<ListResult> otherwise = plan_list(state, body, now, plan, scope.depth + 1);
  state.straight_bodies = before;
  HILO_RETURN_IF_ERROR(otherwise.status());
  for (PlannedKernel& kernel : std::span(state.kernels).subspan(first_kernel)) kernel.is_rare = true;
  ++state.clock;
  use(state, straight.guard);
  turn.steps.push_back({.kind = StepKind::kConditional, .index = size32(state.plan.branches)});
  state.plan.branches.push_back({{{}, std::move(otherwise->steps)}, straight.guard, true});
  return turn;
}

}  // namespace

Status plan_while(Scope& scope, const Node& node) {
  HILO_ASSIGN_OR_RETURN(const bool planned, plan_register_loop(scope, node));
  if (planned) return ok_status();
  const auto& attributes = hlo::attributes_of<hlo::WhileAttributes>(*node.instruction);
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
  ++scope.state.clock;
  HILO_ASSIGN_OR_RETURN(ListResult test,
                        plan_list(scope.state, condition, now, {{kNoSlot}, {kNoSlot}}, scope.depth + 1));
  loop.condition = std::move(test.steps);
  loop.predicate = test.result_slots[0];
  ++scope.state.clock;
  HILO_ASSIGN_OR_RETURN(const std::vector<StraightPart> lines, body_line(scope, attributes.body, body));
  HILO_ASSIGN_OR_RETURN(ListResult turn, lines.empty() ? plan_list(scope.state, body, now, plan, scope.depth + 1)
                                                       : plan_straight_turn(scope, body, lines, now, plan));
  loop.body = std::move(turn.steps);
  ++scope.state.clock;
  end_carries(scope, node, carries, turn.result_slots, loop);
  scope.steps.push_back({.kind = StepKind::kWhile,
                         .index = size32(scope.state.plan.loops),
                         .work = add_work(scope.state, work_of(scope.state.places, scope.graph, node, "loop"))});
  scope.state.plan.loops.push_back(std::move(loop));
  for (size_t k = 0; k < carries.size(); ++k) {
    const SlotId target = scope.places[node.results[k]].target;
    const bool is_there = carries[k].in_target && turn.result_slots[k] == carries[k].now;
    if (target != kNoSlot && !is_there) add_copy(scope, carries[k].now, target, scope.bytes_of(node.operands[k]));
  }
  return ok_status();
}

}  // namespace hilo::engine
