// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/planner.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/base/sizes.h"
#include "hilo/engine/plan_list.h"
#include "hilo/engine/straight_plan.h"
#include "hilo/hlo/ir/entry_shapes.h"

namespace hilo::engine {
namespace {

/// Creates the step that copies between two layouts.
Step relayout_step(PlanState& state, std::string_view symbol, const Shape& from, const Shape& to,
                   std::span<const SlotId> slots) {
  return library_step(state, {std::string(symbol), nullptr, {from}, {to}, {}}, slots,
                      {.kind = "relayout", .bytes = 2.0 * static_cast<double>(from.byte_size())});
}

/// Returns the slots of the arguments in row-major order. Adds steps that copy arguments with another layout.
std::vector<SlotId> relayout_arguments(PlanState& state) {
  std::vector<SlotId> slots;
  for (const Shape& parameter : entry_parameter_shapes(state.module)) {
    for (const Shape& shape : parameter.leaves()) {
      slots.push_back(new_slot(state, SlotSource::kArgument, std::ssize(slots)));
      if (shape.has_default_layout()) continue;
      const SlotId copy[] = {slots.back(), new_arena_slot(state, shape.byte_size())};
      slots.back() = copy[1];
      state.plan.steps.push_back(relayout_step(state, kToRowMajor, shape, shape.with_default_layout(), copy));
    }
  }
  return slots;
}

/// Adds steps at the end that copy the results in `from` to `to`, in the caller's layouts.
void relayout_results(PlanState& state, std::span<const Shape> leaves, std::span<const SlotId> from,
                      std::span<const SlotId> to) {
  for (size_t r = 0; r < leaves.size(); ++r) {
    const Shape& shape = leaves[r];
    if (shape.has_default_layout()) continue;
    use(state, from[r]);
    const SlotId copy[] = {from[r], to[r]};
    state.plan.steps.push_back(relayout_step(state, kFromRowMajor, shape.with_default_layout(), shape, copy));
  }
}

/// The slots of the caller's arguments, in row-major order, and results.
struct EntrySlots {
  std::vector<SlotId> parameters, targets;
};

EntrySlots entry_slots(PlanState& state) {
  state.plan.target = state.target.name();
  EntrySlots slots{relayout_arguments(state), {}};
  for (size_t r = 0; r < entry_result_shape(state.module).leaves().size(); ++r)
    slots.targets.push_back(new_slot(state, SlotSource::kResult, r));
  return slots;
}

StatusOr<PlannedProgram> finish_plan(PlanState& state) {
  HILO_RETURN_IF_ERROR(assign_arena(state));
  PlannedProgram program{std::move(state.plan), std::move(state.kernels), {}};
  HILO_RETURN_IF_ERROR(check_memory(program));
  return program;
}

/// Plans the straight lines alone.
StatusOr<PlannedProgram> plan_lines(const hlo::Module& module, const Target& target,
                                    std::span<const StraightPart> lines) {
  PlanState state{module, target};
  const EntrySlots slots = entry_slots(state);
  HILO_ASSIGN_OR_RETURN(const StraightSteps straight, straight_steps(state, lines, slots.parameters, slots.targets));
  state.plan.steps.insert(state.plan.steps.end(), straight.steps.begin(), straight.steps.end());
  return finish_plan(state);
}

/// Plans the straight lines, and the steps of the module's plan for results that their guard rejects.
Status guard_lines(PlanState& state, std::span<const StraightPart> lines, const EntrySlots& slots, StepList otherwise) {
  HILO_ASSIGN_OR_RETURN(const StraightSteps straight, straight_steps(state, lines, slots.parameters, slots.targets));
  for (BufferId b : state.slot_buffers[straight.guard]) state.ranges[b].begin = 0;
  for (PlannedKernel& kernel : state.kernels) kernel.is_rare = true;
  state.plan.donations.clear();  // the lines write results before the steps read the arguments
  state.plan.steps.insert(state.plan.steps.end(), straight.steps.begin(), straight.steps.end());
  state.plan.steps.push_back({.kind = StepKind::kConditional, .index = size32(state.plan.branches)});
  state.plan.branches.push_back({{{}, std::move(otherwise)}, straight.guard, true});
  return ok_status();
}

}  // namespace

StatusOr<PlannedProgram> plan_steps(const hlo::Module& module, const Target& target) {
  PlanState state{module, target};
  HILO_ASSIGN_OR_RETURN(const Graph graph, build_graph(*module.entry));
  const EntrySlots slots = entry_slots(state);
  const std::vector<Shape> leaves = entry_result_shape(module).leaves();
  ResultPlan results;
  for (size_t r = 0; r < graph.results.size(); ++r) {
    results.targets.push_back(leaves[r].has_default_layout() ? slots.targets[r] : kNoSlot);
    results.in_place.push_back(kNoSlot);
  }
  HILO_ASSIGN_OR_RETURN(ListResult list, plan_list(state, graph, slots.parameters, results, 0));
  const std::vector<StraightPart> lines = choose_straight_line(state, module.entry, list.steps);
  if (!lines.empty() && !lines[0].line.has_guard) return plan_lines(module, target, lines);
  if (!lines.empty()) {
    HILO_RETURN_IF_ERROR(guard_lines(state, lines, slots, std::move(list.steps)));
    return finish_plan(state);
  }
  state.plan.steps.insert(state.plan.steps.end(), list.steps.begin(), list.steps.end());
  relayout_results(state, leaves, list.result_slots, slots.targets);
  return finish_plan(state);
}

std::vector<uint32_t> number_kernels(Plan& plan) {
  std::vector<uint32_t> old_numbers;
  boost::unordered_flat_map<uint32_t, uint32_t> new_numbers;
  const auto renumber = [&](uint32_t& kernel) {
    const auto [it, added] = new_numbers.emplace(kernel, size32(old_numbers));
    if (added) old_numbers.push_back(kernel);
    kernel = it->second;
  };
  for_each_list(plan, [&](StepList& steps) {
    for (Step& step : steps) {
      if (step.kind == StepKind::kKernel) renumber(step.index);
    }
  });
  for (WholeLoop& loop : plan.whole_loops) std::ranges::for_each(loop.kernels, renumber);
  return old_numbers;
}

}  // namespace hilo::engine
