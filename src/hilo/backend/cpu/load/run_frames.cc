// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/run_frames.h"

#include <algorithm>

namespace hilo::cpu {

using engine::Slot, engine::SlotId, engine::SlotSource, engine::Step, engine::StepKind;

namespace {

bool runs_straight(const Program& program) {
  return !program.plan.forks && std::ranges::all_of(program.plan.steps, [](const Step& step) {
    return (step.kind == StepKind::kKernel && step.chunk == 0) || step.kind == StepKind::kLibrary ||
           step.kind == StepKind::kCopy;
  });
}

void set_places(const auto& places, std::vector<void*>& addresses, const std::byte* const* arguments,
                std::byte* const* results) {
  for (const auto& place : places.arguments)
    addresses[place.at] = const_cast<std::byte*>(arguments[place.number]) + place.offset;
  for (const auto& place : places.results) addresses[place.at] = results[place.number] + place.offset;
}

}  // namespace

RunFrames::RunFrames(const Program& program)
    : program_(program),
      straight_(runs_straight(program)),
      copies_(std::ranges::any_of(program.plan.steps, [](const Step& s) { return s.kind == StepKind::kCopy; })) {
  const auto add = [&program](Places& places, SlotId slot, size_t at, int64_t offset) {
    const Slot& source = program.plan.slots[slot];
    const Place place{static_cast<uint32_t>(at), static_cast<uint32_t>(source.index), offset};
    if (source.source == SlotSource::kArgument) places.arguments.push_back(place);
    if (source.source == SlotSource::kResult) places.results.push_back(place);
  };
  for (size_t s = 0; s < program.plan.slots.size(); ++s) add(slots_, static_cast<SlotId>(s), s, 0);
  for (size_t k = 0; straight_ && k < program.plan.argument_slots.size(); ++k)
    add(straight_places_, program.plan.argument_slots[k], k, program.plan.argument_offset(k));
}

RunFrames::~RunFrames() {
  for (std::atomic<RunFrame*>& spare : spare_) delete spare.load();
}

StatusOr<std::unique_ptr<RunFrame>> RunFrames::take() {
  for (std::atomic<RunFrame*>& spare : spare_) {
    if (spare.load(std::memory_order_relaxed) == nullptr) continue;
    if (RunFrame* const frame = spare.exchange(nullptr, std::memory_order_acquire); frame != nullptr)
      return std::unique_ptr<RunFrame>(frame);
  }
  return make();
}

void RunFrames::give_back(std::unique_ptr<RunFrame> frame) {
  for (std::atomic<RunFrame*>& spare : std::span(spare_).first(max_spare())) {
    RunFrame* none = nullptr;
    if (spare.load(std::memory_order_relaxed) != nullptr) continue;
    if (!spare.compare_exchange_strong(none, frame.get(), std::memory_order_release, std::memory_order_relaxed))
      continue;
    static_cast<void>(frame.release());
    return;
  }
}

StatusOr<std::unique_ptr<RunFrame>> RunFrames::make() const {
  auto frame = std::make_unique<RunFrame>();
  if (program_.plan.arena_bytes != 0) {
    HILO_ASSIGN_OR_RETURN(frame->arena, allocate_buffer(program_.plan.arena_bytes));
  }
  for (const Slot& slot : program_.plan.slots) {
    void* address = nullptr;
    if (slot.source == SlotSource::kArena) address = frame->arena.data() + slot.index;
    if (slot.source == SlotSource::kConstant)
      address = const_cast<std::byte*>(program_.plan.constants[slot.index].bytes().data());
    frame->first_slots.push_back(address);
  }
  frame->slots = frame->first_slots;
  for (size_t k = 0; straight_ && k < program_.plan.argument_slots.size(); ++k) {
    void* const beginning = frame->slots[program_.plan.argument_slots[k]];  // null for the caller's memory
    const int64_t offset = beginning == nullptr ? 0 : program_.plan.argument_offset(k);
    frame->arguments.push_back(static_cast<std::byte*>(beginning) + offset);
  }
  return frame;
}

void RunFrames::place(RunFrame& frame, const std::byte* const* arguments, std::byte* const* results) const {
  std::ranges::copy(frame.first_slots, frame.slots.begin());
  set_places(slots_, frame.slots, arguments, results);
}

void RunFrames::place_straight(RunFrame& frame, const std::byte* const* arguments, std::byte* const* results) const {
  set_places(straight_places_, frame.arguments, arguments, results);
  if (copies_) set_places(slots_, frame.slots, arguments, results);
}

}  // namespace hilo::cpu
