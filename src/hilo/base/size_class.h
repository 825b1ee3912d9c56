// SPDX-License-Identifier: Apache-2.0
// base/size_class.h -- size classes of pooled buffers: eight per power of two, so at most 1/8 is unused.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hilo {

inline constexpr size_t kSizeStep = 64;                   // bytes; also the step between the smallest classes
inline constexpr size_t kMaxSizeClass = size_t{1} << 47;  // bytes; the user half of a 48-bit address space
inline constexpr int kSizeClasses = 8 + (47 - 9) * 8;     // steps of 64 up to 512 bytes, then 8 per power of two

/// Returns the class of a requested size. Precondition: bytes <= kMaxSizeClass.
constexpr int size_class_of(size_t bytes) {
  if (bytes <= 512) return bytes == 0 ? 0 : static_cast<int>((bytes - 1) / kSizeStep);
  const int log = std::bit_width(bytes - 1) - 1;  // 2^log < bytes <= 2^(log+1), log >= 9
  const int eighth = static_cast<int>((bytes - 1) >> (log - 3)) & 7;
  return 8 + (log - 9) * 8 + eighth;
}

/// Returns the size of buffers in a class.
constexpr size_t size_class_bytes(int size_class) {
  if (size_class < 8) return (static_cast<size_t>(size_class) + 1) * kSizeStep;
  const int log = 9 + (size_class - 8) / 8;
  return static_cast<size_t>(8 + (size_class - 8) % 8 + 1) << (log - 3);
}

static_assert(size_class_of(kMaxSizeClass) == kSizeClasses - 1);
static_assert(size_class_bytes(kSizeClasses - 1) == kMaxSizeClass);

}  // namespace hilo
