// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/symbols.h -- the functions outside itself that compiled code may call, by name.
#pragma once

#include <string_view>

#include "hilo/base/status.h"

namespace hilo::cpu {

/// Makes `address` callable from compiled code under `name`. Thread safe; lives as long as the process.
/// Errors: ALREADY_EXISTS if the name stands for another address, INVALID_ARGUMENT for a null address.
Status register_runtime_symbol(std::string_view name, void* address);

/// The address behind `name`, or null. The C library's memory and libm functions are known from the start.
void* find_runtime_symbol(std::string_view name);

}  // namespace hilo::cpu
