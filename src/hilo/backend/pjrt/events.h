// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/events.h -- a plugin's events as hilo's.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "hilo/backend/pjrt/plugin.h"
#include "hilo/device/event.h"

namespace hilo::plugins {

/// Counts what a plugin has yet to tell: a client ends when there is nothing left.
class Pending {
 public:
  void add();
  void remove();
  /// Waits until all has been told.
  void wait();

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  int64_t count_ = 0;
};

/// Whether this thread is a plugin's that has come to tell hilo something: it must not wait for others of its plugin.
bool is_in_callback();

/// Waits for the event, and destroys it. Null is OK.
Status await_and_destroy(const Plugin& plugin, PJRT_Event* event);

/// The event, which is destroyed when it is finished; null is finished. Its error begins with `what`. `then` (may be empty) is
/// called when it is finished, before anyone else is told.
Event event_of(const Plugin& plugin, Pending& pending, PJRT_Event* event, std::string_view what,
               std::function<void()> then = {});

}  // namespace hilo::plugins
