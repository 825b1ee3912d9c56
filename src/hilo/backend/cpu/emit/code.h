// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/code.h -- the code of a planned program.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/engine/planner.h"
#include "hilo/hlo/ir/pass_observer.h"

namespace hilo::cpu {

/// A plan with its code, and how many of its kernels and loops were in no cache.
struct EmittedPlan {
  engine::Plan plan;
  int64_t compiled = 0;
};

/// Compiles the kernels and whole loops of a program, or takes them from caches that all programs of the process share.
/// `observer` may be null.
/// Errors    those of emit_region, emit_whole_loop and the code generator
StatusOr<EmittedPlan> emit_code(engine::PlannedProgram program, Isa isa, hlo::PassObserver* observer);

}  // namespace hilo::cpu
