// SPDX-License-Identifier: Apache-2.0
// device/run_context.h -- the context of one participant's run of a program, available in custom calls.
#pragma once

#include "hilo/base/thread_pool.h"
#include "hilo/device/communicator.h"
#include "hilo/device/device.h"
#include "hilo/device/execution_observer.h"

namespace hilo {

struct RunContext {
  const DevicePtr& device;                ///< device of the run
  Executor* executor = nullptr;           ///< executor of its tasks; null means default_pool()
  const StopWord* stop_word = nullptr;    ///< set when the run must stop, also by a deadline; null means never
  Deadline deadline = kNoDeadline;        ///< time at which that word is set at the latest
  ExecutionObserver* observer = nullptr;  ///< may be null
  Communicator* communicator = nullptr;   ///< collectives with the other participants; null if the run is alone

  /// Returns the replica's number, which is its rank among the participants.
  int64_t replica() const { return communicator == nullptr ? 0 : communicator->rank(); }
};

}  // namespace hilo
