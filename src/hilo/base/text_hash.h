// SPDX-License-Identifier: Apache-2.0
// base/text_hash.h -- a fast hash for tables with short names as keys.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace hilo {

/// Hashes eight bytes per step; boost's hash reads single bytes. Not for keys from an adversary.
struct TextHash {
  using is_avalanching = void;  // boost skips its own mixing
  size_t operator()(std::string_view text) const {
    uint64_t h = text.size() * kMultiplier;
    const char* at = text.data();
    size_t left = text.size();
    for (; left >= sizeof(uint64_t); at += sizeof(uint64_t), left -= sizeof(uint64_t)) {
      uint64_t word;
      std::memcpy(&word, at, sizeof word);
      h = mixed(h ^ word);
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < left; ++i) rest = rest << 8 | static_cast<uint8_t>(at[i]);
    return mixed(h ^ rest);
  }

 private:
  static constexpr uint64_t kMultiplier = 0x9fb21c651e98df25u;
  static uint64_t mixed(uint64_t value) {
    value *= kMultiplier;
    value ^= value >> 32;
    value *= kMultiplier;
    return value ^ value >> 29;
  }
};

}  // namespace hilo
