// SPDX-License-Identifier: Apache-2.0
// engine/planner.h -- from an optimised module to steps, slots and one arena.
#pragma once

#include <map>

#include "hilo/engine/plan.h"

namespace hilo::engine {

/// What becomes of loops. The last two give the same bits.
enum class LoopForm : uint8_t {
  kRegisters,  ///< carries live in registers where register_loop_work() says so; the others as below
  kFunctions,  ///< one function where why_not_whole() has nothing against it
  kSteps,      ///< all run from step lists
};

/// A kernel step's region, and what the planner knows of its arguments.
struct PlannedKernel {
  Region region;
  std::vector<bool> single;  ///< per argument: its buffer has one element
  double nanoseconds = 0;    ///< of one thread, by Target::costs()
};

/// How a loop's function reaches what it doesn't hold itself. A kernel step in neither map is written into the
/// function.
struct LoopLayout {
  std::vector<SlotId> slots;                   ///< whose pointers the function takes, in order
  std::map<const Step*, uint32_t> called;      ///< kernels called by address -> place in WholeLoop::kernels
  std::map<const Step*, uint32_t> handed_out;  ///< steps that the host runs -> place in WholeLoop::handed_out
  std::string text;                            ///< all that the code depends on; equal texts mean equal code
};

/// A loop that becomes a function, while its lists are there.
struct PlannedLoop {
  uint32_t loop;  ///< entry of Plan::loops
  LoopLayout layout;
};

/// A plan before its code is there. Regions point into the module.
struct PlannedProgram {
  Plan plan;
  std::vector<PlannedKernel> kernels;  ///< one per kKernel step, by Step::index
  std::vector<PlannedLoop> loops;      ///< one per entry of Plan::whole_loops
};

/// Numbers the kernels that steps and whole loops call anew, by who is first. Those written into loops get no number.
/// Returns   by new number, the old one
std::vector<uint32_t> number_kernels(Plan& plan);

/// Plans all but loops that become functions; make_whole_loops() does those.
/// Errors    those of Target::library_choice and register_loop; UNIMPLEMENTED for loops nested too deep
StatusOr<PlannedProgram> plan_steps(const hlo::Module& module, const Target& target);

}  // namespace hilo::engine
