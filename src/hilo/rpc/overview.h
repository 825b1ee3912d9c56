// SPDX-License-Identifier: Apache-2.0
// rpc/overview.h -- the statistics of a server for its operator. They contain nothing that sessions compute.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::rpc {

/// A worker's statistics of its session.
struct SessionReport {
  int64_t calls = 0;  ///< number of calls that have begun and not ended
  int64_t buffers = 0;
  int64_t live_bytes = 0;  ///< bytes of its account: arrays, programs, runs, replies
  int64_t executables = 0;
  int64_t memory_bytes = 0;  ///< resident bytes of the worker process
};

struct SessionOverview {
  int64_t number = 0;  ///< number that the server assigns; the session's name is secret
  double seconds = 0;  ///< seconds since its beginning
  bool has_client = false;
  int64_t waiting = 0;         ///< number of batches that the worker hasn't read
  int64_t replies = 0;         ///< number of replies since its beginning
  double report_seconds = -1;  ///< age of the report in seconds; negative means that none has arrived
  SessionReport report = {};
  int64_t message_bytes = 0;  ///< bytes of messages that the server queues for the worker
};

struct Overview {
  std::string release = {};  ///< the server's version of hilo
  double seconds = 0;        ///< seconds since its start
  int64_t sessions_begun = 0, workers_lost = 0, replies = 0;
  int64_t connections = 0, strangers = 0, connections_cut = 0;
  std::vector<SessionOverview> sessions = {};  ///< oldest first
  int64_t queued = 0;                          ///< number of clients that wait for a session
};

/// Returns a table with one line for the server and one per session. If `before`, an older overview of the same server,
/// is not null, calls are counted since then, otherwise since the beginning.
std::string overview_text(const Overview& now, const Overview* before);

/// Queries a server. Blocks.
/// Errors    UNAVAILABLE, UNAUTHENTICATED; UNIMPLEMENTED for an older server
using AskOverview = std::function<StatusOr<Overview>()>;

}  // namespace hilo::rpc
