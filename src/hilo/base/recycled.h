// SPDX-License-Identifier: Apache-2.0
// base/recycled.h -- memory of small objects that are created and destroyed at every call: each thread reuses its own.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "hilo/base/assertions.h"

namespace hilo {

/// Returns memory for an object of at most kMaxRecycled bytes, aligned as by operator new. Throws std::bad_alloc.
/// Cost      about 3 ns if the thread has recycled an object of a similar size
void* recycled_memory(size_t bytes);
/// Keeps the memory for the next object of this thread. `bytes` is the requested size.
void recycle(void* memory, size_t bytes) noexcept;

inline constexpr size_t kMaxRecycled = 256;
/// Builds that check accesses to freed memory reuse none.
inline constexpr bool kRecycles = HILO_ASSERTIONS == 0;

/// An allocator for std::allocate_shared.
template <typename T>
struct RecyclingAllocator {
  using value_type = T;
  static constexpr bool recycles = kRecycles && sizeof(T) <= kMaxRecycled && alignof(T) <= alignof(std::max_align_t);

  RecyclingAllocator() = default;
  template <typename U>
  RecyclingAllocator(const RecyclingAllocator<U>&) {}  // implicit: allocators are converted to other types

  T* allocate(size_t count) {
    if (recycles && count == 1) return static_cast<T*>(recycled_memory(sizeof(T)));
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T* memory, size_t count) noexcept {
    if (recycles && count == 1) recycle(memory, sizeof(T));
    else std::allocator<T>().deallocate(memory, count);
  }
  bool operator==(const RecyclingAllocator&) const { return true; }
};

/// Same as std::make_shared, with memory that is recycled.
template <typename T, typename... Args>
std::shared_ptr<T> make_recycled(Args&&... args) {
  return std::allocate_shared<T>(RecyclingAllocator<T>(), std::forward<Args>(args)...);
}

}  // namespace hilo
