// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/plan_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/sizes.h"
#include "hilo/types/checked.h"

namespace hilo::engine {

SlotId new_slot(PlanState& state, SlotSource source, int64_t index) {
  state.plan.slots.push_back({source, index});
  state.slot_buffers.emplace_back();
  return static_cast<SlotId>(state.plan.slots.size() - 1);
}

SlotId new_arena_slot(PlanState& state, int64_t bytes) {
  const auto buffer = static_cast<BufferId>(state.ranges.size());
  const SlotId slot = new_slot(state, SlotSource::kArena,
                               buffer);  // replaced by an offset when all offsets are known
  state.slot_buffers[slot].push_back(buffer);
  state.ranges.push_back({bytes, state.clock, state.clock});
  return slot;
}

SlotId constant_slot(PlanState& state, const Literal& literal) {
  const auto [it, added] = state.constant_slots.emplace(literal.bytes().data(), kNoSlot);
  if (!added && literal.bytes().size() == state.plan.constants[state.plan.slots[it->second].index].bytes().size())
    return it->second;
  it->second = new_slot(state, SlotSource::kConstant, state.plan.constants.size());
  state.plan.constants.push_back(literal);
  return it->second;
}

void use(PlanState& state, SlotId slot) {
  for (BufferId b : state.slot_buffers[slot]) state.ranges[b].end = std::max(state.ranges[b].end, state.clock);
}

void may_become(PlanState& state, SlotId to, SlotId from) {
  for (BufferId b : state.slot_buffers[from]) {
    if (std::ranges::find(state.slot_buffers[to], b) == state.slot_buffers[to].end())
      state.slot_buffers[to].push_back(b);
  }
}

Status assign_arena(PlanState& state) {
  constexpr int64_t kMaxBytes = int64_t{1} << 62;  // of all temporaries: a sum must not exceed 64 bits
  int64_t bytes = 0;
  for (const LiveRange& range : state.ranges) bytes = checked_add(bytes, range.bytes).value_or(INT64_MAX);
  if (bytes > kMaxBytes)
    return resource_exhausted(fmt::format("plan '{}': its temporaries are too large; got over {} bytes in total",
                                          state.module.name, kMaxBytes));
  const Assignment assignment = assign_offsets(state.ranges);
  state.plan.arena_bytes = assignment.bytes;
  for (Slot& slot : state.plan.slots) {
    if (slot.source == SlotSource::kArena) slot.index = assignment.offsets[slot.index];
  }
  return ok_status();
}

uint32_t add_work(PlanState& state, PlannedWork work) {
  state.plan.work.push_back(std::move(work));
  return static_cast<uint32_t>(state.plan.work.size() - 1);
}

void set_arguments(PlanState& state, Step& step, std::span<const SlotId> arguments) {
  step.arguments = size32(state.plan.argument_slots);
  step.argument_count = size32(arguments);
  state.plan.max_arguments = std::max(state.plan.max_arguments, step.argument_count);
  state.plan.argument_slots.insert(state.plan.argument_slots.end(), arguments.begin(), arguments.end());
}

Step library_step(PlanState& state, LibraryCall call, std::span<const SlotId> arguments, PlannedWork work) {
  Step step{
      .kind = StepKind::kLibrary, .index = size32(state.plan.library_calls), .work = add_work(state, std::move(work))};
  set_arguments(state, step, arguments);
  state.plan.library_calls.push_back(std::move(call));
  return step;
}

void add_copy(Scope& scope, SlotId from, SlotId to, int64_t bytes) {
  use(scope.state, from);
  use(scope.state, to);
  if (bytes == 0) return;
  const uint32_t work = add_work(scope.state, {.kind = "copy", .bytes = 2.0 * static_cast<double>(bytes)});
  scope.steps.push_back({.kind = StepKind::kCopy, .a = from, .b = to, .bytes = bytes, .work = work});
}

void add_alias(Scope& scope, SlotId from, SlotId to) {
  use(scope.state, from);
  may_become(scope.state, to, from);
  scope.steps.push_back({.kind = StepKind::kAlias, .a = from, .b = to});
}

}  // namespace hilo::engine
