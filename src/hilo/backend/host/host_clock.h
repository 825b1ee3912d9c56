// SPDX-License-Identifier: Apache-2.0
// backend/host/host_clock.h -- the clock and the lanes of host devices, for observers.
#pragma once

#include <chrono>
#include <cstdint>

namespace hilo {

using HostClock = std::chrono::steady_clock;

inline int64_t nanoseconds_of(HostClock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}
inline int64_t host_nanoseconds() { return nanoseconds_of(HostClock::now()); }

/// Returns the lane of the calling thread.
uint64_t host_lane();

}  // namespace hilo
