// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/check_limits.h"

#include <fmt/format.h>

namespace hilo::rpc {

Status check_seconds(std::string_view option, double seconds) {
  constexpr double kMaxSeconds = 1e8;
  if (seconds >= 0 && seconds <= kMaxSeconds) return ok_status();  // also rejects NaN
  return invalid_argument(fmt::format("{}: got {}; wanted 0 to {:.0f} seconds", option, seconds, kMaxSeconds));
}

Status check_limits(const ServerOptions& options) {
  const Quota& quota = options.worker.quota;
  const SessionLimits& sessions = options.sessions;
  struct Limit {
    std::string_view option;
    int64_t value, least;
  };
  for (const Limit& limit : {Limit{"max-sessions", sessions.sessions, 1},
                             {"max-sessions-per-peer", sessions.sessions_per_peer, 0},
                             {"max-sessions-per-token", sessions.sessions_per_token, 0},
                             {"max-connections", options.door.connections, 1},
                             {"max-devices", options.worker.devices, 1},
                             {"max-live-bytes", quota.live_bytes, 0},
                             {"max-buffers", quota.buffers, 1},
                             {"max-executables", quota.executables, 1},
                             {"max-calls", quota.calls_in_flight, 1},
                             {"max-instructions", quota.instructions, 0},
                             {"max-worker-memory", options.worker.memory_bytes, 0},
                             {"grace", sessions.grace.count(), 0},
                             {"queue-seconds", sessions.queue_time.count(), 0}}) {
    if (limit.value < limit.least)
      return invalid_argument(fmt::format("{}: got {}; wanted at least {}", limit.option, limit.value, limit.least));
  }
  HILO_RETURN_IF_ERROR(check_seconds("max-compile-seconds", quota.compile_seconds));
  return check_seconds("max-run-seconds", quota.run_seconds);
}

}  // namespace hilo::rpc
