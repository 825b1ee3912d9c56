// SPDX-License-Identifier: Apache-2.0
// device/execute_options.h -- options of one run of a program.
#pragma once

#include <optional>
#include <span>

#include "hilo/base/thread_pool.h"
#include "hilo/device/cancellation.h"
#include "hilo/device/device.h"
#include "hilo/device/execution_observer.h"

namespace hilo {

struct ExecuteOptions {
  /// One flag per argument leaf: whether a result may reuse its buffer. Empty means none.
  std::span<const bool> donated = {};
  const CancellationToken* cancellation = nullptr;  ///< may be null; must outlive the run
  /// Time at which the run ends with DEADLINE_EXCEEDED. If not set, CompileLimits::run_seconds applies.
  std::optional<Deadline> deadline = {};
  ExecutionObserver* observer = nullptr;  ///< observes the run of the first device; must outlive the run
  /// Executor for the tasks of this run on Host; null means default_pool(). Must outlive the run.
  Executor* executor = nullptr;
  /// Whether launch() may return before the run finishes, if the device supports it. The run then owns its arguments.
  bool asynchronous = false;
  /// Device of a program that runs alone. Null means the device of the arguments, or the first device it was compiled
  /// for.
  const DevicePtr* device = nullptr;
};

}  // namespace hilo
