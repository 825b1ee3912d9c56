// SPDX-License-Identifier: Apache-2.0
// device/run_context.h -- what belongs to one participant's run of a program, down to its custom calls.
#pragma once

#include "hilo/base/thread_pool.h"
#include "hilo/device/communicator.h"
#include "hilo/device/device.h"
#include "hilo/device/execution_observer.h"

namespace hilo {

struct RunContext {
  const DevicePtr& device;                ///< that runs it
  Executor* executor = nullptr;           ///< where its tasks go; null: default_pool()
  const StopWord* stop_word = nullptr;    ///< set if it shall stop, a deadline that has passed included; null: never
  Deadline deadline = kNoDeadline;        ///< when that word will be set at the latest
  ExecutionObserver* observer = nullptr;  ///< null: nobody watches
  Communicator* communicator = nullptr;   ///< how it meets the others; null: it runs alone

  /// The replica that it is, by its place among the participants.
  int64_t replica() const { return communicator == nullptr ? 0 : communicator->rank(); }
};

}  // namespace hilo
