// SPDX-License-Identifier: Apache-2.0
// base/buffer_pool.h -- memory for arrays that keeps its pages: what was freed is handed out again, already mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "hilo/base/status.h"

namespace hilo {

/// Builds for sanitizers give every buffer a guard page (see memory.h) and use none twice.
#if defined(HILO_GUARD_PAGES) && HILO_GUARD_PAGES
inline constexpr bool kGuardPages = true;
/// What code may assume of a buffer's address. A guarded buffer ends at a page, so it is aligned only as its size is.
inline constexpr size_t kBufferAlignment = 1;
#else
inline constexpr bool kGuardPages = false;
inline constexpr size_t kBufferAlignment = 64;  // bytes: a cache line, and the widest vector
#endif

/// Owns memory for an array; its destructor, on any thread, gives it back to the pool. Contents begin undefined.
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

  /// Null only for a buffer that was never allocated or was moved from.
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  /// The bytes asked for.
  size_t size() const { return size_; }

 private:
  friend StatusOr<AlignedBuffer> allocate_buffer(size_t bytes);
  AlignedBuffer(std::byte* data, size_t size) : data_(data), size_(size) {}
  void give_back();

  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

/// A buffer of `bytes` bytes (0 is fine), aligned to kBufferAlignment.
/// Errors    RESOURCE_EXHAUSTED names the bytes wanted and the memory free; before that, what the pool holds is let go.
/// Cost      some 20 ns up to 64 KiB if the thread freed a like size before; a lock above; a system call for new
/// memory.
StatusOr<AlignedBuffer> allocate_buffer(size_t bytes);

/// Returns the pool's unused memory to the system; other threads return theirs at their next use of the pool.
void trim_buffers();

/// The most unused bytes that the pool keeps; a quarter of the machine's memory unless set. Memory over it goes back to
/// the system, sizes that were used least recently first.
void set_buffer_cache_limit(size_t bytes);

struct BufferStatistics {
  int64_t live_buffers = 0;
  int64_t live_bytes = 0;    ///< in size classes: what live buffers really take
  int64_t cached_bytes = 0;  ///< kept for later, caches of threads included
  int64_t hits = 0;          ///< allocations served from kept memory
  int64_t misses = 0;        ///< allocations that took new memory
};
/// Sums over all threads; exact while no other thread allocates.
BufferStatistics buffer_statistics();

}  // namespace hilo
