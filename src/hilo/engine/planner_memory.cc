// SPDX-License-Identifier: Apache-2.0
// Slots, the arena, and the steps that every plan needs.
#include <fmt/format.h>

#include <algorithm>

#include "hilo/engine/planner.h"
#include "hilo/hlo/ir/entry_shapes.h"
#include "hilo/types/checked.h"

namespace hilo::engine {
namespace {

PlannedWork relayout_work(const Shape& shape) {
  return {.kind = "relayout", .bytes = 2.0 * static_cast<double>(shape.byte_size())};
}

}  // namespace

SlotId Planner::new_slot(SlotSource source, int64_t index) {
  plan_.slots.push_back({source, index});
  slot_buffers_.emplace_back();
  return static_cast<SlotId>(plan_.slots.size() - 1);
}

SlotId Planner::new_arena_slot(int64_t bytes) {
  const auto buffer = static_cast<BufferId>(stretches_.size());
  const SlotId slot = new_slot(SlotSource::kArena, buffer);  // an offset once all are known
  slot_buffers_[slot].push_back(buffer);
  stretches_.push_back({bytes, clock_, clock_});
  return slot;
}

SlotId Planner::constant_slot(const Literal& literal) {
  const auto [it, added] = constant_slots_.emplace(literal.bytes().data(), kNoSlot);
  if (!added &&
      literal.bytes().size() == plan_.constants[static_cast<size_t>(plan_.slots[it->second].index)].bytes().size())
    return it->second;
  it->second = new_slot(SlotSource::kConstant, static_cast<int64_t>(plan_.constants.size()));
  plan_.constants.push_back(literal);
  return it->second;
}

void Planner::use(SlotId slot) {
  for (BufferId b : slot_buffers_[slot]) stretches_[b].end = std::max(stretches_[b].end, clock_);
}

void Planner::copy(Scope& scope, SlotId from, SlotId to, int64_t bytes) {
  use(from);
  use(to);
  if (bytes == 0) return;
  Step step{StepKind::kCopy};
  step.a = from;
  step.b = to;
  step.bytes = bytes;
  step.work = add_work({.kind = "copy", .bytes = 2.0 * static_cast<double>(bytes)});
  scope.steps.push_back(step);
}

void Planner::alias(Scope& scope, SlotId from, SlotId to) {
  use(from);
  may_become(to, from);
  Step step{StepKind::kAlias};
  step.a = from;
  step.b = to;
  scope.steps.push_back(step);
}

void Planner::may_become(SlotId to, SlotId from) {
  for (BufferId b : slot_buffers_[from]) {
    if (std::ranges::find(slot_buffers_[to], b) == slot_buffers_[to].end()) slot_buffers_[to].push_back(b);
  }
}

Status Planner::assign_arena() {
  constexpr int64_t kMaxBytes = int64_t{1} << 62;  // of all temporaries: a sum that leaves 64 bits must not wrap
  int64_t bytes = 0;
  for (const Stretch& stretch : stretches_) bytes = checked_add(bytes, stretch.bytes).value_or(INT64_MAX);
  if (bytes > kMaxBytes)
    return resource_exhausted(
        fmt::format("plan '{}': its temporaries are too large; got over {} bytes in all", module_.name, kMaxBytes));
  const Assignment assignment = assign_offsets(stretches_);
  plan_.arena_bytes = assignment.bytes;
  for (Slot& slot : plan_.slots) {
    if (slot.source == SlotSource::kArena) slot.index = assignment.offsets[static_cast<size_t>(slot.index)];
  }
  return ok_status();
}

/// Arguments with another layout than row-major are copied into one first.
std::vector<SlotId> Planner::relayout_arguments(StepList& steps) {
  std::vector<SlotId> slots;
  for (const Shape& parameter : entry_parameter_shapes(module_)) {
    for (const Shape& shape : parameter.leaves()) {
      slots.push_back(new_slot(SlotSource::kArgument, std::ssize(slots)));
      if (shape.has_default_layout()) continue;
      const SlotId from = slots.back();
      slots.back() = new_arena_slot(shape.byte_size());
      const std::vector<SlotId> arguments = {from, slots.back()};
      steps.push_back(library_step({std::string(kToRowMajor), nullptr, {shape}, {shape.with_default_layout()}, {}},
                                   arguments, relayout_work(shape)));
    }
  }
  return slots;
}

void Planner::relayout_results(const std::vector<Shape>& leaves, const std::vector<SlotId>& from,
                               const std::vector<SlotId>& to) {
  for (size_t r = 0; r < leaves.size(); ++r) {
    if (leaves[r].has_default_layout()) continue;
    use(from[r]);
    const std::vector<SlotId> arguments = {from[r], to[r]};
    plan_.steps.push_back(
        library_step({std::string(kFromRowMajor), nullptr, {leaves[r].with_default_layout()}, {leaves[r]}, {}},
                     arguments, relayout_work(leaves[r])));
  }
}

uint32_t Planner::add_work(PlannedWork work) {
  plan_.work.push_back(std::move(work));
  return static_cast<uint32_t>(plan_.work.size() - 1);
}

void Planner::set_arguments(Step& step, std::span<const SlotId> arguments) {
  step.arguments = static_cast<uint32_t>(plan_.argument_slots.size());
  step.argument_count = static_cast<uint32_t>(arguments.size());
  plan_.max_arguments = std::max(plan_.max_arguments, step.argument_count);
  plan_.argument_slots.insert(plan_.argument_slots.end(), arguments.begin(), arguments.end());
}

Step Planner::library_step(LibraryCall call, std::span<const SlotId> arguments, PlannedWork work) {
  Step step{StepKind::kLibrary};
  step.work = add_work(std::move(work));
  step.index = static_cast<uint32_t>(plan_.library_calls.size());
  set_arguments(step, arguments);
  plan_.library_calls.push_back(std::move(call));
  return step;
}

}  // namespace hilo::engine
