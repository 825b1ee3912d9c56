// SPDX-License-Identifier: Apache-2.0
// rpc/worker/worker.h -- serves one session over a socket, in its own process or on a thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hilo/rpc/service/quota.h"
#include "hilo/rpc/worker/frames.h"

namespace hilo::rpc {

/// See SessionOptions::on_stuck.
using OnStuck = std::function<void(const std::function<void()>& answer)>;

struct WorkerOptions {
  std::string platform = "Host";
  Quota quota = {};
  int64_t devices = 64;                        ///< maximum number of devices that a session may request
  std::vector<std::string> custom_calls = {};  ///< custom call targets that programs may use in addition to hilo's own
  int64_t memory_bytes = 0;                    ///< maximum bytes of the worker's address space; 0 means no limit
  /// Program that is executed for each worker and calls help_server(). "" means that workers are forks of their server.
  std::string command = {};
};

/// Answers requests until the other end closes. The first Hello creates the session and its client. Blocks. `files` are
/// the worker's end of the socket and the arena. For `on_stuck` see SessionOptions::on_stuck.
void serve_session(WorkerFiles files, const WorkerOptions& options, OnStuck on_stuck);

}  // namespace hilo::rpc
