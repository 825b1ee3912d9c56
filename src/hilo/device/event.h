// SPDX-License-Identifier: Apache-2.0
// device/event.h -- something that a device has yet to finish: a copy, a run, a buffer's contents.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "hilo/device/cancellation.h"

namespace hilo {

/// Copies mean the same thing, which finishes once, with a status. Safe to use from several threads at once.
class Event {
 public:
  /// Finished, well. Cost    nothing: what runs inline has no other.
  Event() = default;
  /// Finished with this status.
  static Event finished(const Status& status);
  /// Finished when all of these are; its status is that of the first one, in this order, that failed.
  static Event all(std::span<const Event> events);

  bool is_ready() const;
  /// Waits until it is finished and returns its status. Who waits also wakes up when `cancellation` is set (may be null)
  /// or the deadline passes; the work goes on then.
  /// Errors    the event's own; CANCELLED or DEADLINE_EXCEEDED of the wait
  Status await(const CancellationToken* cancellation = nullptr, Deadline deadline = kNoDeadline) const;
  /// Calls `f` once with the status: now, if it is finished, or else on the thread that finishes it, which waits for `f`.
  void on_ready(std::function<void(const Status&)> f) const;

 private:
  friend class EventSource;
  struct State;
  explicit Event(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;  // null: finished, well
};

/// Who finishes an event. One that is dropped without having finished it fails it as INTERNAL, so that nobody waits for
/// ever.
class EventSource {
 public:
  EventSource();
  ~EventSource();
  EventSource(EventSource&& other) noexcept = default;
  EventSource& operator=(EventSource&&) = delete;

  Event event() const { return Event(state_); }
  /// Wakes who waits, and calls who asked to be called. Precondition: not finished yet.
  void finish(const Status& status);

 private:
  std::shared_ptr<Event::State> state_;
};

}  // namespace hilo
