// SPDX-License-Identifier: Apache-2.0
// backend/host/device_queue.h -- the order of a host device's work after its calls have returned.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "hilo/base/status.h"

namespace hilo {

/// Tasks that one thread runs in the order of their arrival. The thread starts with the first task.
class DeviceQueue {
 public:
  DeviceQueue();
  /// Runs the remaining tasks.
  ~DeviceQueue();
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;

  /// Whether all tasks before this call have ended. Also true in a task of this queue, which must not wait for itself:
  /// a custom call may run programs.
  /// Cost    one load
  bool is_idle() const;
  /// Starts the thread, if none exists.
  /// Errors    RESOURCE_EXHAUSTED if no thread can be started
  Status start();
  /// Appends a task, which must not throw. Without a thread, runs the task here, after those before it.
  void enqueue(std::function<void()> task);
  /// Runs the task here if no other is pending.
  void run_or_enqueue(std::function<void()> task);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which may be the one that destroys the queue
};

}  // namespace hilo
