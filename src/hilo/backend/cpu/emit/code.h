// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/code.h -- the code of a planned program.
#pragma once

#include "hilo/backend/cpu/load/codegen_table.h"

namespace hilo::cpu {

/// Compiles the kernels and whole loops of a program, or reads them from caches that all programs of the process share.
/// `observer` may be null.
/// Errors    those of emit_region, emit_whole_loop and the code generator
StatusOr<EmittedPlan> emit_code(engine::PlannedProgram program, Isa isa, hlo::PassObserver* observer);

}  // namespace hilo::cpu
