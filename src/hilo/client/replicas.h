// SPDX-License-Identifier: Apache-2.0
// client/replicas.h -- programs that run on several of the client's replicas at once.
#pragma once

#include "hilo/client/local_computation.h"

namespace hilo {

/// Runs a compiled program on one list of arguments a replica, whose buffers are that replica's; one list of results
/// each. Arguments and results are leaves, as for LocalComputation::execute.
/// Errors    FAILED_PRECONDITION if it isn't compiled; INVALID_ARGUMENT for another number of lists than the program is
///           compiled for; ABORTED "replica 2 failed: ..." (or CANCELLED) for all if one fails, by a buffer of another
///           replica say
StatusOr<std::vector<std::vector<BufferPtr>>> execute_per_replica(const LocalComputation& computation,
                                                                  std::span<const std::vector<BufferPtr>> arguments,
                                                                  const ExecuteOptions& options = {});
StatusOr<std::vector<std::vector<BufferPtr>>> execute_per_replica(Executable& executable,
                                                                  std::span<const std::vector<BufferPtr>> arguments,
                                                                  const ExecuteOptions& options = {});

}  // namespace hilo
