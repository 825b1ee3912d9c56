// SPDX-License-Identifier: Apache-2.0
// client/cost_analysis.h -- counts the operations and bytes of a compiled program.
#pragma once

#include "hilo/device/executable.h"
#include "hilo/hlo/cost/cost.h"

namespace hilo {

/// Returns the operations and bytes of one run, counted from the instructions of Executable::optimized_module().
/// Errors    UNIMPLEMENTED if the client doesn't provide that module
StatusOr<hlo::Cost> cost_analysis(const Executable& executable);

/// Returns the operations and bytes of one run of `module`, without optimizing it.
hlo::Cost cost_analysis(const hlo::Module& module);

}  // namespace hilo
