// SPDX-License-Identifier: Apache-2.0
// device/cancellation.h -- a flag that running programs and compilations poll, and deadlines that set it.
#pragma once

#include <chrono>
#include <memory>

#include "hilo/base/stop.h"

namespace hilo {

/// A flag that any thread or a signal handler can set. A program that sees it stops and returns CANCELLED or
/// DEADLINE_EXCEEDED, depending on the reason. Only the first reason is stored.
class CancellationToken {
 public:
  void cancel(StopReason reason = kCancelRequested) {
    uint32_t running = kRunning;
    word_.compare_exchange_strong(running, reason, std::memory_order_relaxed);
  }
  bool cancelled() const { return word_.load(std::memory_order_relaxed) != kRunning; }
  /// Returns the word that generated code loads.
  const StopWord* word() const { return &word_; }

 private:
  StopWord word_{kRunning};
};

using Deadline = std::chrono::steady_clock::time_point;
/// Means "no deadline"; CompileLimits::run_seconds is ignored, too.
inline constexpr Deadline kNoDeadline = Deadline::max();

/// Returns the time point `seconds` from the call on. Returns kNoDeadline for 0 and for durations beyond the clock's
/// range.
Deadline deadline_in(double seconds);

/// A token that is set when `parent` (may be null) is set or the deadline passes. Without a deadline it is the parent
/// itself. With a deadline, a separate thread waits for it until the watch is destroyed. If that thread can't be
/// started, the token is set to DEADLINE_EXCEEDED at once.
class DeadlineWatch {
 public:
  DeadlineWatch(const CancellationToken* parent, Deadline deadline);
  ~DeadlineWatch();
  DeadlineWatch(const DeadlineWatch&) = delete;
  DeadlineWatch& operator=(const DeadlineWatch&) = delete;

  /// Returns null if there is neither a parent nor a deadline.
  const CancellationToken* token() const { return token_; }
  const StopWord* word() const { return token_ == nullptr ? nullptr : token_->word(); }

 private:
  struct Watch;
  const CancellationToken* token_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace hilo
