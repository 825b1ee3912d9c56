// SPDX-License-Identifier: Apache-2.0
// client/replicas.h -- runs a program on several of the client's replicas at once.
#pragma once

#include "hilo/client/local_computation.h"

namespace hilo {

/// Runs a compiled program with one list of arguments per replica, whose buffers are on that replica's device. Returns
/// one list of results per replica. Arguments and results are leaves, as for LocalComputation::execute.
/// Errors    FAILED_PRECONDITION if it isn't compiled; INVALID_ARGUMENT if the number of lists differs from the
///           compiled one; ABORTED "replica 2 failed: ..." (or CANCELLED) for all replicas if one fails, for example
///           because of a buffer on another device
StatusOr<std::vector<std::vector<BufferPtr>>> execute_per_replica(const LocalComputation& computation,
                                                                  std::span<const std::vector<BufferPtr>> arguments,
                                                                  const ExecuteOptions& options = {});
StatusOr<std::vector<std::vector<BufferPtr>>> execute_per_replica(Executable& executable,
                                                                  std::span<const std::vector<BufferPtr>> arguments,
                                                                  const ExecuteOptions& options = {});

}  // namespace hilo
