// SPDX-License-Identifier: Apache-2.0
// tests/support/fake_client.h -- platform "Host2": remote devices without any hardware. Programs run on the CPU engine,
// but arrays have no pointers, all work is done late and on another thread, and every call can be made to fail. Code
// that works on it uses no host memory by accident.
#pragma once

#include <atomic>

#include "hilo/backend/host/device_queue.h"
#include "hilo/device/client.h"

namespace hilo::tests {

/// What goes wrong, and what has happened.
struct FakePlan {
  std::atomic<int64_t> calls{0};        ///< that could have failed
  std::atomic<int64_t> fail_at{-1};     ///< the number of the call that fails, from 0 on; -1: none
  std::atomic<int64_t> live_blocks{0};  ///< of device memory
  std::atomic<uint64_t> seed{1};        ///< how late work is done
  /// Errors    UNAVAILABLE "fake device: no copy" if it is this call's turn
  Status step(std::string_view what);
};
/// The plan of all fake devices.
FakePlan& fake_plan();

/// Has ClientOptions::replica_count devices. Those with an odd id have memory that the host can view, as Host has; the
/// others don't.
StatusOr<ClientPtr> make_fake_client(ClientOptions options);

/// One that all tests of a program share, as tests::cpu_client().
const ClientPtr& fake_client();

/// Makes "Host2" a platform that flags can name.
void register_fake_platform();

}  // namespace hilo::tests
