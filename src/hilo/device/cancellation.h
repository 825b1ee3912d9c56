// SPDX-License-Identifier: Apache-2.0
// device/cancellation.h -- a word that running programs and compilations poll, and deadlines, which set it.
#pragma once

#include <chrono>
#include <memory>

#include "hilo/base/stop.h"

namespace hilo {

/// Set from any thread or from a signal handler; a program that sees it stops and returns CANCELLED, or
/// DEADLINE_EXCEEDED if that was the reason. The first reason stays.
class CancellationToken {
 public:
  void cancel(StopReason reason = kCancelRequested) {
    uint32_t running = kRunning;
    word_.compare_exchange_strong(running, reason, std::memory_order_relaxed);
  }
  bool cancelled() const { return word_.load(std::memory_order_relaxed) != kRunning; }
  /// What generated code loads.
  const StopWord* word() const { return &word_; }

 private:
  StopWord word_{kRunning};
};

using Deadline = std::chrono::steady_clock::time_point;
/// No deadline, and none that an executable would add by itself.
inline constexpr Deadline kNoDeadline = Deadline::max();

/// So many seconds from now; kNoDeadline for 0 and for what no clock counts.
Deadline deadline_in(double seconds);

/// A token that is set when `parent` (may be null) is set or the deadline has passed. Without a deadline it is the
/// parent itself; with one, a thread of its own waits beside, which ends with it. If the thread can't be had, DEADLINE_EXCEEDED
/// is what the token says at once.
class DeadlineWatch {
 public:
  DeadlineWatch(const CancellationToken* parent, Deadline deadline);
  ~DeadlineWatch();
  DeadlineWatch(const DeadlineWatch&) = delete;
  DeadlineWatch& operator=(const DeadlineWatch&) = delete;

  /// Null if there is neither parent nor deadline.
  const CancellationToken* token() const { return token_; }
  const StopWord* word() const { return token_ == nullptr ? nullptr : token_->word(); }

 private:
  struct Watch;
  const CancellationToken* token_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace hilo
