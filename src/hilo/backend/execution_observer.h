// SPDX-License-Identifier: Apache-2.0
// backend/execution_observer.h -- who watches a program run: profiles and NaN traps. Null costs nothing.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "hilo/hlo/ir/instruction.h"

namespace hilo {

/// Something that the engine runs in one go, and so can time: a kernel, a library call, a loop that is one function.
struct ExecutionUnit {
  std::string kind;                                   ///< "kernel", "loop", "copy", or the opcode of a library call
  std::vector<const hlo::Instruction*> instructions;  ///< of the executable's optimized module, operands first
  double bytes = 0;                                   ///< of memory read and written in one run
  std::string form = {};                              ///< of a kernel: "map", "row", "col" or "full"
};

class ExecutionObserver {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~ExecutionObserver() = default;
  /// `unit` ran, on the calling thread or forked from it. It lives as long as the executable.
  virtual void on_unit(const ExecutionUnit& unit, Clock::time_point begin, Clock::time_point end) = 0;
};

}  // namespace hilo
