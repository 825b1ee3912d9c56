// SPDX-License-Identifier: Apache-2.0
// device/execute_options.h -- what a caller may ask of one run of a program.
#pragma once

#include <optional>
#include <span>

#include "hilo/base/thread_pool.h"
#include "hilo/device/cancellation.h"
#include "hilo/device/device.h"
#include "hilo/device/execution_observer.h"

namespace hilo {

struct ExecuteOptions {
  /// One flag per argument leaf: its buffer may be reused for a result. Empty: none.
  std::span<const bool> donated = {};
  const CancellationToken* cancellation = nullptr;  ///< may be null; lives until the run has finished
  /// When the program ends with DEADLINE_EXCEEDED; nullopt: as long as CompileLimits::run_seconds says.
  std::optional<Deadline> deadline = {};
  ExecutionObserver* observer = nullptr;  ///< of the first device's run; lives until it has finished
  /// Where tasks of this run go on Host; null: default_pool(). Lives until the run has finished.
  Executor* executor = nullptr;
  /// launch() may return before the run has finished, where the device can do so. Arguments are then owned by the run.
  bool asynchronous = false;
  /// Of a program that runs alone: where. Null: where its arguments are, or the first device it was compiled for.
  const DevicePtr* device = nullptr;
};

}  // namespace hilo
