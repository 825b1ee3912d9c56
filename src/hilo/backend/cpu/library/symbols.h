// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/symbols.h -- the external functions that compiled code may call, by name.
#pragma once

#include <string_view>

#include "hilo/base/status.h"

namespace hilo::cpu {

/// Makes `address` callable from compiled code as `name`, for the lifetime of the process. Thread safe.
/// Errors: ALREADY_EXISTS if the name has another address, INVALID_ARGUMENT for a null address.
Status register_runtime_symbol(std::string_view name, void* address);

/// Returns the address of `name`, or null. The C library's memory and libm functions are always registered.
void* find_runtime_symbol(std::string_view name);

}  // namespace hilo::cpu
