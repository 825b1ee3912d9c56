// SPDX-License-Identifier: Apache-2.0
// engine/register_schedule.h -- the order of the operations of straight-line code, and which of its values are in
// registers, so that no more values than registers are live at once.
#pragma once

#include <span>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::engine {

/// Instructions that are computed together, as lanes of one vector; usually one.
using ScheduleGroup = std::vector<hlo::InstructionId>;

/// Where a value is before the code begins.
enum class ValueHome : uint8_t {
  kNowhere,    ///< the code computes it
  kMemory,     ///< a load gets it, each time it is needed
  kImmediate,  ///< in the code: it needs no register
};

struct ScheduleProblem {
  const hlo::Computation& computation;
  std::span<const hlo::InstructionId> roots;  ///< the values to write, in order
  std::span<const ScheduleGroup> groups;      ///< of several instructions that don't depend on each other
  std::span<const ValueHome> homes;           ///< by instruction
  size_t registers;
  size_t steps_per_part;
};

enum class ScheduleAction : uint8_t {
  kCompute,  ///< `value`, and the other members of its group
  kLoad,     ///< `value`, from its slot; from its home if it has no slot
  kStore,    ///< `value` to its slot
  kWrite,    ///< root number `slot`
  kPart,     ///< begin the next part: all registers are empty
};

struct ScheduleStep {
  static constexpr uint32_t kNoSlot = ~0u;

  ScheduleAction action;
  hlo::InstructionId value = 0;
  uint32_t slot = kNoSlot;
  bool operator==(const ScheduleStep&) const = default;
};

struct RegisterSchedule {
  std::vector<ScheduleStep> steps;
  uint32_t slot_count = 0;  ///< of the frame: the places of values that had to leave their registers
};

/// Orders the operations that the roots need, depth first, so that values are used soon. If registers run out, the
/// value that is used last leaves its register (Belady's rule, which is optimal for loads of straight-line code). The
/// steps come in parts that share no registers, because a compiler's time for a function isn't linear in its length.
/// Cost    linear in the operations, times the registers
RegisterSchedule schedule_registers(const ScheduleProblem& problem);

}  // namespace hilo::engine
