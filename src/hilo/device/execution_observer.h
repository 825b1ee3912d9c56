// SPDX-License-Identifier: Apache-2.0
// device/execution_observer.h -- who watches a program run: profiles and NaN traps. Null costs nothing.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "hilo/hlo/ir/instruction.h"

namespace hilo {

/// Something that a device runs in one go, and so can time: a kernel, a library call, a loop that is one function.
struct ExecutionUnit {
  std::string kind;                                   ///< "kernel", "loop", "copy", or the opcode of a library call
  std::vector<const hlo::Instruction*> instructions;  ///< of the executable's optimized module, operands first
  double bytes = 0;                                   ///< of memory read and written in one run
  std::string form = {};                              ///< of a kernel: "map", "row", "col" or "full"
};

/// When a unit ran, in nanoseconds on its device's clock, of which only differences mean something; and its lane: units of
/// one lane ran one after the other. On Host a lane is a thread, on other devices a stream.
struct UnitTimes {
  int64_t begin = 0;
  int64_t duration = 0;
  uint64_t lane = 0;
};

class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  /// `unit` ran; on Host this is called on the thread that ran it. It lives as long as the executable.
  virtual void on_unit(const ExecutionUnit& unit, const UnitTimes& times) = 0;
};

}  // namespace hilo
