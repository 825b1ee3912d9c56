// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/cancellation.h"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "hilo/base/signals_blocked.h"

namespace hilo {
namespace {

// polling interval for the parent, which a signal handler may set
constexpr std::chrono::milliseconds kPollInterval{5};

}  // namespace

Deadline deadline_in(double seconds) {
  constexpr double kMax = 1e8;  // seconds, about three years
  if (seconds <= 0 || seconds > kMax) return kNoDeadline;
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<Deadline::duration>(std::chrono::duration<double>(seconds));
}

struct DeadlineWatch::Watch {
  const CancellationToken* parent;
  Deadline deadline;
  CancellationToken token;
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::thread thread;

  void watch() {
    std::unique_lock lock(mutex);
    while (!over && !token.cancelled()) {
      const auto now = std::chrono::steady_clock::now();
      if (parent != nullptr && parent->cancelled())
        token.cancel(static_cast<StopReason>(parent->word()->load(std::memory_order_relaxed)));
      else if (now >= deadline) token.cancel(kDeadlinePassed);
      else changed.wait_until(lock, parent == nullptr ? deadline : std::min(deadline, now + kPollInterval));
    }
  }
};

DeadlineWatch::DeadlineWatch(const CancellationToken* parent, Deadline deadline) : token_(parent) {
  if (deadline == kNoDeadline) return;
  watch_ = std::make_unique<Watch>();
  watch_->parent = parent;
  watch_->deadline = deadline;
  token_ = &watch_->token;
  const SignalsBlocked blocked;
  try {
    watch_->thread = std::thread([watch = watch_.get()] { watch->watch(); });
  } catch (const std::system_error&) {  // without the watching thread the program must not start
    watch_->token.cancel(kDeadlinePassed);
  }
}

DeadlineWatch::~DeadlineWatch() {
  if (watch_ == nullptr || !watch_->thread.joinable()) return;
  {
    std::lock_guard lock(watch_->mutex);
    watch_->over = true;
  }
  watch_->changed.notify_all();
  watch_->thread.join();
}

}  // namespace hilo
