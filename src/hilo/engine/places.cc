// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/plan_list.h"

#include <algorithm>

namespace hilo::engine {
namespace {

/// Whether the region copies each element of its input to the same index of its output, and does nothing else.
bool copies_whole(const Graph& graph, const Region& region) {
  if (!copies_elements(region)) return false;
  const ValueId from = region.inputs[0].value, to = region.outputs[0].value;
  const Shape &source = graph.values[from].shape, &target = graph.values[to].shape;
  return region.nodes[0].index == region.outputs[0].index && source.element_type() == target.element_type() &&
         source.element_count() == target.element_count();
}

/// Places a region that only reshapes a whole value. If no later item reads that value, the output takes its memory and
/// no step is needed.
bool place_as(Scope& scope, const Region& region) {
  if (!copies_whole(scope.graph, region)) return false;
  const ValueId v = region.outputs[0].value, w = region.inputs[0].value;
  const ValuePlace& place = scope.places[v];
  if (place.slot != kNoSlot || place.target != kNoSlot || scope.places[w].slot == kNoSlot || !scope.dies(w))
    return false;
  place_unchanged(scope, v, w, true);
  return true;
}

/// Whether the region may write `output` over its operand's memory. Each element must be read before it is written, in
/// the same turn of the loop: also one at a place that is known only when it runs, as in x[i] = f(x[i]).
bool may_overwrite(const Scope& scope, const Region& region, const RegionOutput& output, ValueId operand) {
  if (region.has_row() && region.outputs.size() > 1 && !reads_row_once(region)) return false;
  if (scope.bytes_of(operand) != scope.bytes_of(output.value)) return false;
  bool reads = false;
  for (const RegionNode& n : region.nodes) {
    if (n.kind != NodeKind::kLoad || region.inputs[n.input].value != operand) continue;
    reads = true;
    if (!(n.index == output.index) || !n.guards.empty()) return false;
    if (element_size_bytes(n.type) != element_size_bytes(output.type)) return false;
    if (region.has_row() && output.index.coefficients.size() <= region.row_begin) return false;
  }
  return !reads || !scope.state.target.shape_of(region).overlaps;
}

void share(Scope& scope, ValuePlace& place, const ValuePlace& operand) {
  place.slot = operand.slot;
  place.owned = operand.owned;
  place.first_item = scope.item;
}

void place_output(Scope& scope, const Region& region, const RegionOutput& output) {
  ValuePlace& place = scope.places[output.value];
  if (place.slot != kNoSlot) return use(scope.state, place.slot);
  for (const RegionInput& input : region.inputs) {
    const ValueId w = input.value;
    if (w == kNoValue || !scope.dies(w) || !may_overwrite(scope, region, output, w)) continue;
    const ValuePlace& operand = scope.places[w];
    // Another output of this region may already use the memory.
    const bool is_used = std::ranges::any_of(region.outputs, [&](const RegionOutput& o) {
      return o.value != output.value && o.value != kNoValue && scope.places[o.value].slot == operand.slot;
    });
    if (is_used) continue;
    place.overwrites.push_back(w);
    const bool carry = place.update_in_place != kNoSlot && operand.slot == place.update_in_place;
    if (!carry && (!operand.owned || place.target != kNoSlot)) continue;
    share(scope, place, operand);
    return use(scope.state, place.slot);
  }
  output_slot(scope, output.value);
}

/// Lets the memory of other values, which is about to be updated, be the result's memory from its first write on. This
/// saves a copy. Returns false if it is not possible.
bool become_result(const Scope& scope, ValuePlace& place, SlotId slot) {
  PlanState& state = scope.state;
  if (scope.depth != 0 || place.target == kNoSlot || state.plan.slots[slot].source != SlotSource::kArena) return false;
  const BufferId buffer = state.slot_buffers[slot][0];
  const auto may_be = [&](const std::vector<BufferId>& buffers) { return std::ranges::count(buffers, buffer) != 0; };
  if (state.slot_buffers[slot].size() != 1 || std::ranges::count_if(state.slot_buffers, may_be) != 1) return false;
  state.plan.slots[slot] = state.plan.slots[place.target];
  state.slot_buffers[slot].clear();
  state.ranges[buffer].end = state.ranges[buffer].begin - 1;
  for (const ValuePlace& before : scope.places) {
    if (before.slot != slot || (place.first_item >= 0 && before.first_item >= place.first_item)) continue;
    place.first_item = before.first_item;
    place.overwrites = before.overwrites;
  }
  place.slot = place.target;
  return true;
}

}  // namespace

void set_result_targets(Scope& scope, const ResultPlan& plan) {
  const Graph& graph = scope.graph;
  for (size_t r = 0; r < graph.results.size(); ++r) {
    ValuePlace& place = scope.places[graph.results[r]];
    const uint32_t node = graph.values[graph.results[r]].node;
    if (node == ~0u || graph.nodes[node].instruction->opcode == hlo::Opcode::kConstant) continue;
    if (plan.targets[r] == kNoSlot || place.target != kNoSlot) continue;
    place.target = plan.targets[r];
    place.update_in_place = plan.in_place[r];
  }
}

SlotId output_slot(Scope& scope, ValueId value) {
  ValuePlace& place = scope.places[value];
  if (place.slot == kNoSlot) {
    place.slot = place.target;
    if (place.slot == kNoSlot) {
      place.slot = new_arena_slot(scope.state, scope.bytes_of(value));
      place.owned = true;
    }
    place.first_item = scope.item;
  }
  use(scope.state, place.slot);
  return place.slot;
}

bool place_outputs(Scope& scope, const Region& region) {
  if (place_as(scope, region)) return false;
  for (const RegionInput& input : region.inputs) use(scope.state, scope.places[input.value].slot);
  std::span<const RegionOutput> outputs = region.outputs;
  if (region.updated != kNoValue) {  // a dynamic-update-slice writes into its operand's memory or into a copy of it
    place_over(scope, outputs[0].value, region.updated, may_overwrite(scope, region, outputs[0], region.updated));
    outputs = outputs.subspan(1);
  }
  for (const RegionOutput& output : outputs) place_output(scope, region, output);
  return true;
}

void place_over(Scope& scope, ValueId v, ValueId w, bool may) {
  ValuePlace& place = scope.places[v];
  const ValuePlace& operand = scope.places[w];
  const bool dies = may && scope.dies(w);
  const bool carry = place.update_in_place != kNoSlot && operand.slot == place.update_in_place;
  use(scope.state, operand.slot);
  if (dies) place.overwrites.push_back(w);
  if (dies && operand.owned && become_result(scope, place, operand.slot)) return;
  if (dies && (carry || (operand.owned && place.target == kNoSlot))) return share(scope, place, operand);
  add_copy(scope, operand.slot, output_slot(scope, v), scope.bytes_of(v));
}

void place_unchanged(Scope& scope, ValueId v, ValueId w, bool may_own) {
  ValuePlace& place = scope.places[v];
  share(scope, place, scope.places[w]);
  place.owned = place.owned && may_own && scope.dies(w);
  int64_t& last = scope.lifetimes.last_use[w];
  last = std::max(last, scope.lifetimes.last_use[v]);
  use(scope.state, place.slot);
}

void place_written(Scope& scope, ValueId v, ValueId w) {
  ValuePlace& place = scope.places[v];
  const ValuePlace& operand = scope.places[w];
  if (place.slot != kNoSlot || !scope.dies(w)) return;
  place.overwrites.push_back(w);
  if (operand.owned && place.target == kNoSlot) share(scope, place, operand);
}

}  // namespace hilo::engine
