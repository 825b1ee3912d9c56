// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/host/host_clock.h"

#include <atomic>

namespace hilo {

uint64_t host_lane() {
  static std::atomic<uint64_t> lanes{0};
  thread_local const uint64_t mine = lanes.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

}  // namespace hilo
