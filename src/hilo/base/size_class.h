// SPDX-License-Identifier: Apache-2.0
// base/size_class.h -- the sizes that pooled buffers come in: eight to each doubling, so at most 1/8 is unused.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hilo {

inline constexpr size_t kSizeStep = 64;                       // bytes; also the distance of the smallest classes
inline constexpr size_t kLargestSizeClass = size_t{1} << 47;  // bytes; the user half of a 48-bit address space
inline constexpr int kSizeClasses = 8 + (47 - 9) * 8;         // up to 512 bytes in steps of 64, then 8 a doubling

/// The class of a request. Precondition: bytes <= kLargestSizeClass.
constexpr int size_class_of(size_t bytes) {
  if (bytes <= 512) return bytes == 0 ? 0 : static_cast<int>((bytes - 1) / kSizeStep);
  const int log = std::bit_width(bytes - 1) - 1;  // 2^log < bytes <= 2^(log+1), log >= 9
  const int eighth = static_cast<int>((bytes - 1) >> (log - 3)) & 7;
  return 8 + (log - 9) * 8 + eighth;
}

/// What a buffer of the class holds.
constexpr size_t size_class_bytes(int size_class) {
  if (size_class < 8) return (static_cast<size_t>(size_class) + 1) * kSizeStep;
  const int log = 9 + (size_class - 8) / 8;
  return static_cast<size_t>(8 + (size_class - 8) % 8 + 1) << (log - 3);
}

static_assert(size_class_of(kLargestSizeClass) == kSizeClasses - 1);
static_assert(size_class_bytes(kSizeClasses - 1) == kLargestSizeClass);

}  // namespace hilo
