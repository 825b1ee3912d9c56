// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/watchdog.h"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

#include "hilo/base/signals_blocked.h"

namespace hilo::rpc {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

struct Watchdog::State {
  struct Work {
    std::shared_ptr<CancellationToken> token;
    Deadline deadline;                  // its own
    Deadline turn_ends = kNoDeadline;   // set when its turn begins
    bool is_told = false;               // to stop
    Deadline stuck_from = kNoDeadline;  // set when it is told and its turn has begun: it may wait for others till then
  };

  double most_seconds;
  std::function<void()> on_stuck;
  std::mutex mutex;
  std::condition_variable changed;
  std::list<Work> work;             // in order
  Deadline wakes_at = kNoDeadline;  // when the thread looks again
  bool over = false;
  std::thread thread;

  auto find(const std::shared_ptr<CancellationToken>& token) { return std::ranges::find(work, token, &Work::token); }
  void begin_turn() {
    if (work.empty()) return;
    Work& first = work.front();
    if (first.turn_ends == kNoDeadline) first.turn_ends = deadline_in(most_seconds);
    if (first.is_told && first.stuck_from == kNoDeadline) first.stuck_from = Clock::now() + kGrace;
  }
  void stop(Work& one, StopReason reason) {
    if (one.is_told) return;
    one.is_told = true;
    one.token->cancel(reason);
    begin_turn();
  }
  /// When there is something to do for this work.
  static Deadline due(const Work& one) { return one.is_told ? one.stuck_from : std::min(one.deadline, one.turn_ends); }
  Deadline first_due() const {
    Deadline first = kNoDeadline;
    for (const Work& one : work) first = std::min(first, due(one));
    return first;
  }

  void watch() {
    std::unique_lock lock(mutex);
    while (!over) {
      wakes_at = first_due();
      if (wakes_at == kNoDeadline) changed.wait(lock);
      else changed.wait_until(lock, wakes_at);
      const Deadline now = Clock::now();
      bool is_stuck = false;
      for (Work& one : work) {
        if (now < due(one)) continue;
        is_stuck |= one.is_told;
        if (one.is_told) one.stuck_from = now + kGrace;  // once a grace
        else stop(one, kDeadlinePassed);
      }
      if (is_stuck && !over && on_stuck) on_stuck();
    }
  }
  /// Sees to it that the thread looks in time.
  void wake_for(const Work& one) {
    if (due(one) < wakes_at) changed.notify_all();
  }
  Status start_thread() {
    if (thread.joinable()) return ok_status();
    const SignalsBlocked blocked;
    try {
      thread = std::thread([this] { watch(); });
    } catch (const std::system_error&) {
      return resource_exhausted("no thread can be had to watch a program's time");
    }
    return ok_status();
  }
};

Watchdog::Watchdog(double most_seconds, std::function<void()> on_stuck) : state_(new State) {
  state_->most_seconds = most_seconds;
  state_->on_stuck = std::move(on_stuck);
}

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->over = true;
  }
  state_->changed.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
}

Status Watchdog::begin(const std::shared_ptr<CancellationToken>& token, double seconds) {
  const std::scoped_lock lock(state_->mutex);
  HILO_RETURN_IF_ERROR(state_->start_thread());
  state_->work.push_back({token, deadline_in(seconds)});
  state_->begin_turn();
  state_->wake_for(state_->work.back());
  return ok_status();
}

void Watchdog::end(const std::shared_ptr<CancellationToken>& token) {
  const std::scoped_lock lock(state_->mutex);
  const auto found = state_->find(token);
  if (found == state_->work.end()) return;
  state_->work.erase(found);
  state_->begin_turn();
  if (!state_->work.empty()) state_->wake_for(state_->work.front());
}

void Watchdog::cancel(const std::shared_ptr<CancellationToken>& token) {
  const std::scoped_lock lock(state_->mutex);
  const auto found = state_->find(token);
  if (found == state_->work.end()) return;
  state_->stop(*found, kCancelRequested);
  state_->wake_for(*found);
}

}  // namespace hilo::rpc
