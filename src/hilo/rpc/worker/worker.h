// SPDX-License-Identifier: Apache-2.0
// rpc/worker/worker.h -- one session, served over a socket: in a process of its own, or on a thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hilo/rpc/service/quota.h"
#include "hilo/rpc/worker/frames.h"

namespace hilo::rpc {

/// As SessionOptions::on_stuck.
using OnStuck = std::function<void(const std::function<void()>& answer)>;

struct WorkerOptions {
  std::string platform = "Host";
  Quota quota = {};
  int64_t devices = 64;                        ///< that a session may ask for
  std::vector<std::string> custom_calls = {};  ///< targets that programs may call beside hilo's own
  int64_t memory_bytes = 0;                    ///< of the worker's address space; 0: as much as there is
  /// The program that is executed for each worker, which calls help_server(); "": workers are forks of their server.
  std::string command = {};
};

/// Answers the requests that come until the other end closes: the first Hello makes the session and its client.
/// Blocking. `files`: the worker's end of the socket, and the arena. `on_stuck` as SessionOptions::on_stuck.
void serve_session(WorkerFiles files, const WorkerOptions& options, OnStuck on_stuck);

}  // namespace hilo::rpc
