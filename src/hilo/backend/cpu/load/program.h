// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/program.h -- a plan with the addresses of this process (code and library calls), and its execution.
#pragma once

#include "hilo/backend/cpu/library/heroes.h"
#include "hilo/backend/cpu/load/compiled_code.h"
#include "hilo/device/execution_observer.h"
#include "hilo/engine/plan.h"

namespace hilo::cpu {

using engine::Plan, engine::StepList;

struct Program {
  Plan plan;
  std::vector<std::shared_ptr<CompiledCode>> code;      ///< per object
  std::vector<RegionKernel> kernels;                    ///< per entry of Plan::kernels
  std::vector<std::unique_ptr<Hero>> heroes;            ///< per library call
  std::vector<LoopFunction> loops;                      ///< per whole loop
  std::vector<std::vector<RegionKernel>> loop_kernels;  ///< per whole loop: the kernels that it calls
};

/// Binds a library call: bind_hero, or bind_routine for the results of an object.
using BindCall = StatusOr<std::unique_ptr<Hero>> (*)(const engine::LibraryCall& call, Isa isa,
                                                     std::span<void* const> code);

/// Loads the code of a plan and binds its library calls.
/// Errors    FAILED_PRECONDITION if the plan is for another target or refers to unknown library functions; those of
/// load_object
StatusOr<Program> load_program(Plan plan, Isa isa, BindCall bind = bind_hero);

/// The environment of running steps.
struct StepContext {
  const Program& program;
  void** slots;
  CallContext call;
  ExecutionObserver* observer = nullptr;      ///< null: no observer
  std::span<const ExecutionUnit> units = {};  ///< what the observer receives, per entry of Plan::work
};

/// Runs a list of steps.
/// Errors    CANCELLED or DEADLINE_EXCEEDED, soon after the stop word is set, and those of library calls
Status run_steps(const StepList& steps, StepContext& context);

/// Runs the program's steps if they only call kernels and the library and copy, on one thread, without an observer and
/// a stop word. `arguments` has an address per entry of Plan::argument_slots, `slots` one per slot.
/// Errors    those of library calls
Status run_straight_steps(const Program& program, void* const* arguments, void* const* slots);

}  // namespace hilo::cpu
