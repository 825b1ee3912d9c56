// SPDX-License-Identifier: Apache-2.0
// client/cost_analysis.h -- what a compiled program does, counted.
#pragma once

#include "hilo/device/executable.h"
#include "hilo/hlo/cost/cost.h"

namespace hilo {

/// Operations and bytes of one run, counted from the instructions of Executable::optimized_module().
/// Errors    UNIMPLEMENTED if the client shows none
StatusOr<hlo::Cost> cost_analysis(const Executable& executable);

/// The same of a program as it stands.
hlo::Cost cost_analysis(const hlo::Module& module);

}  // namespace hilo
