// SPDX-License-Identifier: Apache-2.0
// device/event.h -- the completion of an asynchronous operation of a device: a copy, a run, the contents of a buffer.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "hilo/device/cancellation.h"

namespace hilo {

/// Finishes exactly once, with a status. Copies refer to the same event. Thread-safe.
class Event {
 public:
  /// Creates a finished event with status OK, without an allocation.
  Event() = default;
  /// Returns a finished event with this status.
  static Event finished(const Status& status);
  /// Returns an event that finishes when all of `events` have. Its status is that of the first event in the list that
  /// failed.
  static Event all(std::span<const Event> events);

  bool is_ready() const;
  /// Whether the event was created finished, with status OK.
  /// Cost      one load
  bool was_always_ready() const { return state_ == nullptr; }
  /// Waits for the event and returns its status. The wait, but not the work, ends early if `cancellation` (may be null)
  /// is set or the deadline passes.
  /// Errors    the event's own status; CANCELLED or DEADLINE_EXCEEDED of the wait
  Status await(const CancellationToken* cancellation = nullptr, Deadline deadline = kNoDeadline) const;
  /// Calls `f` once with the status. If the event is finished, `f` runs immediately; otherwise on the thread that
  /// finishes it.
  void on_ready(std::function<void(const Status&)> f) const;

 private:
  friend class EventSource;
  struct State;
  explicit Event(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;  // null means finished with status OK
};

/// The producer's side of an event. If it is destroyed without finish(), the event fails with INTERNAL, so that waits
/// end.
class EventSource {
 public:
  EventSource();
  ~EventSource();
  EventSource(EventSource&& other) noexcept = default;
  EventSource& operator=(EventSource&&) = delete;

  Event event() const { return Event(state_); }
  /// Finishes the event: wakes waiting threads and runs callbacks. Precondition: it is not finished yet.
  void finish(const Status& status);

 private:
  std::shared_ptr<Event::State> state_;
};

}  // namespace hilo
