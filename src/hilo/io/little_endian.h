// SPDX-License-Identifier: Apache-2.0
// io/little_endian.h -- numbers in file formats, the lowest byte first. Not for users.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hilo::io {

/// The number that up to 8 bytes are.
inline uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Appends the lowest `width` bytes of a number.
inline void append_little_endian(std::string& out, uint64_t value, int width) {
  for (int i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

}  // namespace hilo::io
