// SPDX-License-Identifier: Apache-2.0
// base/buffer_pool.h -- memory for arrays from a pool that keeps pages mapped for reuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "hilo/base/status.h"

namespace hilo {

/// Builds with sanitizers give each buffer a guard page (see memory.h) and never reuse one.
#if defined(HILO_GUARD_PAGES) && HILO_GUARD_PAGES
inline constexpr bool kGuardPages = true;
/// Guaranteed alignment of buffers. A guarded buffer ends at a page boundary, so its alignment is that of its size.
inline constexpr size_t kBufferAlignment = 1;
#else
inline constexpr bool kGuardPages = false;
inline constexpr size_t kBufferAlignment = 64;  // bytes: a cache line, which is also the widest vector
#endif

/// Owns memory for an array. The destructor, on any thread, returns it to the pool. The initial contents are undefined.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    AlignedBuffer old(std::move(*this));
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~AlignedBuffer() {
    if (data_ != nullptr) give_back();
  }

  /// Returns null only for a default-constructed or moved-from buffer.
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  /// Returns the requested size in bytes.
  size_t size() const { return size_; }

 private:
  friend StatusOr<AlignedBuffer> allocate_buffer(size_t bytes);
  AlignedBuffer(std::byte* data, size_t size) : data_(data), size_(size) {}
  void give_back();

  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

/// Allocates a buffer of `bytes` bytes (may be 0), aligned to kBufferAlignment.
/// Errors    RESOURCE_EXHAUSTED with the requested and the free bytes, after the pool's free memory has been released
/// Cost      about 20 ns up to 64 KiB if the thread has freed a similar size; a lock for larger sizes; a system call
///           for new memory
StatusOr<AlignedBuffer> allocate_buffer(size_t bytes);

/// Returns the pool's unused memory to the system. Other threads return theirs at their next use of the pool.
void trim_buffers();

/// Sets the maximum number of unused bytes in the pool; the default is a quarter of the machine's memory. Excess memory
/// is returned to the system, the least recently used sizes first.
void set_buffer_cache_limit(size_t bytes);

struct BufferStatistics {
  int64_t live_buffers = 0;
  int64_t live_bytes = 0;    ///< bytes of live buffers, rounded up to size classes
  int64_t cached_bytes = 0;  ///< unused bytes in the pool, including the caches of threads
  int64_t hits = 0;          ///< number of allocations from the pool's unused memory
  int64_t misses = 0;        ///< number of allocations of new memory
};
/// Returns the sums over all threads. They are exact while no other thread allocates.
BufferStatistics buffer_statistics();

}  // namespace hilo
