// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/client/back_off.h"

#include <algorithm>

namespace hilo::rpc {

std::chrono::milliseconds BackOff::next() {
  const std::chrono::milliseconds longest = length_, half = length_ / 2;
  length_ = std::min(2 * length_, kMaxDelay);
  const auto choices = static_cast<uint64_t>((longest - half).count() + 1);
  return half + std::chrono::milliseconds(chance_() % choices);
}

}  // namespace hilo::rpc
