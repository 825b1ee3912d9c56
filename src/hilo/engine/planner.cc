// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/base/stop.h"
#include "hilo/engine/region_ops.h"
#include "hilo/engine/region_poll.h"
#include "hilo/engine/region_split.h"
#include "hilo/hlo/ir/entry_shapes.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::engine {

using hlo::Opcode;

namespace {

constexpr int64_t kTasksPerKernel = 16;

/// About `wanted` units of the outermost dimension. Parts begin at whole vectors or blocks, and none is shorter than one.
int64_t whole_units(const Region& region, int64_t wanted, const Target& target) {
  const RegionShape shape = target.shape_of(region);
  const int64_t step = shape.vector_dimension == 0 ? shape.step : region.row_begin == 2 ? shape.block_rows : 1;
  return (std::max<int64_t>(wanted, 1) + step - 1) / step * step;
}

/// Units of the outermost dimension per task; 0 if the kernel runs on the caller's thread.
int64_t chunk_of(const Region& region, double nanoseconds, int64_t units, const Target& target) {
  if (region.row_begin == 0 || units < 2 || nanoseconds < target.costs().fork) return 0;
  const int64_t whole = whole_units(region, units / kTasksPerKernel, target);
  return whole != 1 && units < 2 * whole ? 0 : whole;
}

/// Units between looks at the stop word; 0 if there is nothing to look for before the end.
int64_t stretch_of(const Region& region, double nanoseconds, int64_t units, const Target& target) {
  if (region.row_begin == 0 || units < 2 || nanoseconds < 2 * kStretchNanoseconds) return 0;
  const auto stretches = static_cast<int64_t>(std::min(nanoseconds / kStretchNanoseconds, static_cast<double>(units)));
  return whole_units(region, units / stretches, target);
}

}  // namespace

StatusOr<PlannedProgram> Planner::run() && {
  plan_.target = target_.name();
  HILO_ASSIGN_OR_RETURN(const Graph graph, build_graph(*module_.entry));
  StepList first;
  std::vector<SlotId> parameters = relayout_arguments(first);
  std::vector<SlotId> targets;
  const std::vector<Shape> leaves = entry_result_shape(module_).leaves();
  ResultPlan plan;
  for (size_t r = 0; r < graph.results.size(); ++r) {
    targets.push_back(new_slot(SlotSource::kResult, static_cast<int64_t>(r)));
    plan.targets.push_back(leaves[r].has_default_layout() ? targets.back() : kNoSlot);
    plan.in_place.push_back(kNoSlot);
  }
  HILO_ASSIGN_OR_RETURN(ListResult list, plan_list(graph, parameters, plan, 0, true));
  first.insert(first.end(), list.steps.begin(), list.steps.end());
  plan_.steps = std::move(first);
  relayout_results(leaves, list.result_slots, targets);
  HILO_RETURN_IF_ERROR(assign_arena());
  return PlannedProgram{std::move(plan_), std::move(kernels_), {}};
}

StatusOr<Planner::ListResult> Planner::plan_list(const Graph& graph, const std::vector<SlotId>& parameters,
                                                 const ResultPlan& plan, int depth, bool is_entry) {
  HILO_ASSIGN_OR_RETURN(RegionGraph regions, form_regions(graph, target_.costs()));
  const ValueViews views = take_views(graph, regions, target_);
  Scope scope{graph, views, lifetimes_of(graph, regions, views), std::vector<ValuePlace>(graph.values.size()), {}};
  for (size_t p = 0; p < parameters.size(); ++p) scope.places[graph.parameters[p]].slot = parameters[p];
  scope.is_entry = is_entry;
  aim_results(scope, plan);
  const std::vector<Item>& items = scope.lifetimes.items;
  for (size_t i = 0; i < items.size(); ++i) {
    HILO_RETURN_IF_ERROR(stop_status());
    scope.item = static_cast<int64_t>(i);
    ++clock_;
    if (items[i].is_region) plan_region(scope, std::move(regions.regions[items[i].index]));
    else HILO_RETURN_IF_ERROR(plan_node(scope, static_cast<uint32_t>(items[i].index), depth));
  }
  ++clock_;
  ListResult result;
  for (size_t r = 0; r < graph.results.size(); ++r) {
    const ValueId v = graph.results[r];
    SlotId slot = scope.places[v].slot;
    if (slot == kNoSlot)
      return internal_error(fmt::format("plan: result {} of '{}' is never computed", r, module_.name));
    use(slot);
    const bool stays = plan.targets[r] == kNoSlot || slot == plan.targets[r] ||
                       (plan.in_place[r] != kNoSlot && slot == plan.in_place[r]);
    if (!stays) {
      copy(scope, slot, plan.targets[r], graph.values[v].shape.byte_size());
      slot = plan.targets[r];
    }
    result.result_slots.push_back(slot);
  }
  if (is_entry) add_donations(scope, plan.targets);
  result.steps = std::move(scope.steps);
  return result;
}

