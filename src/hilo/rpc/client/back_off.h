// SPDX-License-Identifier: Apache-2.0
// rpc/client/back_off.h -- delays between attempts to connect.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace hilo::rpc {

/// Computes delays with exponential backoff up to two seconds. Each delay is random, between half of its nominal length
/// and all of it, so that the clients of a restarted server don't return all at once. Equal seeds give equal delays.
class BackOff {
 public:
  static constexpr std::chrono::milliseconds kFirst{50}, kMaxDelay{2000};

  explicit BackOff(uint64_t seed) : chance_(seed) {}
  /// Returns the next delay.
  std::chrono::milliseconds next();

 private:
  std::mt19937_64 chance_;
  std::chrono::milliseconds length_ = kFirst;
};

}  // namespace hilo::rpc
