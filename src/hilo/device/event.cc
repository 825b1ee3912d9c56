// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/event.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <span>
#include <vector>

namespace hilo {
namespace {

constexpr std::chrono::milliseconds kEventPollInterval{5};  // polling interval for a word that a signal handler may set

}  // namespace

struct Event::State {
  mutable std::mutex mutex;
  mutable std::condition_variable finished;
  std::atomic<bool> ready{false};  // set last, under the lock; `status` is constant afterwards
  Status status;
  std::vector<std::function<void(const Status&)>> callbacks;

  void finish(const Status& how) {
    std::vector<std::function<void(const Status&)>> asked;
    {
      const std::scoped_lock lock(mutex);
      status = how;
      asked.swap(callbacks);
      ready.store(true, std::memory_order_release);
    }
    finished.notify_all();
    for (const auto& callback : asked) callback(status);
  }
};

Event Event::finished(const Status& status) {
  if (status.ok()) return {};
  auto state = std::make_shared<State>();
  state->status = status;
  state->ready.store(true, std::memory_order_release);
  return Event(std::move(state));
}

Event Event::all(std::span<const Event> events) {
  /// Counts unfinished events; the last one to finish sets the joint status.
  struct Join {
    Join(std::span<const Event> events) : statuses(events.size()), missing(events.size()) {}
    EventSource source;
    std::vector<Status> statuses;
    std::atomic<size_t> missing;
  };
  bool plain = true;
  for (const Event& event : events) plain = plain && event.state_ == nullptr;
  if (plain) return {};
  auto join = std::make_shared<Join>(events);
  Event all = join->source.event();
  for (size_t i = 0; i < events.size(); ++i) {
    events[i].on_ready([join, i](const Status& status) {
      join->statuses[i] = status;
      if (join->missing.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
      Status first;
      for (const Status& one : join->statuses) {
        if (first.ok()) first = one;
      }
      join->source.finish(first);
    });
  }
  return all;
}

bool Event::is_ready() const { return state_ == nullptr || state_->ready.load(std::memory_order_acquire); }

Status Event::await(const CancellationToken* cancellation, Deadline deadline) const {
  if (state_ == nullptr) return ok_status();
  const auto ready = [this] { return state_->ready.load(std::memory_order_acquire); };
  std::unique_lock lock(state_->mutex);
  while (!ready()) {
    const auto now = std::chrono::steady_clock::now();
    if (cancellation != nullptr && cancellation->cancelled())
      return stop_status(cancellation->word(), " during a wait for it");
    if (now >= deadline) return Status(StatusCode::kDeadlineExceeded, "timeout of a wait for a device");
    if (cancellation != nullptr) state_->finished.wait_until(lock, std::min(deadline, now + kEventPollInterval));
    else if (deadline != kNoDeadline) state_->finished.wait_until(lock, deadline);
    else state_->finished.wait(lock);
  }
  return state_->status;
}

void Event::on_ready(std::function<void(const Status&)> f) const {
  if (state_ == nullptr) return f(ok_status());
  {
    const std::scoped_lock lock(state_->mutex);
    if (!state_->ready.load(std::memory_order_relaxed)) {
      state_->callbacks.push_back(std::move(f));
      return;
    }
  }
  f(state_->status);
}

EventSource::EventSource() : state_(std::make_shared<Event::State>()) {}

EventSource::~EventSource() {
  if (state_ != nullptr && !state_->ready.load(std::memory_order_acquire))
    state_->finish(internal_error("an event was destroyed before it finished"));
}

void EventSource::finish(const Status& status) { state_->finish(status); }

}  // namespace hilo
