// SPDX-License-Identifier: Apache-2.0
// backend/cpu/codegen/compile.h -- compiles an optimized module to a plan with its code.
#pragma once

#include "hilo/backend/cpu/load/codegen_table.h"

namespace hilo::cpu {

/// Plans and compiles. `observer` may be null. The plan doesn't depend on the effort.
/// Errors    UNIMPLEMENTED "shuffle 's' is not implemented on platform Host in this version", and what code
///           generation returns
StatusOr<EmittedPlan> compile_plan(const hlo::Module& optimized, Isa isa,
                                   engine::LoopForm loops = engine::LoopForm::kStraight,
                                   hlo::PassObserver* observer = nullptr, const CompileEffort& effort = {});

}  // namespace hilo::cpu
