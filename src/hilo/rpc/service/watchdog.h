// SPDX-License-Identifier: Apache-2.0
// rpc/service/watchdog.h -- ends work that takes longer than it may, and tells if it doesn't end.
#pragma once

#include <functional>
#include <memory>

#include "hilo/device/cancellation.h"

namespace hilo::rpc {

/// How long work may go on after it was told to stop.
inline constexpr std::chrono::milliseconds kGrace{1000};

/// Watches work that is done in the order in which it was asked for. Safe to use from several threads at once. One thread
/// for all, which starts with the first work.
class Watchdog {
 public:
  /// Each piece of work may take `most_seconds`, 0 for ever, from when all before it has ended. `on_stuck` is called, on the
  /// watchdog's thread, when one goes on for kGrace after it was told to stop; may be empty.
  Watchdog(double most_seconds, std::function<void()> on_stuck);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Work that polls the token begins or waits its turn; from now on it may take `seconds`, 0: for ever.
  /// Errors    RESOURCE_EXHAUSTED if there is no thread to watch it
  Status begin(const std::shared_ptr<CancellationToken>& token, double seconds);
  /// The work of this token has ended. Nothing if it isn't watched.
  void end(const std::shared_ptr<CancellationToken>& token);
  /// Tells it to stop. Nothing if it isn't watched.
  void cancel(const std::shared_ptr<CancellationToken>& token);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hilo::rpc
