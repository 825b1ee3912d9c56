// SPDX-License-Identifier: Apache-2.0
// backend/cuda/host_copies.h -- calls functions of this process on arrays of a GPU, with copies to the host and back.
#pragma once

#include "hilo/backend/cuda/driver.h"
#include "hilo/hlo/ops/custom_call_registry.h"

namespace hilo::cuda {

/// Calls the handler with copies of the operands, whose addresses in the frame are on the device, and copies the
/// results back. Waits for the stream's work before and after the call.
/// Errors    the handler's; INTERNAL with the driver's number
/// Cost      each operand and each result crosses the bus once; the stream is idle meanwhile
Status call_on_copies(const CustomCallHandler& handler, const CustomCallFrame& frame, const StreamFunctions& functions,
                      void* stream);

}  // namespace hilo::cuda