/// Says of each value that is a result where it must end. Of a value that is several results, the first counts.
void Planner::aim_results(Scope& scope, const ResultPlan& plan) {
  const Graph& graph = scope.graph;
  for (size_t r = 0; r < graph.results.size(); ++r) {
    ValuePlace& place = scope.places[graph.results[r]];
    const uint32_t node = graph.values[graph.results[r]].node;
    if (node == ~0u || graph.nodes[node].instruction->opcode == Opcode::kConstant) continue;
    if (plan.targets[r] == kNoSlot || place.target != kNoSlot) continue;
    place.target = plan.targets[r];
    place.update_in_place = plan.in_place[r];
  }
}

void Planner::plan_region(Scope& scope, Region region) {
  if (place_as(scope, region)) return;
  for (const RegionInput& input : region.inputs) use(scope.places[input.value].slot);
  if (region.updated != kNoValue) place_update(scope, region);
  else
    for (const RegionOutput& o : region.outputs) place_output(scope, region, o);
  std::vector<SlotId> arguments;
  for (const RegionInput& input : region.inputs) arguments.push_back(scope.places[input.value].slot);
  if (std::optional<SplitRegion> split = split_reduction(region))
    return plan_split(scope, region, *std::move(split), std::move(arguments));
  for (const RegionOutput& o : region.outputs) arguments.push_back(scope.places[o.value].slot);
  PlannedWork work = work_of(places_, scope.graph, region, target_);
  add_kernel(scope, std::move(region), std::move(arguments), std::move(work));
}

/// A reduction in parts, then of the parts.
void Planner::plan_split(Scope& scope, const Region& region, SplitRegion split, std::vector<SlotId> inputs) {
  PlannedWork rest{.kind = "kernel"};
  std::vector<SlotId> partials;
  for (int64_t bytes : split.partial_bytes) {
    partials.push_back(new_arena_slot(bytes));
    rest.bytes += static_cast<double>(bytes);
  }
  std::vector<SlotId> inner = inputs;
  inner.insert(inner.end(), partials.begin(), partials.end());
  add_kernel(scope, std::move(split.parts), std::move(inner), work_of(places_, scope.graph, region, target_));
  ++clock_;
  std::vector<SlotId> outer = std::move(inputs);
  outer.insert(outer.end(), partials.begin(), partials.end());
  for (const RegionOutput& o : region.outputs) outer.push_back(scope.places[o.value].slot);
  for (SlotId slot : outer) use(slot);
  add_kernel(scope, std::move(split.whole), std::move(outer), std::move(rest));
}

