// SPDX-License-Identifier: Apache-2.0
// base/caches.h -- forgetting what was remembered.
#pragma once

namespace hilo {

/// Forgets what every memoized function and table of the process keeps: compiled programs that jits and eager operations
/// share. What is in use lives on, each jit keeps what it has run, and the client, which is no cache, stays.
void clear_caches();

}  // namespace hilo
