// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/watchdog.h"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hilo/base/start_thread.h"

namespace hilo::rpc {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

struct Watchdog::State {
  struct Work;
  using Queue = std::list<Work*>;
  struct Work {
    Token token;
    Deadline deadline;                 // own limit
    int ahead = 0;                     // number of queues with earlier work, plus inputs that aren't ready
    Deadline turn_ends = kNoDeadline;  // set when its turn begins
    bool is_told = false;              // cancelled
    // set when it is cancelled and its turn has begun; until then it may wait for other work
    Deadline stuck_from = kNoDeadline;
    std::vector<std::pair<int, Queue::iterator>> places = {};
  };

  double most_seconds;
  std::function<void(const Token&)> on_stuck;
  std::mutex mutex;
  std::condition_variable changed;
  std::unordered_map<const CancellationToken*, Work> work;
  std::unordered_map<int, Queue> queues;
  Deadline wakes_at = kNoDeadline;  // time of the thread's next check
  bool over = false;
  std::thread thread;

  Work* find(const Token& token) {
    const auto found = work.find(token.get());
    return found == work.end() ? nullptr : &found->second;
  }
  void enter(Work& one, int queue) {
    Queue& waiting = queues[queue];
    if (!waiting.empty()) ++one.ahead;
    one.places.emplace_back(queue, waiting.insert(waiting.end(), &one));
  }
  void begin_turn(Work& one) {
    if (one.turn_ends == kNoDeadline) one.turn_ends = deadline_in(most_seconds);
    if (one.is_told && one.stuck_from == kNoDeadline) one.stuck_from = Clock::now() + kGrace;
  }
  /// Removes one obstacle of the work.
  void advance(Work& one) {
    if (--one.ahead > 0) return;
    begin_turn(one);
    wake_for(one);
  }
  void leave(Work& one) {
    for (const auto& [queue, place] : one.places) {
      Queue& waiting = queues[queue];
      const bool was_first = place == waiting.begin();
      waiting.erase(place);
      if (was_first && !waiting.empty()) advance(*waiting.front());
    }
  }
  void stop(Work& one, StopReason reason) {
    if (one.is_told) return;
    one.is_told = true;
    one.token->cancel(reason);
    if (one.ahead == 0) begin_turn(one);
  }
  /// Returns the time of the next action for this work.
  static Deadline due(const Work& one) { return one.is_told ? one.stuck_from : std::min(one.deadline, one.turn_ends); }
  Deadline first_due() const {
    Deadline first = kNoDeadline;
    for (const auto& [token, one] : work) first = std::min(first, due(one));
    return first;
  }

  void watch() {
    std::unique_lock lock(mutex);
    while (!over) {
      wakes_at = first_due();
      if (wakes_at == kNoDeadline) changed.wait(lock);
      else changed.wait_until(lock, wakes_at);
      const Deadline now = Clock::now();
      std::vector<Token> stuck;
      for (auto& [token, one] : work) {
        if (now < due(one)) continue;
        if (one.is_told) stuck.push_back(one.token);
        if (one.is_told) one.stuck_from = now + kGrace;  // once per grace period
        else stop(one, kDeadlinePassed);
      }
      if (over || !on_stuck) continue;
      lock.unlock();  // the callback may end the work
      for (const Token& token : stuck) on_stuck(token);
      lock.lock();
    }
  }
  /// Wakes the thread if its next check would be too late.
  void wake_for(const Work& one) {
    if (due(one) < wakes_at) changed.notify_all();
  }
  Status start_thread() {
    if (thread.joinable()) return ok_status();
    HILO_ASSIGN_OR_RETURN(thread, hilo::start_thread("to watch a program's time", [this] { watch(); }));
    return ok_status();
  }
};

Watchdog::Watchdog(double most_seconds, std::function<void(const Token&)> on_stuck) : state_(new State) {
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

Status Watchdog::begin(const Token& token, double seconds, std::span<const int> queues, int inputs) {
  const std::scoped_lock lock(state_->mutex);
  HILO_RETURN_IF_ERROR(state_->start_thread());
  State::Work& one = state_->work[token.get()];
  one = {.token = token, .deadline = deadline_in(seconds), .ahead = inputs};
  if (queues.empty()) state_->enter(one, 0);
  for (const int queue : queues) state_->enter(one, queue);
  if (one.ahead == 0) state_->begin_turn(one);
  state_->wake_for(one);
  return ok_status();
}

void Watchdog::input_ready(const Token& token) {
  const std::scoped_lock lock(state_->mutex);
  if (State::Work* const one = state_->find(token); one != nullptr) state_->advance(*one);
}

void Watchdog::end(const Token& token) {
  const std::scoped_lock lock(state_->mutex);
  State::Work* const one = state_->find(token);
  if (one == nullptr) return;
  state_->leave(*one);
  state_->work.erase(token.get());
}

void Watchdog::cancel(const Token& token) {
  const std::scoped_lock lock(state_->mutex);
  State::Work* const one = state_->find(token);
  if (one == nullptr) return;
  state_->stop(*one, kCancelRequested);
  state_->wake_for(*one);
}

}  // namespace hilo::rpc
