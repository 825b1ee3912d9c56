// SPDX-License-Identifier: Apache-2.0
// io/little_endian.h -- little-endian numbers in file formats. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hilo::io {

/// Decodes an unsigned number of at most 8 bytes.
inline uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Appends the lowest `width` bytes of a number, in little-endian order.
inline void append_little_endian(std::string& out, uint64_t value, int width) {
  for (int i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

}  // namespace hilo::io
