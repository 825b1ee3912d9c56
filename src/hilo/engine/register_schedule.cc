// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/register_schedule.h"

#include <algorithm>

#include "hilo/base/sizes.h"

namespace hilo::engine {

using hlo::InstructionId;

namespace {

constexpr uint32_t kNoGroup = ~0u;
constexpr uint32_t kNever = ~0u;

/// A computation of `value` and its group, or the write of root `root`.
struct Event {
  InstructionId value;
  uint32_t root = kNever;
};

std::vector<uint32_t> groups_by_value(const ScheduleProblem& problem) {
  std::vector<uint32_t> group_of(problem.computation.size(), kNoGroup);
  for (uint32_t g = 0; g < problem.groups.size(); ++g) {
    for (InstructionId id : problem.groups[g]) group_of[id] = g;
  }
  return group_of;
}

class Scheduler {
 public:
  explicit Scheduler(const ScheduleProblem& problem)
      : problem_(problem),
        group_of_(groups_by_value(problem)),
        uses_(problem.computation.size()),
        slots_(problem.computation.size(), ScheduleStep::kNoSlot),
        is_live_(problem.computation.size(), false) {}

  RegisterSchedule schedule() {
    order_events();
    count_uses();
    for (uint32_t at = 0; at < events_.size(); ++at) {
      if (result_.steps.size() - part_begin_ >= problem_.steps_per_part) begin_part();
      perform(events_[at], at);
    }
    return std::move(result_);
  }

 private:
  std::span<const InstructionId> members(const InstructionId& id) const {
    if (group_of_[id] == kNoGroup) return {&id, 1};
    return problem_.groups[group_of_[id]];
  }
  bool is_computed(InstructionId id) const { return problem_.homes[id] == ValueHome::kNowhere; }

  void order_events() {
    std::vector<bool> done(problem_.computation.size(), false);
    for (uint32_t r = 0; r < problem_.roots.size(); ++r) {
      order_operations(problem_.roots[r], done);
      events_.push_back({problem_.roots[r], r});
    }
  }

  /// Appends what `root` needs, operands first.
  void order_operations(InstructionId root, std::vector<bool>& done) {
    std::vector<InstructionId> stack{root};
    while (!stack.empty()) {
      const InstructionId id = stack.back();
      const size_t size = stack.size();
      if (is_computed(id) && !done[id]) {
        for (InstructionId member : members(id)) {
          const auto& operands = problem_.computation.instruction(member).operands;
          for (size_t k = operands.size(); k-- > 0;) {
            if (is_computed(operands[k]) && !done[operands[k]]) stack.push_back(operands[k]);
          }
        }
      }
      if (stack.size() > size) continue;
      stack.pop_back();
      if (!is_computed(id) || done[id]) continue;
      for (InstructionId member : members(id)) done[member] = true;
      events_.push_back({id});
    }
  }

  template <typename Visit>
  void for_operands(const Event& event, const Visit& visit) const {
    if (event.root != kNever) {
      if (problem_.homes[event.value] != ValueHome::kImmediate) visit(event.value);
      return;
    }
    for (InstructionId member : members(event.value)) {
      for (InstructionId operand : problem_.computation.instruction(member).operands) {
        if (problem_.homes[operand] != ValueHome::kImmediate) visit(operand);
      }
    }
  }

  /// Lists the events that use each value, the last one first.
  void count_uses() {
    for (uint32_t at = size32(events_); at-- > 0;) {
      for_operands(events_[at], [&](InstructionId id) {
        if (uses_[id].empty() || uses_[id].back() != at) uses_[id].push_back(at);
      });
    }
  }

  void perform(const Event& event, uint32_t at) {
    for_operands(event, [&](InstructionId id) {
      if (is_live_[id]) return;
      make_room(at);
      result_.steps.push_back({ScheduleAction::kLoad, id, slots_[id]});
      enter(id);
    });
    for_operands(event, [&](InstructionId id) {
      if (!uses_[id].empty() && uses_[id].back() == at) uses_[id].pop_back();
      if (uses_[id].empty() && is_live_[id]) end(id);
    });
    if (event.root != kNever) {
      result_.steps.push_back({ScheduleAction::kWrite, event.value, event.root});
      return;
    }
    result_.steps.push_back({ScheduleAction::kCompute, event.value});
    for (InstructionId member : members(event.value)) {
      if (uses_[member].empty()) continue;
      enter(member);
    }
    while (live_.size() > problem_.registers) evict(at);
  }

  void enter(InstructionId id) {
    is_live_[id] = true;
    live_.push_back(id);
  }

  void leave(InstructionId id) {
    is_live_[id] = false;
    *std::ranges::find(live_, id) = live_.back();
    live_.pop_back();
  }

  void end(InstructionId id) {
    leave(id);
    if (slots_[id] != ScheduleStep::kNoSlot) free_slots_.push_back(slots_[id]);
  }

  uint32_t next_use(InstructionId id) const { return uses_[id].empty() ? kNever : uses_[id].back(); }

  /// Frees a register unless all values are operands of the event.
  void make_room(uint32_t at) {
    if (live_.size() >= problem_.registers) evict(at);
  }

  void evict(uint32_t at) {
    const InstructionId id = *std::ranges::max_element(live_, {}, [&](InstructionId v) { return next_use(v); });
    if (next_use(id) != at) save_and_leave(id);
  }

  void begin_part() {
    while (!live_.empty()) save_and_leave(live_.back());
    result_.steps.push_back({ScheduleAction::kPart});
    part_begin_ = result_.steps.size();
  }

  void save_and_leave(InstructionId id) {
    if (is_computed(id) && slots_[id] == ScheduleStep::kNoSlot) {
      slots_[id] = new_slot();
      result_.steps.push_back({ScheduleAction::kStore, id, slots_[id]});
    }
    leave(id);
  }

  uint32_t new_slot() {
    if (free_slots_.empty()) return result_.slot_count++;
    const uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }

  const ScheduleProblem& problem_;
  std::vector<uint32_t> group_of_;
  std::vector<Event> events_;
  std::vector<std::vector<uint32_t>> uses_;  ///< by value; events, the next one last
  std::vector<uint32_t> slots_;              ///< by value
  std::vector<bool> is_live_;                ///< by value: in a register
  std::vector<InstructionId> live_;
  std::vector<uint32_t> free_slots_;
  size_t part_begin_ = 0;
  RegisterSchedule result_;
};

}  // namespace

RegisterSchedule schedule_registers(const ScheduleProblem& problem) { return Scheduler(problem).schedule(); }

}  // namespace hilo::engine
