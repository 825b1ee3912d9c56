// SPDX-License-Identifier: Apache-2.0
// base/stop.h -- how work is told to stop: a word that belongs to a thread while it works, and is looked at every now and
// then. Loops in library code and in generated code look at it alike.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "hilo/base/status.h"

namespace hilo {

/// What a word says. It goes from kRunning to one of the others once, and never back.
enum StopReason : uint32_t { kRunning = 0, kCancelRequested = 1, kDeadlinePassed = 2 };
using StopWord = std::atomic<uint32_t>;

namespace stop_detail {
extern constinit thread_local const StopWord* word_of_thread;
extern const StopWord unchanged;  ///< stands in a scope that leaves the thread's word as it is
}  // namespace stop_detail

/// The word that this thread's work belongs to; null: nobody can stop it.
inline const StopWord* stop_word() { return stop_detail::word_of_thread; }

/// While it lives, this thread's work belongs to `word`; null leaves it as it is. The word must outlive it.
class StopScope {
 public:
  explicit StopScope(const StopWord* word) : before_(&stop_detail::unchanged) {
    if (word != nullptr) before_ = std::exchange(stop_detail::word_of_thread, word);
  }
  ~StopScope() {
    if (before_ != &stop_detail::unchanged) stop_detail::word_of_thread = before_;
  }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const StopWord* before_;
};

/// For loops: finds the thread's word once. To be used on the thread that made it, under the scope it was made in.
class StopFlag {
 public:
  StopFlag() : word_(stop_word()) {}
  /// Whether the work is to stop: the caller returns, whatever its results are then. Who began the work says why.
  /// Cost    one load
  bool raised() const { return word_ != nullptr && word_->load(std::memory_order_relaxed) != kRunning; }

 private:
  const StopWord* word_;
};

/// Whether this thread's work is to stop.
inline bool stop_requested() { return StopFlag().raised(); }

/// What a word means: OK; CANCELLED "the program was cancelled" and `where`; or DEADLINE_EXCEEDED.
Status stop_status(const StopWord* word, std::string_view where = "");
/// The same of this thread's word.
inline Status stop_status() { return stop_status(stop_word()); }

/// Calls run(begin, end) for stretches of [0, count), in order and each at most `stretch` long, until the work is to stop.
template <typename Run>
void in_stretches(int64_t count, int64_t stretch, const Run& run) {
  const StopFlag stop;
  for (int64_t begin = 0; begin < count && !stop.raised(); begin += stretch)
    run(begin, count - begin < stretch ? count : begin + stretch);
}

}  // namespace hilo
