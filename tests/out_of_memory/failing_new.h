// SPDX-License-Identifier: Apache-2.0
// tests/out_of_memory/failing_new.h -- operator new that fails at a given call. It replaces operator new of the whole
// process, including the library; include it in one file of a program.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace hilo::test {

enum class Failing : uint8_t { kOnce, kForEver };

namespace failing_new {

inline bool (*is_counted)() = nullptr;          // null: all calls count
inline std::atomic<int64_t> calls{0};           // the calls counted since the last start
inline std::atomic<int64_t> first_to_fail{-1};  // the number of the first failing call; below zero: none
inline std::atomic<Failing> how{Failing::kOnce};
inline std::atomic<bool> all_fail{false};

inline void start(int64_t first, Failing once_or_for_ever) {
  calls = 0;
  all_fail = false;
  how = once_or_for_ever;
  first_to_fail = first;
}

/// Whether this call fails.
inline bool fails() {
  if (all_fail.load(std::memory_order_relaxed)) return true;
  if (is_counted != nullptr && !is_counted()) return false;
  if (calls.fetch_add(1, std::memory_order_relaxed) != first_to_fail.load(std::memory_order_relaxed)) return false;
  all_fail = how == Failing::kForEver;
  return true;
}

inline void* allocate(size_t bytes, size_t alignment) {
  if (fails()) throw std::bad_alloc();
  bytes = bytes == 0 ? 1 : bytes;
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(bytes)
                     : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace failing_new

/// Makes call `number` fail, or all calls from that one on. Numbers count the calls for which `is_counted` is true,
/// from 0.
inline void fail_new_at(int64_t number, Failing how, bool (*is_counted)() = nullptr) {
  failing_new::is_counted = is_counted;
  failing_new::start(number, how);
}
/// Stops the failures. Returns    the number of calls counted since they were set
inline int64_t fail_no_more() {
  failing_new::first_to_fail = -1;
  failing_new::all_fail = false;
  return failing_new::calls;
}

}  // namespace hilo::test

void* operator new(size_t bytes) { return hilo::test::failing_new::allocate(bytes, 1); }
void* operator new[](size_t bytes) { return hilo::test::failing_new::allocate(bytes, 1); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return hilo::test::failing_new::allocate(bytes, static_cast<size_t>(alignment));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return hilo::test::failing_new::allocate(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
