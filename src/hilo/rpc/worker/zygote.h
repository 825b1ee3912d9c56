// SPDX-License-Identifier: Apache-2.0
// rpc/worker/zygote.h -- a small process that starts workers: it has no threads, no gRPC and no session's memory.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "hilo/rpc/worker/worker.h"

namespace hilo::rpc {

/// The first argument of a process that help_server() shall serve.
inline constexpr std::string_view kHelperArgument = "helper-of-serve";

/// The whole life of a process that a server has executed: `arguments` as main() has them, of which the first is
/// kHelperArgument. File descriptor 3 is its socket. Returns    an exit code
int help_server(std::span<const char* const> arguments);

/// Starts worker processes, each with one session. They end with their sockets, and with the server's process. Each is
/// executed anew, so that its addresses are its own; without WorkerOptions::command it is a fork.
class Zygote {
 public:
  /// Precondition without a command: the process has one thread.
  /// Errors    RESOURCE_EXHAUSTED; as errno_status if the command can't be executed
  static StatusOr<Zygote> start(const WorkerOptions& options);

  /// A new worker's socket, and the arena that it has, too.
  /// Errors    UNAVAILABLE if the zygote is gone; RESOURCE_EXHAUSTED
  StatusOr<WorkerFiles> start_worker() const;
  /// Waits until the zygote is gone, of which the system then knows no more, or `stop` is readable; whether the zygote
  /// is gone.
  bool wait_until_gone(int stop) const;

 private:
  Zygote(OwnedFile control, pid_t process) : control_(std::move(control)), process_(process) {}
  OwnedFile control_;
  pid_t process_;
};

/// Owns the zygote of a server and replaces one that is gone. Safe to use from several threads at once.
class ZygoteKeeper {
 public:
  /// `on_failure` is called once, on a thread of the keeper, when a zygote is gone and can't be replaced, or the fifth
  /// one within a minute is gone.
  /// Errors    as Zygote::start
  static StatusOr<std::unique_ptr<ZygoteKeeper>> start(const WorkerOptions& options,
                                                       std::function<void(const Status&)> on_failure);
  ~ZygoteKeeper();
  ZygoteKeeper(const ZygoteKeeper&) = delete;
  ZygoteKeeper& operator=(const ZygoteKeeper&) = delete;

  /// As Zygote::start_worker, by the zygote that is there now.
  StatusOr<WorkerFiles> start_worker();
  /// How many were replaced.
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
