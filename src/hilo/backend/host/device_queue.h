// SPDX-License-Identifier: Apache-2.0
// backend/host/device_queue.h -- the order of what a host device does after a call has returned.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "hilo/base/status.h"

namespace hilo {

/// Tasks that one thread runs in the order in which they came. The thread starts with the first task.
class DeviceQueue {
 public:
  DeviceQueue();
  /// Runs what is left.
  ~DeviceQueue();
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;

  /// All tasks that came before this call have ended; or this is one of them, which must not wait for itself: a custom
  /// call may run programs.
  /// Cost    one load
  bool is_idle() const;
  /// Sees to it that there is a thread.
  /// Errors    RESOURCE_EXHAUSTED if none can be had
  Status start();
  /// Tasks throw nothing. Without a thread the task runs here, after those before it.
  void enqueue(std::function<void()> task);
  /// Runs the task here if nothing is before it.
  void run_or_enqueue(std::function<void()> task);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which may be the one that drops the queue
};

}  // namespace hilo
