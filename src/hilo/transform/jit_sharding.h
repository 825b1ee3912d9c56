// SPDX-License-Identifier: Apache-2.0
// transform/jit_sharding.h -- jitted functions with shardings: constraints, and runs on a mesh. Not for users.
#pragma once

#include "hilo/transform/jit_cache.h"

namespace hilo::jit_detail {

/// Runs the call's function with the specified shardings as constraints, so that they also hold inside of other
/// functions.
std::vector<Array> constrained_trace(const JitCache& cache, const Call& call, JitEntry& entry,
                                     std::span<const Array> leaves);
/// Whether the program specifies shardings. It is then compiled for them once the arguments are known.
bool specifies_shardings(const JitEntry& entry);
/// Runs the program on the devices over which the arrays are sharded.
std::vector<Array> run_sharded(JitCache& cache, const JitEntry& entry, std::span<const Array> leaves,
                               const ShardedProgram* shared);

}  // namespace hilo::jit_detail
