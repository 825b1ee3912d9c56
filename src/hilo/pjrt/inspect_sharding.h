// SPDX-License-Identifier: Apache-2.0
// pjrt/inspect_sharding.h -- reports shardings to callers that request them by custom calls InspectSharding.
#pragma once

#include "hilo/stablehlo/devices/propagation.h"

namespace hilo::pjrt {

/// Calls the callbacks in the program's order, with shardings for `devices` devices. The calls' texts contain the
/// address of a function in this process, in jaxlib's format.
/// Errors    INVALID_ARGUMENT for an invalid text; INTERNAL with the function's error; those of sharding_looks
/// Source    XLA's <python/inspect_sharding.h>
Status inspect_shardings(const hlo::Module& module, const hlo::PropagationRequest& request, int64_t devices);

}  // namespace hilo::pjrt
