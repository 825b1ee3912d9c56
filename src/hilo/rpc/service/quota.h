// SPDX-License-Identifier: Apache-2.0
// rpc/service/quota.h -- what one session may have and spend.
#pragma once

#include <cstdint>

namespace hilo::rpc {

/// 0 of seconds and of live bytes: as much as it takes.
struct Quota {
  /// Of all that a session holds: buffers, also those that only runs still hold, temporaries, programs that wait to be
  /// compiled, compiled ones with their constants and code, replies until the client has them; and what one program may
  /// plan.
  int64_t live_bytes = 0;
  int64_t buffers = 1 << 20;
  int64_t executables = 1 << 16;   ///< a client keeps as many as its own caches hold: thousands
  int64_t calls_in_flight = 4096;  ///< that the client hasn't said it has the replies of
  int64_t instructions = 1 << 20;  ///< of a program, at any time of its compilation
  double compile_seconds = 0;      ///< of each compilation
  double run_seconds = 0;          ///< of each run, from when those before it on its devices have ended
};

}  // namespace hilo::rpc
