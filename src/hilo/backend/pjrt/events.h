// SPDX-License-Identifier: Apache-2.0
// backend/pjrt/events.h -- converts a plugin's events to hilo's.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "hilo/backend/pjrt/plugin.h"
#include "hilo/device/event.h"

namespace hilo::plugins {

/// Counts callbacks that a plugin has yet to run: a client ends when none are left.
class Pending {
 public:
  void add();
  void remove();
  /// Waits until all callbacks have run.
  void wait();

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  int64_t count_ = 0;
};

/// Whether this thread is a plugin's thread in a callback of hilo: it must not wait for other events of its plugin.
bool is_in_callback();

/// Waits for the event and destroys it. Null is OK.
Status await_and_destroy(const Plugin& plugin, PJRT_Event* event);

/// Converts the event, which is destroyed when it is finished; null is finished. If `what` isn't empty, the error
/// begins with it. `then` (may be empty) is called when the event is finished, before others are notified.
Event event_of(const Plugin& plugin, Pending& pending, PJRT_Event* event, std::string_view what,
               std::function<void()> then = {});

}  // namespace hilo::plugins
