// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/whole_loop.h -- a while loop of the step list as one function. Kernels are inlined or called.
// Pointers that a turn exchanges are values of the loop. Scalars of the carry are in registers.
#pragma once

#include "hilo/backend/cpu/emit/region/node_traits.h"
#include "hilo/engine/planner.h"

namespace llvm {
class Module;
}

namespace hilo::cpu {

using engine::LoopLayout, engine::Plan, engine::PlannedKernel, engine::WhileLoop;

struct LoopSource {
  const Plan& plan;
  std::span<const PlannedKernel> kernels;  ///< indexed by Step::index
  const WhileLoop& loop;
  const LoopLayout& layout;
};

/// Emits `name`, a LoopFunction, into a module of compile_code.
/// Errors    those of emit_region
Status emit_whole_loop(llvm::Module& module, Isa isa, const LoopSource& source, const std::string& name);

}  // namespace hilo::cpu
