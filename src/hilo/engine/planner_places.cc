// SPDX-License-Identifier: Apache-2.0
// Where a value lives: in memory of its own, where a result must end, or over an operand that nobody reads again.
#include <algorithm>

#include "hilo/engine/planner.h"

namespace hilo::engine {

namespace {

/// Does the region write each element of its input to the same place of its output, and nothing else?
bool copies_whole(const Graph& graph, const Region& region) {
  if (region.inputs.size() != 1 || region.outputs.size() != 1 || region.nodes.size() != 1) return false;
  const RegionNode& node = region.nodes[0];
  const RegionOutput& output = region.outputs[0];
  const ValueId from = region.inputs[0].value, to = output.value;
  if (from == kNoValue || to == kNoValue || region.updated != kNoValue || region.has_row()) return false;
  const Shape &source = graph.values[from].shape, &target = graph.values[to].shape;
  return node.kind == NodeKind::kLoad && node.guards.empty() && node.index.terms.empty() &&
         node.index == output.index && node.type == output.type && source.element_type() == target.element_type() &&
         source.element_count() == target.element_count();
}

}  // namespace

bool Planner::place_as(Scope& scope, const Region& region) {
  if (!copies_whole(scope.graph, region)) return false;
  const ValueId v = region.outputs[0].value, w = region.inputs[0].value;
  ValuePlace& place = scope.places[v];
  const ValuePlace& from = scope.places[w];
  std::vector<int64_t>& last_use = scope.lifetimes.last_use;
  if (place.slot != kNoSlot || place.target != kNoSlot || from.slot == kNoSlot || last_use[w] != scope.item)
    return false;
  use(from.slot);
  place.slot = from.slot;
  place.owned = from.owned;
  place.first_item = scope.item;
  last_use[w] = last_use[v];
  return true;
}

SlotId Planner::output_slot(Scope& scope, ValueId value) {
  ValuePlace& place = scope.places[value];
  if (place.slot == kNoSlot) {
    place.slot = place.target;
    if (place.slot == kNoSlot) {
      place.slot = new_arena_slot(scope.graph.values[value].shape.byte_size());
      place.owned = true;
    }
    place.first_item = scope.item;
  }
  use(place.slot);
  return place.slot;
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
  return !reads || !target_.shape_of(region).overlaps;
}

void Planner::place_output(Scope& scope, const Region& region, const RegionOutput& output) {
  ValuePlace& place = scope.places[output.value];
  if (place.slot != kNoSlot) return use(place.slot);
  for (const RegionInput& input : region.inputs) {
    const ValueId w = input.value;
    if (w == kNoValue || scope.lifetimes.last_use[w] != scope.item || !may_overwrite(scope, region, output, w))
      continue;
    const ValuePlace& operand = scope.places[w];
    // Another output of this region may have taken the memory already.
    const bool taken = std::ranges::any_of(region.outputs, [&](const RegionOutput& o) {
      return o.value != output.value && o.value != kNoValue && scope.places[o.value].slot == operand.slot;
    });
    if (taken) continue;
    place.overwrites.push_back(w);
    const bool carry = place.update_in_place != kNoSlot && operand.slot == place.update_in_place;
    if (!carry && (!operand.owned || place.target != kNoSlot)) continue;
    place.slot = operand.slot;
    place.owned = operand.owned;
    place.first_item = scope.item;
    return use(place.slot);
  }
  output_slot(scope, output.value);
}

/// A dynamic-update-slice writes into its operand's memory, or into a copy of it.
void Planner::place_update(Scope& scope, const Region& region) {
  const RegionOutput& output = region.outputs[0];
  place_over(scope, output.value, region.updated, may_overwrite(scope, region, output, region.updated));
}

void Planner::place_written(Scope& scope, ValueId v, ValueId w) {
  ValuePlace& place = scope.places[v];
  const ValuePlace& operand = scope.places[w];
  if (place.slot != kNoSlot || scope.lifetimes.last_use[w] != scope.item) return;
  place.overwrites.push_back(w);
  if (!operand.owned || place.target != kNoSlot) return;
  place.slot = operand.slot;
  place.owned = true;
  place.first_item = scope.item;
}

/// Has memory that was made for other values, and is to be updated now, be the result's from its beginning, so that nothing
/// is copied. False if it can't be.
bool Planner::become_result(const Scope& scope, ValuePlace& place, SlotId slot) {
  if (!scope.is_entry || place.target == kNoSlot || plan_.slots[slot].source != SlotSource::kArena) return false;
  const BufferId buffer = slot_buffers_[slot][0];
  const auto may_be = [&](const std::vector<BufferId>& buffers) { return std::ranges::count(buffers, buffer) != 0; };
  if (slot_buffers_[slot].size() != 1 || std::ranges::count_if(slot_buffers_, may_be) != 1) return false;
  plan_.slots[slot] = plan_.slots[place.target];
  slot_buffers_[slot].clear();
  stretches_[buffer].end = stretches_[buffer].begin - 1;
  for (const ValuePlace& before : scope.places) {
    if (before.slot != slot || (place.first_item >= 0 && before.first_item >= place.first_item)) continue;
    place.first_item = before.first_item;
    place.overwrites = before.overwrites;
  }
  place.slot = place.target;
  return true;
}

void Planner::place_over(Scope& scope, ValueId v, ValueId w, bool may) {
  ValuePlace& place = scope.places[v];
  const ValuePlace& operand = scope.places[w];
  const bool dies = may && scope.lifetimes.last_use[w] == scope.item;
  const bool carry = place.update_in_place != kNoSlot && operand.slot == place.update_in_place;
  use(operand.slot);
  if (dies) place.overwrites.push_back(w);
  if (dies && operand.owned && become_result(scope, place, operand.slot)) return;
  if (dies && (carry || (operand.owned && place.target == kNoSlot))) {
    place.slot = operand.slot;
    place.owned = operand.owned;
    place.first_item = scope.item;
    return;
  }
  copy(scope, operand.slot, output_slot(scope, v), scope.graph.values[v].shape.byte_size());
}

}  // namespace hilo::engine
