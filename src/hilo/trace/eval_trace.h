// SPDX-License-Identifier: Apache-2.0
// trace/eval_trace.h -- the bottom trace: runs every operation at once, through a memoised compiled primitive.
#pragma once

#include "hilo/trace/trace.h"

namespace hilo {

/// The one bottom trace of the process.
Trace& eval_trace();

/// Runs an operation that calls computations which state shardings; nullopt for other operations.
using StatedRun = std::optional<std::vector<Array>> (*)(const Operation& operation);
/// From here on the bottom trace offers `run` each operation. Called when the process states its first sharding: a program
/// without a mesh never enters mesh code.
void run_stated_by(StatedRun run);
/// Whether this process has stated a sharding.
bool shardings_are_stated();

}  // namespace hilo
