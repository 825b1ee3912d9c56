// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/backend/cpu/execution_units.h"
#include "hilo/backend/cpu/kernel_cache.h"
#include "hilo/backend/cpu/region_ops.h"
#include "hilo/backend/cpu/region_poll.h"
#include "hilo/backend/cpu/region_split.h"
#include "hilo/backend/cpu/whole_loops.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::cpu {

using hlo::Opcode;

namespace {

constexpr double kWorthForking = 15000;  // ns of work
constexpr int64_t kTasksPerKernel = 16;

struct Item {
  ValueId key;
  bool is_region;
  size_t index;
};

/// About `wanted` units of the outermost dimension. Parts begin at whole vectors or blocks, and none is shorter than one.
int64_t whole_units(const Region& region, int64_t wanted, Isa isa) {
  const RegionShape shape = shape_of_region(region, isa);
  const int64_t step = shape.vector_dimension == 0 ? shape.lanes : region.row_begin == 2 ? shape.block_rows : 1;
  return (std::max<int64_t>(wanted, 1) + step - 1) / step * step;
}

/// Units of the outermost dimension per task; 0 if the kernel runs on the caller's thread.
int64_t chunk_of(const Region& region, int64_t units, Isa isa) {
  if (region.row_begin == 0 || units < 2 || estimated_cost(region) < kWorthForking) return 0;
  const int64_t whole = whole_units(region, units / kTasksPerKernel, isa);
  return whole != 1 && units < 2 * whole ? 0 : whole;
}

/// Units between looks at the stop word; 0 if there is nothing to look for before the end.
int64_t stretch_of(const Region& region, int64_t units, Isa isa) {
  const double cost = estimated_cost(region);
  if (region.row_begin == 0 || units < 2 || cost < 2 * kStretchNanoseconds) return 0;
  const auto stretches = static_cast<int64_t>(std::min(cost / kStretchNanoseconds, static_cast<double>(units)));
  return whole_units(region, units / stretches, isa);
}

}  // namespace

StatusOr<Program> Planner::run() && {
  HILO_ASSIGN_OR_RETURN(Graph graph, build_graph(*module_.entry));
  StepList first;
  std::vector<SlotId> parameters = relayout_arguments(first, graph);
  std::vector<SlotId> targets;
  const std::vector<Shape> leaves = module_.entry->result_shape().leaves();
  ResultPlan plan;
  for (size_t r = 0; r < graph.results.size(); ++r) {
    targets.push_back(new_slot(SlotSource::kResult, static_cast<int64_t>(r)));
    plan.targets.push_back(leaves[r].has_default_layout() ? targets.back() : kNoSlot);
    plan.in_place.push_back(kNoSlot);
  }
  HILO_ASSIGN_OR_RETURN(ListResult list, plan_list(graph, parameters, plan, 0, true));
  first.insert(first.end(), list.steps.begin(), list.steps.end());
  program_.steps = std::move(first);
  relayout_results(leaves, list.result_slots, targets);
  assign_offsets();
  if (loops_ == LoopForm::kFunctions) HILO_RETURN_IF_ERROR(make_whole_loops(program_, kernels_, isa_, observer_));
  HILO_RETURN_IF_ERROR(compile_kernels());
  return std::move(program_);
}

/// Code for the kernels that steps or whole loops call; the others are written into loops.
Status Planner::compile_kernels() {
  std::vector<uint32_t> place(kernels_.size(), ~0u);
  std::vector<Region> regions;
  const auto want = [&](uint32_t kernel) {
    if (place[kernel] != ~0u) return;
    place[kernel] = static_cast<uint32_t>(regions.size());
    regions.push_back(std::move(kernels_[kernel].region));
  };
  const auto for_each_list = [&](const auto& visit) {
    visit(program_.steps);
    for (WhileLoop& loop : program_.loops) {
      visit(loop.condition);
      visit(loop.body);
    }
    for (Branches& branches : program_.branches) std::ranges::for_each(branches.lists, visit);
    for (WholeLoop& loop : program_.whole_loops) visit(loop.handed_out);
  };
  for_each_list([&](const StepList& steps) {
    for (const Step& step : steps) {
      if (step.kind == StepKind::kKernel) want(step.index);
    }
  });
  for (const WholeLoop& loop : program_.whole_loops) std::ranges::for_each(loop.kernel_numbers, want);
  HILO_ASSIGN_OR_RETURN(const KernelBatch batch, kernels_for(regions, isa_, observer_));
  for_each_list([&](StepList& steps) {
    for (Step& step : steps) {
      if (step.kind == StepKind::kKernel) step.kernel = batch.kernels[place[step.index]].function;
    }
  });
  for (WholeLoop& loop : program_.whole_loops) {
    for (uint32_t kernel : loop.kernel_numbers) loop.kernels.push_back(batch.kernels[place[kernel]].function);
  }
  for (const CachedKernel& kernel : batch.kernels) {
    if (std::ranges::find(program_.code, kernel.code) == program_.code.end()) program_.code.push_back(kernel.code);
  }
  program_.kernel_count += static_cast<int64_t>(regions.size());
  program_.kernels_compiled += batch.compiled;
  return ok_status();
}

