// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/whole_loop.h -- a while loop of the step list as one function: kernels are written into it or called,
// pointers that a turn exchanges are values of the loop, one-element carries live in registers.
#pragma once

#include <map>
#include <string>

#include "hilo/backend/cpu/program.h"

namespace llvm {
class Module;
}

namespace hilo::cpu {

/// A kernel step's region, and what the planner knows of its arguments.
struct PlannedKernel {
  Region region;
  std::vector<bool> single;  ///< per argument: its buffer has one element
};

/// How the function reaches what it doesn't hold itself. A kernel step in neither map is written into the function.
struct LoopLayout {
  std::vector<SlotId> slots;                   ///< whose pointers the function takes, in order
  std::map<const Step*, uint32_t> called;      ///< kernels called by address -> place in LoopContext::kernels
  std::map<const Step*, uint32_t> handed_out;  ///< steps that the host runs -> number given to LoopContext::run_step
  std::string text;                            ///< all that the code depends on; equal texts mean equal code
};

struct LoopSource {
  const Program& program;
  std::span<const PlannedKernel> kernels;  ///< by Step::index
  const WhileLoop& loop;
  const LoopLayout& layout;
};

/// Emits `name`, a LoopFunction, into a module that compile_code has made.
/// Errors    those of emit_region
Status emit_whole_loop(llvm::Module& module, Isa isa, const LoopSource& source, const std::string& name);

}  // namespace hilo::cpu
