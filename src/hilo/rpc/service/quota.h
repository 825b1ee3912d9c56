// SPDX-License-Identifier: Apache-2.0
// rpc/service/quota.h -- the limits of one session.
#pragma once

#include <cstdint>

namespace hilo::rpc {

/// Limits of a session. 0 seconds or 0 live bytes means no limit.
struct Quota {
  /// All bytes that a session holds: buffers (also those that only runs hold), temporaries, programs waiting for
  /// compilation, compiled programs with constants and code, replies until they are acknowledged. It also limits the
  /// planned memory of one program.
  int64_t live_bytes = 0;
  int64_t buffers = 1 << 20;
  int64_t executables = 1 << 16;   ///< clients keep as many as their own caches hold, which may be thousands
  int64_t calls_in_flight = 4096;  ///< calls without acknowledged replies
  int64_t instructions = 1 << 20;  ///< instructions of a program at any time of its compilation
  double compile_seconds = 0;      ///< of each compilation
  double run_seconds = 0;          ///< of each run, from the end of earlier runs on its devices
};

}  // namespace hilo::rpc