StatusOr<Planner::ListResult> Planner::plan_list(const Graph& graph, const std::vector<SlotId>& parameters,
                                                 const ResultPlan& plan, int depth, bool is_entry) {
  HILO_ASSIGN_OR_RETURN(RegionGraph regions, form_regions(graph));
  std::vector<Item> items;
  for (size_t k = 0; k < regions.regions.size(); ++k) items.push_back({regions.regions[k].root, true, k});
  for (uint32_t n : regions.other_nodes) {
    const Node& node = graph.nodes[n];
    items.push_back({node.results.empty() ? 0 : node.results[0], false, n});
  }
  std::ranges::stable_sort(items, {}, &Item::key);

  const size_t count = graph.values.size();
  Scope scope{graph,
              {},
              std::vector<SlotId>(count, kNoSlot),
              std::vector<int64_t>(count, -1),
              std::vector<bool>(count, false),
              std::vector<SlotId>(count, kNoSlot),
              std::vector<SlotId>(count, kNoSlot),
              std::vector<int64_t>(count, -1),
              std::vector<std::vector<ValueId>>(count),
              0,
              {}};
  for (size_t i = 0; i < items.size(); ++i) {
    const auto read = [&](ValueId v) { scope.last_use[v] = static_cast<int64_t>(i); };
    if (items[i].is_region) {
      const Region& region = regions.regions[items[i].index];
      for (const RegionInput& input : region.inputs) read(input.value);
      if (region.updated != kNoValue) read(region.updated);
    } else {
      for (ValueId v : graph.nodes[items[i].index].operands) read(v);
    }
  }
  for (size_t p = 0; p < parameters.size(); ++p) scope.slot_of[graph.parameters[p]] = parameters[p];
  for (size_t r = 0; r < graph.results.size(); ++r) {
    const ValueId v = graph.results[r];
    scope.last_use[v] = INT64_MAX;
    const uint32_t node = graph.values[v].node;
    if (node == ~0u || graph.nodes[node].instruction->opcode == Opcode::kConstant) continue;
    if (plan.targets[r] == kNoSlot || scope.target[v] != kNoSlot) continue;
    scope.target[v] = plan.targets[r];
    scope.update_in_place[v] = plan.in_place[r];
  }
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
    SlotId slot = scope.slot_of[v];
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
  if (is_entry) add_donations(graph, scope, plan.targets);
  result.steps = std::move(scope.steps);
  return result;
}

SlotId Planner::output_slot(Scope& scope, ValueId value) {
  SlotId& slot = scope.slot_of[value];
  if (slot == kNoSlot) {
    slot = scope.target[value];
    if (slot == kNoSlot) {
      slot = new_arena_slot(scope.graph.values[value].shape.byte_size());
      scope.owned[value] = true;
    }
    scope.first_item[value] = scope.item;
  }
  use(slot);
  return slot;
}

