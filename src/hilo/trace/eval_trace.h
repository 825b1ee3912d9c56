// SPDX-License-Identifier: Apache-2.0
// trace/eval_trace.h -- the bottom trace: runs every operation at once, through a cached compiled primitive.
#pragma once

#include "hilo/trace/trace.h"

namespace hilo {

/// Returns the only bottom trace of the process.
Trace& eval_trace();

/// Runs an operation that calls computations with sharding constraints; returns nullopt for other operations.
using ConstrainedRun = std::optional<std::vector<Array>> (*)(const Operation& operation);
/// Makes the bottom trace offer each operation to `run` first. Called when the process creates its first sharding
/// constraint, so that a program without a mesh never enters mesh code.
void run_constrained_by(ConstrainedRun run);
/// Whether this process has created a sharding constraint.
bool uses_sharding_constraints();

}  // namespace hilo
