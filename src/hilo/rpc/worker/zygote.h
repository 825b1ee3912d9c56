// SPDX-License-Identifier: Apache-2.0
// rpc/worker/zygote.h -- a small process that makes workers: it has no threads, no gRPC and no session's memory.
#pragma once

#include "hilo/rpc/worker/worker.h"

namespace hilo::rpc {

/// Makes worker processes, each with one session. They end with their sockets, and with the server's process.
class Zygote {
 public:
  /// Precondition: the process has one thread.
  /// Errors    RESOURCE_EXHAUSTED
  static StatusOr<Zygote> start(const WorkerOptions& options);

  /// A new worker's socket, and the arena that it has, too.
  /// Errors    UNAVAILABLE if the zygote is gone; RESOURCE_EXHAUSTED
  StatusOr<WorkerFiles> start_worker() const;

 private:
  explicit Zygote(OwnedFile control) : control_(std::move(control)) {}
  OwnedFile control_;
};

}  // namespace hilo::rpc
