// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/packed_elements.h"

#include <algorithm>

namespace hilo {

void pack_elements(ElementType type, int64_t count, const std::byte* from, std::byte* packed) {
  const int bits = element_type_info(type).bits;
  const int64_t in_byte = 8 / bits;
  const auto mask = static_cast<std::byte>((1 << bits) - 1);
  std::fill_n(packed, packed_bytes(type, count), std::byte{0});  // std::memset takes no null pointer, even for nothing
  for (int64_t i = 0; i < count; ++i) packed[i / in_byte] |= (from[i] & mask) << (i % in_byte * bits);
}

void unpack_elements(ElementType type, int64_t count, const std::byte* packed, std::byte* to) {
  const int bits = element_type_info(type).bits;
  const int64_t in_byte = 8 / bits;
  for (int64_t i = 0; i < count; ++i) {
    const int value = std::to_integer<int>(packed[i / in_byte] >> (i % in_byte * bits)) & ((1 << bits) - 1);
    const bool negative = is_signed_integer(type) && (value >> (bits - 1)) != 0;
    to[i] = static_cast<std::byte>(negative ? value - (1 << bits) : value);
  }
}

}  // namespace hilo
