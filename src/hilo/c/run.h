// SPDX-License-Identifier: Apache-2.0
// c/run.h -- runs of functions on buffers.
#pragma once

#include <string_view>

#include "hilo/c/handles.h"

namespace hilo::c {

/// Checks the number of arguments and results of a call. `what` begins the message.
/// Errors    INVALID_ARGUMENT
Status check_counts(std::string_view what, const Function& function, size_t arguments, size_t results);

/// Runs a function on memory that check_addresses() accepts, through buffers: for devices with other memory, and those
/// that have other work to do first.
/// Errors    RESOURCE_EXHAUSTED; those of the program
Status run_with_copies(const Function& function, const void* const* arguments, void* const* results);

}  // namespace hilo::c