/// May the region write `output` over the memory of its operand? Every element is read before it is written, by the same
/// turn of the loop.
bool Planner::may_overwrite(const Scope& scope, const Region& region, const RegionOutput& output,
                            ValueId operand) const {
  if (region.has_row() && region.outputs.size() > 1) return false;
  if (scope.graph.values[operand].shape.byte_size() != scope.graph.values[output.value].shape.byte_size()) return false;
  bool reads = false;
  for (const RegionNode& n : region.nodes) {
    if (n.kind != NodeKind::kLoad || region.inputs[n.input].value != operand) continue;
    reads = true;
    if (!(n.index == output.index) || !n.guards.empty() || !n.index.terms.empty()) return false;
    if (element_size_bytes(n.type) != element_size_bytes(output.type)) return false;
    if (region.has_row() && output.index.coefficients.size() <= region.row_begin) return false;
  }
  return !reads || !shape_of_region(region, isa_).overlaps;
}

void Planner::place_output(Scope& scope, const Region& region, const RegionOutput& output) {
  const ValueId v = output.value;
  if (scope.slot_of[v] != kNoSlot) return use(scope.slot_of[v]);
  for (const RegionInput& input : region.inputs) {
    const ValueId w = input.value;
    if (w == kNoValue || scope.last_use[w] != scope.item || !may_overwrite(scope, region, output, w)) continue;
    // Another output of this region may have taken the memory already.
    const bool taken = std::ranges::any_of(region.outputs, [&](const RegionOutput& o) {
      return o.value != v && o.value != kNoValue && scope.slot_of[o.value] == scope.slot_of[w];
    });
    if (taken) continue;
    scope.overwrites[v].push_back(w);
    const bool carry = scope.update_in_place[v] != kNoSlot && scope.slot_of[w] == scope.update_in_place[v];
    if (!carry && (!scope.owned[w] || scope.target[v] != kNoSlot)) continue;
    scope.slot_of[v] = scope.slot_of[w];
    scope.owned[v] = scope.owned[w];
    scope.first_item[v] = scope.item;
    return use(scope.slot_of[v]);
  }
  output_slot(scope, v);
}

/// A dynamic-update-slice writes into its operand's memory, or into a copy of it.
void Planner::place_update(Scope& scope, const Region& region) {
  const RegionOutput& output = region.outputs[0];
  place_over(scope, output.value, region.updated, may_overwrite(scope, region, output, region.updated));
}

void Planner::place_over(Scope& scope, ValueId v, ValueId w, bool may) {
  const bool dies = may && scope.last_use[w] == scope.item;
  const bool carry = scope.update_in_place[v] != kNoSlot && scope.slot_of[w] == scope.update_in_place[v];
  use(scope.slot_of[w]);
  if (dies) scope.overwrites[v].push_back(w);
  if (dies && (carry || (scope.owned[w] && scope.target[v] == kNoSlot))) {
    scope.slot_of[v] = scope.slot_of[w];
    scope.owned[v] = scope.owned[w];
    scope.first_item[v] = scope.item;
    return;
  }
  copy(scope, scope.slot_of[w], output_slot(scope, v), scope.graph.values[v].shape.byte_size());
}

void Planner::plan_region(Scope& scope, Region region) {
  for (const RegionInput& input : region.inputs) use(scope.slot_of[input.value]);
  if (region.updated != kNoValue) place_update(scope, region);
  else
    for (const RegionOutput& o : region.outputs) place_output(scope, region, o);
  std::vector<SlotId> arguments;
  for (const RegionInput& input : region.inputs) arguments.push_back(scope.slot_of[input.value]);
  if (std::optional<SplitRegion> split = split_reduction(region)) {
    std::vector<SlotId> partials;
    std::vector<SlotId> outer = arguments;
    for (int64_t bytes : split->partial_bytes) partials.push_back(new_arena_slot(bytes));
    arguments.insert(arguments.end(), partials.begin(), partials.end());
    ExecutionUnit rest{"kernel", {}, 0};
    for (int64_t bytes : split->partial_bytes) rest.bytes += static_cast<double>(bytes);
    add_kernel(scope, std::move(split->parts), std::move(arguments), unit_of(scope.graph, region, isa_));
    ++clock_;
    for (SlotId slot : outer) use(slot);
    for (SlotId slot : partials) use(slot);
    outer.insert(outer.end(), partials.begin(), partials.end());
    for (const RegionOutput& o : region.outputs) {
      use(scope.slot_of[o.value]);
      outer.push_back(scope.slot_of[o.value]);
    }
    add_kernel(scope, std::move(split->whole), std::move(outer), std::move(rest));
    return;
  }
  for (const RegionOutput& o : region.outputs) arguments.push_back(scope.slot_of[o.value]);
  ExecutionUnit unit = unit_of(scope.graph, region, isa_);
  add_kernel(scope, std::move(region), std::move(arguments), std::move(unit));
}

