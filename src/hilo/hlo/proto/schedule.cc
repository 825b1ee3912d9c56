// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/schedule.h"

#include <algorithm>

#include "hilo/base/sizes.h"
#include "hilo/hlo/proto/known_fields.h"

namespace hilo::hlo::proto {
namespace {

/// The facts about a computation that determine the order of a program.
struct Outline {
  std::vector<std::pair<int64_t, std::vector<int64_t>>>
      instructions;                ///< id, ids of called computations; by ascending id
  size_t next = 0, next_call = 0;  ///< next instruction and next call to visit
};

StatusOr<Outline> read_outline(const WireMessage& computation) {
  Outline outline;
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, computation.items(2));
  WireMessage instruction("HloInstructionProto");
  for (std::string_view item : items) {
    HILO_RETURN_IF_ERROR(instruction.assign(item));
    HILO_ASSIGN_OR_RETURN(const int64_t id, instruction.integer(kId));
    HILO_ASSIGN_OR_RETURN(std::vector<int64_t> called, instruction.integers(kCalledIds));
    outline.instructions.emplace_back(id, std::move(called));
  }
  std::ranges::sort(outline.instructions);
  return outline;
}

}  // namespace

StatusOr<Schedule> read_schedule(const WireMessage& module) {
  HILO_ASSIGN_OR_RETURN(const WireMessage stated, module.message(7, "HloScheduleProto"));
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, stated.items(1));
  Schedule schedule;
  for (std::string_view item : items) {
    HILO_ASSIGN_OR_RETURN(const WireMessage entry, WireMessage::read(item, "HloScheduleProto"));
    HILO_ASSIGN_OR_RETURN(const int64_t computation, entry.integer(1));
    HILO_ASSIGN_OR_RETURN(const WireMessage sequence, entry.message(2, "InstructionSequence"));
    HILO_ASSIGN_OR_RETURN(std::vector<int64_t> ids, sequence.integers(1));
    schedule.emplace(computation, std::move(ids));
  }
  return schedule;
}

StatusOr<std::vector<int64_t>> instruction_ids(std::span<const std::string_view> instructions) {
  std::vector<int64_t> ids;
  ids.reserve(instructions.size());
  WireMessage message("HloInstructionProto");
  for (std::string_view instruction : instructions) {
    HILO_RETURN_IF_ERROR(message.assign(instruction));
    HILO_ASSIGN_OR_RETURN(const int64_t id, message.integer(kId));
    ids.push_back(id);
  }
  return ids;
}

void order_by_schedule(const Schedule& schedule, int64_t computation, std::vector<std::string_view>& instructions,
                       std::vector<int64_t>& ids) {
  const auto sequence = schedule.find(computation);
  if (sequence == schedule.end() || sequence->second.size() != ids.size()) return;
  boost::unordered_flat_map<int64_t, size_t> places;
  for (size_t i = 0; i < ids.size(); ++i) places.emplace(ids[i], i);
  if (places.size() != ids.size()) return;
  std::vector<std::string_view> ordered;
  ordered.reserve(ids.size());
  for (int64_t id : sequence->second) {
    const auto it = places.find(id);
    if (it == places.end()) return;
    ordered.push_back(instructions[it->second]);
    places.erase(it);
  }
  instructions = std::move(ordered);
  ids = sequence->second;
}

StatusOr<boost::unordered_flat_map<int64_t, uint32_t>> first_origins(std::span<const std::string_view> computations,
                                                                     int64_t entry) {
  boost::unordered_flat_map<int64_t, Outline> outlines;
  for (std::string_view bytes : computations) {
    HILO_ASSIGN_OR_RETURN(const WireMessage message, WireMessage::read(bytes, "HloComputationProto"));
    HILO_ASSIGN_OR_RETURN(const int64_t id, message.integer(5));
    HILO_ASSIGN_OR_RETURN(Outline outline, read_outline(message));
    outlines.emplace(id, std::move(outline));
  }
  boost::unordered_flat_map<int64_t, uint32_t> origins;
  uint32_t count = 0;
  boost::unordered_flat_map<int64_t, bool> seen;
  std::vector<int64_t> stack;
  const auto push = [&](int64_t id) {
    if (outlines.contains(id) && seen.emplace(id, true).second) stack.push_back(id);
  };
  push(entry);
  while (!stack.empty()) {
    Outline& outline = outlines.at(stack.back());
    if (outline.next == outline.instructions.size()) {
      origins.emplace(stack.back(), count);
      count += size32(outline.instructions);
      stack.pop_back();
      continue;
    }
    const std::vector<int64_t>& called = outline.instructions[outline.next].second;
    if (outline.next_call < called.size()) {
      push(called[outline.next_call++]);
    } else {
      ++outline.next;
      outline.next_call = 0;
    }
  }
  return origins;
}

}  // namespace hilo::hlo::proto
