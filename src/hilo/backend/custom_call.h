// SPDX-License-Identifier: Apache-2.0
// backend/custom_call.h -- custom calls: user functions that programs call by name. register_custom_call() registers
// C++ functions; the functions here register and call handlers written in C (hilo/ffi.h).
#pragma once

#include "hilo/ffi.h"
#include "hilo/hlo/ops/custom_call_registry.h"

namespace hilo {

/// Registers the C handler `execute`; programs call it as `target`. The handler must answer queries for its version.
/// Errors    ALREADY_EXISTS if the name is in use; INVALID_ARGUMENT for a null handler; FAILED_PRECONDITION if it was
///           built for another major version, or a later minor one
Status register_ffi_handler(std::string_view target, HiloFfi_Handler* execute);

/// As register_ffi_handler(), but takes the place of the target's handler.
Status replace_ffi_handler(std::string_view target, HiloFfi_Handler* execute);

/// Calls a C handler with this frame.
Status call_ffi_handler(HiloFfi_Handler* handler, const CustomCallFrame& frame);

/// Runs a C++ function as a C handler: converts the frame, calls the function and returns its error. Never throws.
HiloFfi_Error* answer_ffi_call(HiloFfi_CallFrame* frame, std::string_view target, const CustomCallHandler& handler);

}  // namespace hilo