void Planner::add_kernel(Scope& scope, Region region, std::vector<SlotId> arguments, PlannedWork work) {
  for (size_t k = 0; k < region.row_begin; ++k) {
    if (region.extents[k] == 0) return;  // nothing to write
  }
  const double nanoseconds = region_cost(region, target_.costs());
  Step step{StepKind::kKernel};
  step.index = static_cast<uint32_t>(kernels_.size());
  work.nanoseconds = nanoseconds;
  step.work = add_work(std::move(work));
  set_arguments(step, arguments);
  step.units = region.row_begin > 0 ? region.extents[0] : 1;
  step.chunk = chunk_of(region, nanoseconds, step.units, target_);
  step.stretch = stretch_of(region, nanoseconds, step.units, target_);
  plan_.forks |= step.chunk != 0;
  std::vector<bool> single;
  const auto add = [&](ValueId v) {
    single.push_back(v != kNoValue && scope.graph.values[v].shape.element_count() == 1);
  };
  for (const RegionInput& input : region.inputs) add(input.value);
  for (const RegionOutput& output : region.outputs) add(output.value);
  kernels_.push_back({std::move(region), std::move(single), nanoseconds});
  scope.steps.push_back(step);
}

Status Planner::plan_node(Scope& scope, uint32_t n, int depth) {
  const Node& node = scope.graph.nodes[n];
  const hlo::Instruction& i = *node.instruction;
  for (ValueId v : node.operands) {
    const auto view = scope.views.find(v);
    if (view != scope.views.end()) scope.places[v].slot = scope.places[view->second.of].slot;
    if (scope.places[v].slot != kNoSlot) use(scope.places[v].slot);  // else memory that a loop will fill
  }
  if (i.opcode == Opcode::kConstant) {
    scope.places[node.results[0]].slot = constant_slot(hlo::attributes_of<hlo::ConstantAttributes>(i).value);
    return ok_status();
  }
  if (i.opcode == Opcode::kWhile) return plan_while(scope, node, depth);
  if (i.opcode == Opcode::kConditional) return plan_conditional(scope, node, depth);
  return plan_library_call(scope, node);
}

void Planner::add_donations(const Scope& scope, const std::vector<SlotId>& targets) {
  constexpr size_t kMaxPairs = 4096;
  const Graph& graph = scope.graph;
  const auto is_safe = [&](size_t r, size_t p) {
    const ValueId v = graph.results[r], w = graph.parameters[p];
    if (graph.values[v].shape.byte_size() != graph.values[w].shape.byte_size()) return false;
    if (v == w) {  // no array is laid out anew in its own memory
      const bool stays = targets[r] != kNoSlot || plan_.slots[scope.places[w].slot].source != SlotSource::kArgument;
      return stays && std::ranges::count(graph.results, v) == 1;
    }
    const ValuePlace& place = scope.places[v];
    const int64_t last_use = scope.lifetimes.last_use[w];
    if (place.slot != targets[r] || targets[r] == kNoSlot) return false;
    if (last_use < place.first_item) return true;
    return last_use == place.first_item && std::ranges::find(place.overwrites, w) != place.overwrites.end();
  };
  for (const hlo::Alias& alias : module_.aliases) {
    const size_t r = alias.result_index.empty() ? 0 : static_cast<size_t>(alias.result_index[0]);
    const size_t p = static_cast<size_t>(alias.parameter_number);
    if (!alias.parameter_index.empty() || alias.result_index.size() > 1) continue;
    if (r < graph.results.size() && p < graph.parameters.size() && is_safe(r, p)) {
      plan_.donations.push_back({static_cast<uint32_t>(r), static_cast<uint32_t>(p)});
    }
  }
  for (size_t r = 0; r < graph.results.size(); ++r) {
    for (size_t p = 0; p < graph.parameters.size() && plan_.donations.size() < kMaxPairs; ++p) {
      if (is_safe(r, p)) plan_.donations.push_back({static_cast<uint32_t>(r), static_cast<uint32_t>(p)});
    }
  }
}

std::vector<uint32_t> number_kernels(Plan& plan) {
  std::vector<uint32_t> old_numbers;
  boost::unordered_flat_map<uint32_t, uint32_t> new_numbers;
  const auto renumber = [&](uint32_t& kernel) {
    const auto [it, added] = new_numbers.emplace(kernel, static_cast<uint32_t>(old_numbers.size()));
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

StatusOr<PlannedProgram> plan_steps(const hlo::Module& module, const Target& target) {
  return Planner(module, target).run();
}

}  // namespace hilo::engine
