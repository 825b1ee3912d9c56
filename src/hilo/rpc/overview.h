// SPDX-License-Identifier: Apache-2.0
// rpc/overview.h -- what a server says of itself to who watches it: numbers, and nothing of what sessions compute.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::rpc {

/// What a worker says of its session.
struct SessionReport {
  int64_t calls = 0;  ///< that have begun and not ended
  int64_t buffers = 0;
  int64_t live_bytes = 0;  ///< all that its account counts: arrays, programs, runs, replies
  int64_t executables = 0;
  int64_t memory_bytes = 0;  ///< of RAM that its process has
};

struct SessionOverview {
  int64_t number = 0;  ///< the server's own count; a session's name is its client's secret
  double seconds = 0;  ///< since it began
  bool has_client = false;
  int64_t waiting = 0;         ///< batches of calls that the worker hasn't taken
  int64_t replies = 0;         ///< since it began
  double report_seconds = -1;  ///< how old the report is; below 0: none has come
  SessionReport report = {};
  int64_t message_bytes = 0;  ///< of messages that the server holds for its worker
};

struct Overview {
  std::string release = {};  ///< the server's version of hilo
  double seconds = 0;        ///< since it began
  int64_t sessions_begun = 0, workers_lost = 0, replies = 0;
  int64_t connections = 0, strangers = 0, connections_cut = 0;
  std::vector<SessionOverview> sessions = {};  ///< the oldest first
  int64_t queued = 0;                          ///< clients that wait for a session
};

/// A table: a line of the server and one of each session. `before`: an older one of the same server, from which calls
/// are counted; else since they began.
std::string overview_text(const Overview& now, const Overview* before);

/// Asks a server. Blocking.
/// Errors    UNAVAILABLE, UNAUTHENTICATED; UNIMPLEMENTED of an older server
using AskOverview = std::function<StatusOr<Overview>()>;

}  // namespace hilo::rpc
