// SPDX-License-Identifier: Apache-2.0
// backend/custom_call.h -- custom calls: user functions that programs call by name. register_custom_call() takes a C++
// function; handlers written in C (hilo/ffi.h) come in here.
#pragma once

#include "hilo/ffi.h"
#include "hilo/hlo/ops/custom_call_registry.h"

namespace hilo {

/// Lets programs call the C handler `execute` under `target`. The handler must answer the question for its version.
/// Errors    ALREADY_EXISTS if the name is taken; INVALID_ARGUMENT for a null handler; FAILED_PRECONDITION if it was
///           built for another major version, or a later minor one
Status register_ffi_handler(std::string_view target, HiloFfi_Handler* execute);

/// Calls a C handler with this frame.
Status call_ffi_handler(HiloFfi_Handler* handler, const CustomCallFrame& frame);

/// The other way round: what a C handler that is written in C++ does with its frame. Never throws.
HiloFfi_Error* answer_ffi_call(HiloFfi_CallFrame* frame, std::string_view target, const CustomCallHandler& handler);

}  // namespace hilo
