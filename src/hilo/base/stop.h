// SPDX-License-Identifier: Apache-2.0
// base/stop.h -- cancellation of running work: a word per thread that loops in library code and in generated code poll.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "hilo/base/status.h"

namespace hilo {

/// Values of the word. It changes at most once, from kRunning to one of the others.
enum StopReason : uint32_t { kRunning = 0, kCancelRequested = 1, kDeadlinePassed = 2 };
using StopWord = std::atomic<uint32_t>;

namespace stop_detail {
extern constinit thread_local const StopWord* word_of_thread;
extern const StopWord unchanged;  ///< marker for scopes that don't change the thread's word
}  // namespace stop_detail

/// Returns the word of this thread's work; null means that the work can't be stopped.
inline const StopWord* stop_word() { return stop_detail::word_of_thread; }

/// Sets the word of this thread's work for the duration of the scope; null doesn't change it. The word must outlive the
/// scope.
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

/// Caches the thread's word for loops. It must be used on the thread and in the scope in which it was created.
class StopFlag {
 public:
  StopFlag() : word_(stop_word()) {}
  /// Returns whether the work must stop. The caller then returns with arbitrary results, and the code that started the
  /// work reports the reason.
  /// Cost      one load
  bool raised() const { return word_ != nullptr && word_->load(std::memory_order_relaxed) != kRunning; }

 private:
  const StopWord* word_;
};

/// Returns whether this thread's work must stop.
inline bool stop_requested() { return StopFlag().raised(); }

/// Converts a word to a status: OK; CANCELLED "the program was cancelled" and `where`; or DEADLINE_EXCEEDED.
Status stop_status(const StopWord* word, std::string_view where = "");
/// Returns the status of this thread's word.
inline Status stop_status() { return stop_status(stop_word()); }

/// Calls run(begin, end) for consecutive ranges of [0, count), each of at most `stretch` elements, until the work must
/// stop.
template <typename Run>
void in_stretches(int64_t count, int64_t stretch, const Run& run) {
  const StopFlag stop;
  for (int64_t begin = 0; begin < count && !stop.raised(); begin += stretch)
    run(begin, count - begin < stretch ? count : begin + stretch);
}

}  // namespace hilo
