// SPDX-License-Identifier: Apache-2.0
// rpc/worker/zygote.h -- a small process that starts workers. It has no threads, no gRPC and no session's memory.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "hilo/rpc/worker/worker.h"

namespace hilo::rpc {

/// First argument of a process that calls help_server().
inline constexpr std::string_view kHelperArgument = "helper-of-serve";

/// Main function of a helper process of a server. `arguments` are those of main(), beginning with kHelperArgument. File
/// descriptor 3 is its socket.
/// Returns   the exit code
int help_server(std::span<const char* const> arguments);

/// Starts worker processes, each with one session. They end when their socket closes or the server's process ends. Each
/// one executes the program again, for separate address space randomization; without WorkerOptions::command it is a
/// fork.
class Zygote {
 public:
  /// Precondition without a command: the process has one thread.
  /// Errors    RESOURCE_EXHAUSTED; those of errno_status if the command can't be executed
  static StatusOr<Zygote> start(const WorkerOptions& options);

  /// Starts a worker and returns its socket and arena.
  /// Errors    UNAVAILABLE if the zygote has ended; RESOURCE_EXHAUSTED
  StatusOr<WorkerFiles> start_worker() const;
  /// Waits until the zygote has ended, and reaps it, or until `stop` is readable. Returns whether the zygote has ended.
  bool wait_until_gone(int stop) const;

 private:
  Zygote(OwnedFile control, pid_t process) : control_(std::move(control)), process_(process) {}
  OwnedFile control_;
  pid_t process_;
};

/// Owns the zygote of a server and replaces one that has ended. Thread-safe.
class ZygoteKeeper {
 public:
  /// `on_failure` is called once, on a thread of the keeper, if a zygote has ended and can't be replaced, or if five
  /// zygotes have ended within a minute.
  /// Errors    those of Zygote::start
  static StatusOr<std::unique_ptr<ZygoteKeeper>> start(const WorkerOptions& options,
                                                       std::function<void(const Status&)> on_failure);
  ~ZygoteKeeper();
  ZygoteKeeper(const ZygoteKeeper&) = delete;
  ZygoteKeeper& operator=(const ZygoteKeeper&) = delete;

  /// Starts a worker by the current zygote, like Zygote::start_worker.
  StatusOr<WorkerFiles> start_worker();
  /// Returns the number of replaced zygotes.
  int64_t replaced() const;

 private:
  ZygoteKeeper(const WorkerOptions& options, std::function<void(const Status&)> on_failure, OwnedFile stop,
               std::shared_ptr<const Zygote> zygote)
      : options_(options), on_failure_(std::move(on_failure)), stop_(std::move(stop)), zygote_(std::move(zygote)) {}
  void keep();

  const WorkerOptions options_;
  const std::function<void(const Status&)> on_failure_;
  const OwnedFile stop_;  // an eventfd
  mutable std::mutex mutex_;
  std::shared_ptr<const Zygote> zygote_;
  int64_t replaced_ = 0;
  std::thread thread_;
};

}  // namespace hilo::rpc
