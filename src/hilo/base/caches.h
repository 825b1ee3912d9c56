// SPDX-License-Identifier: Apache-2.0
// base/caches.h -- clears the caches of the process.
#pragma once

#include <cstdint>

namespace hilo {

/// Clears all caches of the process: traces and programs of every jit, compiled programs and code of jits and eager
/// operations, transformed computations, results of memoized functions. Objects in use stay valid. The client isn't a
/// cache and stays.
void clear_caches();

/// Returns the bytes in all caches together: code, constants, instructions, keys. Above the limit of the flag
/// hilo_cache_bytes, the least recently used entries are dropped.
int64_t kept_cache_bytes();

}  // namespace hilo