void Planner::add_kernel(Scope& scope, Region region, std::vector<SlotId> arguments, ExecutionUnit unit) {
  for (size_t k = 0; k < region.row_begin; ++k) {
    if (region.extents[k] == 0) return;  // nothing to write
  }
  Step step{StepKind::kKernel};
  step.work = work(std::move(unit));
  step.arguments = static_cast<uint32_t>(program_.argument_slots.size());
  step.argument_count = static_cast<uint32_t>(arguments.size());
  program_.max_arguments = std::max(program_.max_arguments, step.argument_count);
  program_.argument_slots.insert(program_.argument_slots.end(), arguments.begin(), arguments.end());
  step.units = region.row_begin > 0 ? region.extents[0] : 1;
  step.chunk = chunk_of(region, step.units, isa_);
  step.stretch = stretch_of(region, step.units, isa_);
  program_.forks |= step.chunk != 0;
  step.index = static_cast<uint32_t>(kernels_.size());
  std::vector<bool> single;
  const auto add = [&](ValueId v) {
    single.push_back(v != kNoValue && scope.graph.values[v].shape.element_count() == 1);
  };
  for (const RegionInput& input : region.inputs) add(input.value);
  for (const RegionOutput& output : region.outputs) add(output.value);
  kernels_.push_back({std::move(region), std::move(single)});
  scope.steps.push_back(step);
}

Status Planner::plan_node(Scope& scope, uint32_t n, int depth) {
  const Node& node = scope.graph.nodes[n];
  const hlo::Instruction& i = *node.instruction;
  for (ValueId v : node.operands) {
    if (scope.slot_of[v] != kNoSlot) use(scope.slot_of[v]);  // else memory that a loop will fill
  }
  if (i.opcode == Opcode::kConstant) {
    scope.slot_of[node.results[0]] = constant_slot(hlo::attributes_of<hlo::ConstantAttributes>(i).value);
    return ok_status();
  }
  if (i.opcode == Opcode::kWhile) return plan_while(scope, node, depth);
  if (i.opcode == Opcode::kConditional) return plan_conditional(scope, node, depth);
  return plan_hero(scope, node);
}

void Planner::add_donations(const Graph& graph, const Scope& scope, const std::vector<SlotId>& targets) {
  constexpr size_t kMaxPairs = 4096;
  const auto is_safe = [&](size_t r, size_t p) {
    const ValueId v = graph.results[r], w = graph.parameters[p];
    if (graph.values[v].shape.byte_size() != graph.values[w].shape.byte_size()) return false;
    if (v == w) return std::ranges::count(graph.results, v) == 1;
    if (scope.slot_of[v] != targets[r] || targets[r] == kNoSlot) return false;
    if (scope.last_use[w] < scope.first_item[v]) return true;
    return scope.last_use[w] == scope.first_item[v] &&
           std::ranges::find(scope.overwrites[v], w) != scope.overwrites[v].end();
  };
  for (const hlo::Alias& alias : module_.aliases) {
    const size_t r = alias.result_index.empty() ? 0 : static_cast<size_t>(alias.result_index[0]);
    const size_t p = static_cast<size_t>(alias.parameter_number);
    if (!alias.parameter_index.empty() || alias.result_index.size() > 1) continue;
    if (r < graph.results.size() && p < graph.parameters.size() && is_safe(r, p)) {
      program_.donations.push_back({static_cast<uint32_t>(r), static_cast<uint32_t>(p)});
    }
  }
  for (size_t r = 0; r < graph.results.size(); ++r) {
    for (size_t p = 0; p < graph.parameters.size() && program_.donations.size() < kMaxPairs; ++p) {
      if (is_safe(r, p)) program_.donations.push_back({static_cast<uint32_t>(r), static_cast<uint32_t>(p)});
    }
  }
}

StatusOr<Program> plan_program(const hlo::Module& module, Isa isa, LoopForm loops, hlo::PassObserver* observer) {
  return Planner(module, isa, loops, observer).run();
}

}  // namespace hilo::cpu
