// SPDX-License-Identifier: Apache-2.0
// c/staged.h -- programs as computations.
#pragma once

#include "hilo/c/handles.h"
#include "hilo/hlo/ir/module.h"

namespace hilo::c {

/// Traces a program. The computation has one parameter an argument; what the program captures is constant.
/// Errors    INVALID_ARGUMENT for open sizes, UNIMPLEMENTED for a compiled program; throws those of tracing
StatusOr<hlo::ComputationPtr> staged(const Program& program);

/// Returns the results of the program, by numbers.
/// Errors    those of staged()
StatusOr<std::vector<LoadedValue>> results_of(const Program& program);

/// Traces the program and replaces its function by the trace, so that errors appear at once and no work is repeated.
/// Sets its results.
/// Errors    those of staged()
Status stage_in_place(Program& program);

}  // namespace hilo::c
