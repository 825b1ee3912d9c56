// SPDX-License-Identifier: Apache-2.0
// base/caches.h -- forgetting what was remembered.
#pragma once

#include <cstdint>

namespace hilo {

/// Forgets what every cache of the process keeps: traces and programs of every jit, compiled programs and code that jits and
/// eager operations share, transformed computations, results of memoized functions. What is in use lives on, and the
/// client, which is no cache, stays.
void clear_caches();

/// Bytes that all caches together keep, as they count them: code, constants, instructions, keys. What is more than the flag
/// hilo_cache_bytes says is dropped, the least recently used first.
int64_t kept_cache_bytes();

}  // namespace hilo
