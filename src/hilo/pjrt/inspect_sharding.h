// SPDX-License-Identifier: Apache-2.0
// pjrt/inspect_sharding.h -- tells callers the shardings that they ask for by custom calls InspectSharding.
#pragma once

#include "hilo/stablehlo/devices/propagation.h"

namespace hilo::pjrt {

/// Calls back, in the program's order, for `devices` devices. The calls' texts hold a function's address, as jaxlib
/// writes it: they are of this process.
/// Errors    INVALID_ARGUMENT for a text that is none; INTERNAL with what the function says; those of sharding_looks
/// Source    XLA's <python/inspect_sharding.h>
Status inspect_shardings(const hlo::Module& module, const hlo::PropagationRequest& request, int64_t devices);

}  // namespace hilo::pjrt
