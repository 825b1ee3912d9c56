// SPDX-License-Identifier: Apache-2.0
// replica/execute_replicas.h -- runs all replicas of a program at once, each on a thread of its own.
#pragma once

#include "hilo/backend/backend.h"

namespace hilo {

/// Runs `executable` on one list of arguments a replica and returns one list of results each. Replica 0 runs on the
/// caller's thread. Of `options`, replica and communicator are set here; the observer sees replica 0.
/// Errors    INVALID_ARGUMENT for another number of lists than Executable::replica_count(); ABORTED "replica 2 failed:
///           ...", or CANCELLED, when a replica fails: then all stop; DEADLINE_EXCEEDED, which
///           names what replicas waited for and who didn't come; RESOURCE_EXHAUSTED if a thread can't be had
StatusOr<std::vector<std::vector<BufferPtr>>> execute_replicas(Executable& executable,
                                                               std::span<const std::vector<BufferPtr>> arguments,
                                                               const ExecuteOptions& options = {});

}  // namespace hilo
