// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "hilo/backend/cpu/emit/scalar_program.h"
#include "hilo/backend/cpu/execution_units.h"
#include "hilo/backend/cpu/heroes.h"
#include "hilo/backend/cpu/planner.h"
#include "hilo/backend/cpu/region_ops.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/not_yet.h"

namespace hilo::cpu {

using hlo::attributes_of;

namespace {
constexpr int kMaxNesting = 128;  // loops and branches inside each other
}

Status Planner::plan_while(Scope& scope, const Node& node, int depth) {
  if (depth >= kMaxNesting)
    return unimplemented(
        fmt::format("{}: loops are nested more than {} deep", describe(*node.instruction), kMaxNesting));
  const auto& attributes = attributes_of<hlo::WhileAttributes>(*node.instruction);
  if (is_scalar_program(*attributes.condition) && is_scalar_program(*attributes.body)) {
    HILO_ASSIGN_OR_RETURN(std::unique_ptr<Hero> hero,
                          make_scalar_loop_hero(*attributes.condition, *attributes.body, isa_));
    std::vector<SlotId> arguments;
    for (ValueId v : node.operands) arguments.push_back(scope.slot_of[v]);
    for (ValueId v : node.results) arguments.push_back(output_slot(scope, v));
    scope.steps.push_back(hero_step(std::move(hero), arguments, unit_of(scope.graph, node, "loop")));
    return ok_status();
  }
  HILO_ASSIGN_OR_RETURN(const Graph condition, build_graph(*attributes.condition));
  HILO_ASSIGN_OR_RETURN(const Graph body, build_graph(*attributes.body));
  const size_t count = node.operands.size();
  const auto bytes = [&](size_t k) { return scope.graph.values[node.operands[k]].shape.byte_size(); };
  // The carry's slots move between two stretches of memory each, unless the body updates in place.
  std::vector<SlotId> now, next, home;
  ResultPlan plan;
  for (size_t k = 0; k < count; ++k) {
    now.push_back(new_slot(SlotSource::kMoving, 0));
    const bool fixed = body.results[k] == body.parameters[k];
    next.push_back(fixed ? now[k] : new_slot(SlotSource::kMoving, 0));
    home.push_back(fixed ? kNoSlot : new_arena_slot(bytes(k)));
    if (!fixed) slot_buffers_[next[k]] = slot_buffers_[home[k]];
    plan.targets.push_back(next[k]);
    plan.in_place.push_back(now[k]);
  }
  // Where the carry is when the loop begins.
  for (size_t k = 0; k < count; ++k) {
    const ValueId init = node.operands[k];
    const SlotId from = scope.slot_of[init];
    const bool fixed = home[k] == kNoSlot;
    const bool alone = std::ranges::count(node.operands, init) == 1;
    const bool dies = scope.owned[init] && scope.last_use[init] == scope.item && alone;
    if (fixed || dies) {
      alias(scope, from, now[k]);
    } else {
      // A result that must end somewhere starts there: if the body works in place, it stays.
      const ValueId result = node.results[k];
      const SlotId start = scope.target[result] != kNoSlot ? scope.target[result] : new_arena_slot(bytes(k));
      if (alone && scope.last_use[init] == scope.item) scope.overwrites[result].push_back(init);
      alias(scope, start, now[k]);
      if (from != kNoSlot) copy(scope, from, now[k], bytes(k));  // else the loop will fill it
    }
    if (!fixed) alias(scope, home[k], next[k]);
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
  for (size_t k = 0; k < count; ++k) {
    const bool moved = turn.result_slots[k] != now[k];
    if (moved) {
      loop.swaps.emplace_back(now[k], next[k]);
      for (BufferId b : slot_buffers_[next[k]]) {
        if (std::ranges::find(slot_buffers_[now[k]], b) == slot_buffers_[now[k]].end())
          slot_buffers_[now[k]].push_back(b);
      }
    }
    const Shape& shape = scope.graph.values[node.operands[k]].shape;
    if (shape.is_array() && shape.element_count() == 1)
      loop.scalars.push_back({now[k], turn.result_slots[k], shape.element_type(), home[k] == kNoSlot});
    use(now[k]);
    use(next[k]);
    const ValueId result = node.results[k];
    scope.first_item[result] = scope.item;
    scope.slot_of[result] = now[k];
    const SlotId target = scope.target[result];
    const bool fixed = home[k] == kNoSlot;
    const bool started_there = target != kNoSlot && !fixed &&
                               !(scope.owned[node.operands[k]] && scope.last_use[node.operands[k]] == scope.item &&
                                 std::ranges::count(node.operands, node.operands[k]) == 1);
    if (target == kNoSlot) {
      scope.owned[result] = !fixed;
      continue;
    }
    if (started_there && !moved) {
      scope.slot_of[result] = target;
      continue;
    }
    scope.pending_copies.push_back({now[k], target, bytes(k)});
    scope.slot_of[result] = target;
  }
  Step step{StepKind::kWhile};
  step.work = work(unit_of(scope.graph, node, "loop"));
  step.index = static_cast<uint32_t>(program_.loops.size());
  program_.loops.push_back(std::move(loop));
  scope.steps.push_back(step);
  for (const auto& [from, to, size] : scope.pending_copies) copy(scope, from, to, size);
  scope.pending_copies.clear();
  return ok_status();
}

Status Planner::plan_conditional(Scope& scope, const Node& node, int depth) {
  if (depth >= kMaxNesting)
    return unimplemented(
        fmt::format("{}: branches are nested more than {} deep", describe(*node.instruction), kMaxNesting));
  const auto& attributes = attributes_of<hlo::ConditionalAttributes>(*node.instruction);
  Branches branches;
  branches.predicated = attributes.predicated;
  branches.selector = scope.slot_of[node.operands[0]];
  ResultPlan plan;
  for (ValueId v : node.results) {
    plan.targets.push_back(output_slot(scope, v));
    plan.in_place.push_back(kNoSlot);
  }
  size_t next = 1;
  for (const hlo::ComputationPtr& branch : attributes.branches) {
    HILO_ASSIGN_OR_RETURN(const Graph graph, build_graph(*branch));
    std::vector<SlotId> parameters;
    for (size_t k = 0; k < graph.parameters.size(); ++k) parameters.push_back(scope.slot_of[node.operands[next++]]);
    ++clock_;
    HILO_ASSIGN_OR_RETURN(ListResult list, plan_list(graph, parameters, plan, depth + 1));
    branches.lists.push_back(std::move(list.steps));
  }
  ++clock_;
  for (ValueId v : node.operands) use(scope.slot_of[v]);
  for (SlotId slot : plan.targets) use(slot);
  Step step{StepKind::kConditional};
  step.index = static_cast<uint32_t>(program_.branches.size());
  program_.branches.push_back(std::move(branches));
  scope.steps.push_back(step);
  return ok_status();
}

Status Planner::plan_hero(Scope& scope, const Node& node) {
  std::vector<Shape> operands, results;
  for (ValueId v : node.operands) operands.push_back(scope.graph.values[v].shape);
  for (ValueId v : node.results) results.push_back(scope.graph.values[v].shape);
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Hero> hero, make_hero(*node.instruction, operands, results, isa_));
  if (hero->updates_in_place())
    place_over(scope, node.results[0], node.operands[0], std::ranges::count(node.operands, node.operands[0]) == 1);
  std::vector<SlotId> arguments;
  for (ValueId v : node.operands) arguments.push_back(scope.slot_of[v]);
  for (ValueId v : node.results) arguments.push_back(output_slot(scope, v));
  ExecutionUnit unit = unit_of(scope.graph, node, node.instruction->def().name);
  scope.steps.push_back(hero_step(std::move(hero), arguments, std::move(unit)));
  return ok_status();
}

}  // namespace hilo::cpu
