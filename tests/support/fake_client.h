// SPDX-License-Identifier: Apache-2.0
// tests/support/fake_client.h -- platform "Host2": remote devices without any hardware. Programs run on the CPU engine,
// but arrays have no pointers. All work is done late and on another thread, and every call can be made to fail. Code
// that works on it uses no host memory by accident.
#pragma once

#include <atomic>

#include "hilo/backend/host/device_queue.h"
#include "hilo/device/client.h"

namespace hilo::tests {

/// Faults to inject, and counts of events.
struct FakePlan {
  std::atomic<int64_t> calls{0};        ///< number of calls that can fail
  std::atomic<int64_t> fail_at{-1};     ///< the call that fails, counted from 0; -1: none
  std::atomic<int64_t> live_blocks{0};  ///< blocks of device memory
  std::atomic<uint64_t> seed{1};        ///< delay of the work
  /// Counts a call. Errors    UNAVAILABLE "fake device: no copy" if this call is the one that fails
  Status step(std::string_view what);
};
/// The plan of all fake devices.
FakePlan& fake_plan();

/// A client with ClientOptions::replica_count devices. The host can view the memory of devices with an odd id, as on
/// Host, but not that of the others.
StatusOr<ClientPtr> make_fake_client(ClientOptions options);

/// A client that all tests of a program share, like tests::cpu_client().
const ClientPtr& fake_client();

/// Registers "Host2" as a platform for flags.
void register_fake_platform();

}  // namespace hilo::tests
