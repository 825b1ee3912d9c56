// SPDX-License-Identifier: Apache-2.0
// rpc/service/watchdog.h -- cancels work that exceeds its time, and reports work that doesn't stop.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "hilo/device/cancellation.h"

namespace hilo::rpc {

/// Time that work may continue after its cancellation.
inline constexpr std::chrono::milliseconds kGrace{1000};

/// Watches work in queues. A device runs one piece of work at a time; a run on several devices waits in several queues.
/// Thread-safe. One thread watches all work; it starts with the first piece.
class Watchdog {
 public:
  using Token = std::shared_ptr<CancellationToken>;

  /// Each piece of work may take `most_seconds`, 0 means no limit. Its time begins when all earlier work in its queues
  /// has ended and its inputs are ready. `on_stuck` (may be empty) is called with the token, on the watchdog's thread,
  /// if work continues for kGrace after its cancellation.
  Watchdog(double most_seconds, std::function<void(const Token&)> on_stuck);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Registers work that polls the token. It waits for its turn in `queues` (none: it starts at once) and for `inputs`
  /// calls of input_ready(). Then it may take `seconds`; 0 means no limit.
  /// Errors    RESOURCE_EXHAUSTED without a thread
  Status begin(const Token& token, double seconds, std::span<const int> queues = {}, int inputs = 0);
  /// Marks one input of the work as ready. No effect if the work isn't registered.
  void input_ready(const Token& token);
  /// Unregisters the work. No effect if it isn't registered.
  void end(const Token& token);
  /// Cancels the work. No effect if it isn't registered.
  void cancel(const Token& token);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hilo::rpc
