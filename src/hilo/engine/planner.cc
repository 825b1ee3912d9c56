// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/planner.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/base/sizes.h"
#include "hilo/engine/plan_list.h"
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

}  // namespace

StatusOr<PlannedProgram> plan_steps(const hlo::Module& module, const Target& target) {
  PlanState state{module, target};
  state.plan.target = target.name();
  HILO_ASSIGN_OR_RETURN(const Graph graph, build_graph(*module.entry));
  const std::vector<SlotId> parameters = relayout_arguments(state);
  std::vector<SlotId> targets;
  const std::vector<Shape> leaves = entry_result_shape(module).leaves();
  ResultPlan results;
  for (size_t r = 0; r < graph.results.size(); ++r) {
    targets.push_back(new_slot(state, SlotSource::kResult, r));
    results.targets.push_back(leaves[r].has_default_layout() ? targets.back() : kNoSlot);
    results.in_place.push_back(kNoSlot);
  }
  HILO_ASSIGN_OR_RETURN(const ListResult list, plan_list(state, graph, parameters, results, 0));
  state.plan.steps.insert(state.plan.steps.end(), list.steps.begin(), list.steps.end());
  relayout_results(state, leaves, list.result_slots, targets);
  HILO_RETURN_IF_ERROR(assign_arena(state));
  PlannedProgram program{std::move(state.plan), std::move(state.kernels), {}};
  HILO_RETURN_IF_ERROR(check_memory(program));
  return program;
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
