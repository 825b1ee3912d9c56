// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/pjrt/events.h"

#include "hilo/backend/pjrt/call.h"

namespace hilo::plugins {
namespace {

thread_local int callbacks = 0;  // on this thread, nested

void destroy(const Plugin& plugin, PJRT_Event* event) {
  PJRT_Event_Destroy_Args args{};
  args.event = event;
  call_quietly(plugin, &PJRT_Api::PJRT_Event_Destroy, args);
}

bool is_ready(const Plugin& plugin, PJRT_Event* event) {
  PJRT_Event_IsReady_Args args{};
  args.event = event;
  return call(plugin, &PJRT_Api::PJRT_Event_IsReady, args).ok() && args.is_ready;
}

Status in_context(const Status& status, std::string_view what) {
  return what.empty() ? status : status.with_context(what);
}

/// The state of an event that isn't finished yet.
struct Waiting {
  const Plugin& plugin;
  Pending& pending;
  PJRT_Event* event;
  std::string what;
  std::function<void()> then;
  EventSource source;
};

/// Called on a thread of the plugin, or on the thread that registered it.
void finish(PJRT_Error* error, void* argument) {
  ++callbacks;
  {
    const std::unique_ptr<Waiting> waiting(static_cast<Waiting*>(argument));
    Pending& pending = waiting->pending;
    const Status status = in_context(status_of(waiting->plugin, error), waiting->what);
    destroy(waiting->plugin, waiting->event);
    if (waiting->then) waiting->then();
    waiting->then = nullptr;
    pending.remove();  // the notified code may end the client
    waiting->source.finish(status);
  }
  --callbacks;
}

}  // namespace

void Pending::add() {
  const std::scoped_lock lock(mutex_);
  ++count_;
}

void Pending::remove() {
  const std::scoped_lock lock(mutex_);
  if (--count_ == 0) none_.notify_all();
}

void Pending::wait() {
  std::unique_lock lock(mutex_);
  none_.wait(lock, [this] { return count_ == 0; });
}

bool is_in_callback() { return callbacks > 0; }

Status await_and_destroy(const Plugin& plugin, PJRT_Event* event) {
  if (event == nullptr) return ok_status();
  PJRT_Event_Await_Args args{};
  args.event = event;
  const Status status = call(plugin, &PJRT_Api::PJRT_Event_Await, args);
  destroy(plugin, event);
  return status;
}

Event event_of(const Plugin& plugin, Pending& pending, PJRT_Event* event, std::string_view what,
               std::function<void()> then) {
  if (event == nullptr || is_ready(plugin, event)) {
    const Status status = await_and_destroy(plugin, event);
    if (then) then();
    return Event::finished(in_context(status, what));
  }
  auto waiting = std::make_unique<Waiting>(plugin, pending, event, std::string(what), std::move(then));
  Event finished = waiting->source.event();
  PJRT_Event_OnReady_Args args{};
  args.event = event;
  args.callback = finish;
  args.user_arg = waiting.get();
  pending.add();
  const Status status = call(plugin, &PJRT_Api::PJRT_Event_OnReady, args);
  if (status.ok()) {
    (void)waiting.release();  // finish() owns it, and may already have run
    return finished;
  }
  pending.remove();
  destroy(plugin, event);
  if (waiting->then) waiting->then();
  return Event::finished(status);
}

}  // namespace hilo::plugins
