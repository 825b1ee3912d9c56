// SPDX-License-Identifier: Apache-2.0
// device/execution_observer.h -- the interface for observing a run: profiles and NaN traps. A null observer costs
// nothing.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "hilo/hlo/ir/instruction.h"

namespace hilo {

/// A unit of work that a device runs at once and can time: a kernel, a library call, a loop that is one function.
struct ExecutionUnit {
  std::string kind;  ///< "kernel", "loop", "copy", or the opcode of a library call
  /// instructions of the executable's optimized module, operands first
  std::vector<const hlo::Instruction*> instructions;
  double bytes = 0;       ///< bytes of memory read and written in one run
  std::string form = {};  ///< form of a kernel: "map", "row", "col" or "full"
};

/// Start and end of a unit in nanoseconds on its device's clock, whose origin is arbitrary. Units of one lane ran one
/// after the other. On Host a lane is a thread, on other devices a stream.
struct UnitTimes {
  int64_t begin = 0;
  int64_t duration = 0;
  uint64_t lane = 0;
};

class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  /// Called after `unit` ran; on Host, by the thread that ran it. `unit` lives as long as the executable.
  virtual void on_unit(const ExecutionUnit& unit, const UnitTimes& times) = 0;
};

}  // namespace hilo
