// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "hilo/backend/cpu/heroes.h"
#include "hilo/backend/cpu/planner.h"

namespace hilo::cpu {
namespace {

constexpr int64_t kAlignment = 64;  // bytes: a cache line and the widest vector

int64_t aligned(int64_t bytes) { return (std::max<int64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment; }

ExecutionUnit relayout_unit(const Shape& shape) {
  return {"relayout", {}, 2.0 * static_cast<double>(shape.byte_size())};
}

}  // namespace

SlotId Planner::new_slot(SlotSource source, int64_t index) {
  program_.slots.push_back({source, index});
  slot_buffers_.emplace_back();
  return static_cast<SlotId>(program_.slots.size() - 1);
}

SlotId Planner::new_arena_slot(int64_t bytes) {
  const SlotId slot =
      new_slot(SlotSource::kArena, static_cast<int64_t>(buffers_.size()));  // an offset once all are known
  slot_buffers_[slot].push_back(static_cast<BufferId>(buffers_.size()));
  buffers_.push_back({aligned(bytes), clock_, clock_});
  return slot;
}

SlotId Planner::constant_slot(const Literal& literal) {
  const auto [it, added] = constant_slots_.emplace(literal.bytes().data(), kNoSlot);
  if (!added && literal.bytes().size() ==
                    program_.constants[static_cast<size_t>(program_.slots[it->second].index)].bytes().size())
    return it->second;
  it->second = new_slot(SlotSource::kConstant, static_cast<int64_t>(program_.constants.size()));
  program_.constants.push_back(literal);
  return it->second;
}

void Planner::use(SlotId slot) {
  for (BufferId b : slot_buffers_[slot]) buffers_[b].end = std::max(buffers_[b].end, clock_);
}

void Planner::copy(Scope& scope, SlotId from, SlotId to, int64_t bytes) {
  use(from);
  use(to);
  if (bytes == 0) return;
  Step step{StepKind::kCopy};
  step.a = from;
  step.b = to;
  step.bytes = bytes;
  step.work = work({"copy", {}, 2.0 * static_cast<double>(bytes)});
  scope.steps.push_back(step);
}

void Planner::alias(Scope& scope, SlotId from, SlotId to) {
  use(from);
  for (BufferId b : slot_buffers_[from]) {
    if (std::ranges::find(slot_buffers_[to], b) == slot_buffers_[to].end()) slot_buffers_[to].push_back(b);
  }
  Step step{StepKind::kAlias};
  step.a = from;
  step.b = to;
  scope.steps.push_back(step);
}

/// Best fit over the clock: a stretch is free again after its end.
void Planner::assign_offsets() {
  std::vector<BufferId> order(buffers_.size());
  for (size_t b = 0; b < order.size(); ++b) order[b] = static_cast<BufferId>(b);
  std::ranges::stable_sort(order, {}, [&](BufferId b) { return buffers_[b].begin; });
  std::map<int64_t, int64_t> holes;       // offset -> bytes
  std::multimap<int64_t, BufferId> live;  // by end
  int64_t top = 0;
  const auto free_stretch = [&](int64_t offset, int64_t bytes) {
    auto next = holes.lower_bound(offset);
    if (next != holes.end() && next->first == offset + bytes) {
      bytes += next->second;
      next = holes.erase(next);
    }
    if (next != holes.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return;
      }
    }
    holes.emplace(offset, bytes);
  };
  for (BufferId b : order) {
    ArenaBuffer& buffer = buffers_[b];
    while (!live.empty() && live.begin()->first < buffer.begin) {
      const ArenaBuffer& dead = buffers_[live.begin()->second];
      free_stretch(dead.offset, dead.bytes);
      live.erase(live.begin());
    }
    auto best = holes.end();
    for (auto hole = holes.begin(); hole != holes.end(); ++hole) {
      if (hole->second >= buffer.bytes && (best == holes.end() || hole->second < best->second)) best = hole;
    }
    if (best == holes.end()) {
      buffer.offset = top;
      top += buffer.bytes;
    } else {
      buffer.offset = best->first;
      const int64_t rest = best->second - buffer.bytes;
      holes.erase(best);
      if (rest > 0) holes.emplace(buffer.offset + buffer.bytes, rest);
    }
    live.emplace(buffer.end, b);
  }
  program_.arena_bytes = top;
  for (Slot& slot : program_.slots) {
    if (slot.source == SlotSource::kArena) slot.index = buffers_[static_cast<size_t>(slot.index)].offset;
  }
}

/// Arguments with another layout than row-major are copied into one first.
std::vector<SlotId> Planner::relayout_arguments(StepList& steps, Graph& graph) {
  std::vector<SlotId> slots;
  for (size_t p = 0; p < graph.parameters.size(); ++p) {
    Shape& shape = graph.values[graph.parameters[p]].shape;
    slots.push_back(new_slot(SlotSource::kArgument, static_cast<int64_t>(p)));
    if (shape.has_default_layout()) continue;
    const SlotId from = slots.back();
    slots.back() = new_arena_slot(shape.byte_size());
    const std::vector<SlotId> arguments = {from, slots.back()};
    steps.push_back(hero_step(make_relayout_hero(shape, true), arguments, relayout_unit(shape)));
    shape = shape.with_default_layout();
  }
  return slots;
}

void Planner::relayout_results(const std::vector<Shape>& leaves, const std::vector<SlotId>& from,
                               const std::vector<SlotId>& to) {
  for (size_t r = 0; r < leaves.size(); ++r) {
    if (leaves[r].has_default_layout()) continue;
    use(from[r]);
    const std::vector<SlotId> arguments = {from[r], to[r]};
    program_.steps.push_back(hero_step(make_relayout_hero(leaves[r], false), arguments, relayout_unit(leaves[r])));
  }
}

uint32_t Planner::work(ExecutionUnit unit) {
  program_.work.push_back(std::move(unit));
  return static_cast<uint32_t>(program_.work.size() - 1);
}

Step Planner::hero_step(std::unique_ptr<Hero> hero, std::span<const SlotId> arguments, ExecutionUnit unit) {
  Step step{StepKind::kHero};
  step.work = work(std::move(unit));
  step.index = static_cast<uint32_t>(program_.heroes.size());
  step.arguments = static_cast<uint32_t>(program_.argument_slots.size());
  step.argument_count = static_cast<uint32_t>(arguments.size());
  program_.max_arguments = std::max(program_.max_arguments, step.argument_count);
  program_.argument_slots.insert(program_.argument_slots.end(), arguments.begin(), arguments.end());
  program_.heroes.push_back(std::move(hero));
  return step;
}

}  // namespace hilo::cpu
