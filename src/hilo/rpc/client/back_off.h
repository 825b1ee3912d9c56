// SPDX-License-Identifier: Apache-2.0
// rpc/client/back_off.h -- when a server that doesn't answer is tried again.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace hilo::rpc {

/// The pauses between tries: each as long as chance says, from half of its length up; the lengths double up to two
/// seconds. So clients whose server was gone don't come back all at once. Equal seeds have equal pauses.
class BackOff {
 public:
  static constexpr std::chrono::milliseconds kFirst{50}, kLongest{2000};

  explicit BackOff(uint64_t seed) : chance_(seed) {}
  /// The next one.
  std::chrono::milliseconds next();

 private:
  std::mt19937_64 chance_;
  std::chrono::milliseconds length_ = kFirst;
};

}  // namespace hilo::rpc
