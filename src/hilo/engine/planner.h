// SPDX-License-Identifier: Apache-2.0
// engine/planner.h -- plans an optimized module: steps, slots and one arena.
#pragma once

#include <map>

#include "hilo/engine/plan.h"

namespace hilo::engine {

/// How programs and their loops are compiled. The last two give the same bits.
enum class LoopForm : uint8_t {
  kStraight,  ///< small programs and bodies of loops are straight lines (straight_line.h); other programs as kRegisters
  kAlone,     ///< as kStraight, without a library where loops can be written: for products, and what a guard rejects
  kRegisters,  ///< carries are in registers if register_loop_form() allows it; other loops as kFunctions
  kFunctions,  ///< one function, unless why_not_whole() returns a reason
  kSteps,      ///< all loops run from step lists
};

/// The region of a kernel step, and facts about its arguments.
struct PlannedKernel {
  Region region;
  std::vector<bool> single;  ///< per argument: whether its buffer has one element
  double nanoseconds = 0;    ///< on one thread, by Target::costs()
  bool is_rare = false;      ///< whether it only runs when a straight line's guard rejects results
};

/// How a loop's function accesses slots, kernels and host steps. A kernel step in neither map is inlined into the
/// function.
struct LoopLayout {
  std::vector<SlotId> slots;                   ///< slots whose pointers are the function's arguments, in order
  std::map<const Step*, uint32_t> called;      ///< kernels called by address -> index in WholeLoop::kernels
  std::map<const Step*, uint32_t> handed_out;  ///< steps that the host runs -> index in WholeLoop::handed_out
  std::string text;                            ///< everything that the code depends on: equal texts have equal code
};

/// A loop that is compiled as a function, while its lists exist.
struct PlannedLoop {
  uint32_t loop;  ///< entry of Plan::loops
  LoopLayout layout;
};

/// A plan without code. Regions point into the module.
struct PlannedProgram {
  Plan plan;
  std::vector<PlannedKernel> kernels;  ///< one per kKernel step, indexed by Step::index
  std::vector<PlannedLoop> loops;      ///< one per entry of Plan::whole_loops
};

/// Renumbers the kernels that steps and whole loops call, in the order of their first use. Kernels inlined into loops
/// get no number.
/// Returns   the old number of each new one
std::vector<uint32_t> number_kernels(Plan& plan);

/// Checks that no kernel reads memory after another value was written there. A kernel that writes over an operand must
/// read each element at the index at which it writes. The lists of all loops must exist.
/// Errors    INTERNAL "plan: kernel 3 reads value 4 where value 7 was written"
Status check_memory(const PlannedProgram& program);

/// Plans the module as a straight line if it is small and that is faster. Otherwise plans everything except loops that
/// are compiled as functions; make_whole_loops() plans those.
/// Errors    those of Target::library_choice and register_loop; UNIMPLEMENTED for loops nested too deep
StatusOr<PlannedProgram> plan_steps(const hlo::Module& module, const Target& target);

}  // namespace hilo::engine
