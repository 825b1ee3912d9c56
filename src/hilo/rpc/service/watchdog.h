// SPDX-License-Identifier: Apache-2.0
// rpc/service/watchdog.h -- ends work that takes longer than it may, and tells if it doesn't end.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "hilo/device/cancellation.h"

namespace hilo::rpc {

/// How long work may go on after it was told to stop.
inline constexpr std::chrono::milliseconds kGrace{1000};

/// Watches work in queues: a device runs one piece of work after the other, a run of several devices waits in several
/// queues. Safe to use from several threads at once. One thread for all, which starts with the first work.
class Watchdog {
 public:
  using Token = std::shared_ptr<CancellationToken>;

  /// Each piece of work may take `most_seconds`, 0 for ever, from when its turn begins: all work before it in its
  /// queues has ended, and its inputs are there. `on_stuck` is called with the token, on the watchdog's thread, when
  /// work goes on for kGrace after it was told to stop; may be empty.
  Watchdog(double most_seconds, std::function<void(const Token&)> on_stuck);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Work that polls the token begins or waits for its turn in these queues (none: 0) and for `inputs` calls of
  /// input_ready(); from now on it may take `seconds`, 0: for ever.
  /// Errors    RESOURCE_EXHAUSTED if there is no thread to watch it
  Status begin(const Token& token, double seconds, std::span<const int> queues = {}, int inputs = 0);
  /// One of the inputs of this work is there. Nothing if the work isn't watched.
  void input_ready(const Token& token);
  /// The work of this token has ended. Nothing if it isn't watched.
  void end(const Token& token);
  /// Tells it to stop. Nothing if it isn't watched.
  void cancel(const Token& token);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hilo::rpc
