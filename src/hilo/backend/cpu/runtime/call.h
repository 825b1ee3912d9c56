// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/call.h -- the calls of libhilo_rt.a: functions of a constant problem, with the caller's memory.
// They allocate nothing, take no locks and have no variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hilo::cpu::runtime {

/// What a function works on.
struct Call {
  const void* problem;   ///< constant: a struct of this folder, with its lists behind it
  void* const* buffers;  ///< operands, then results; dense and row-major
  void* const* code;     ///< functions that are compiled for the call
  std::byte* scratch;    ///< aligned to 64 bytes
  const uint32_t* stop;  ///< never null: the function returns early, with arbitrary results, when it isn't 0
};

/// Computes units [begin, end) of the problem; those of different ranges can be computed at the same time, each range
/// with scratch memory of its own.
using Function = void (*)(const Call* call, int64_t begin, int64_t end);

/// The stop word of a call.
struct Stop {
  const uint32_t* word;
  bool raised() const { return __atomic_load_n(word, __ATOMIC_RELAXED) != 0; }
};
inline Stop stop_of(const Call& call) { return {call.stop}; }

template <typename Problem>
const Problem& problem_of(const Call& call) {
  return *static_cast<const Problem*>(call.problem);
}

/// A list behind a problem. It refers to itself by its distance, so that a problem is bytes without addresses.
template <typename T>
struct List {
  uint64_t offset = 0;  ///< from the problem
  uint64_t size = 0;

  std::span<const T> of(const void* problem) const {
    return {reinterpret_cast<const T*>(static_cast<const std::byte*>(problem) + offset), size};
  }
};

/// Memory that is taken from the scratch of a call, piece by piece.
class Scratch {
 public:
  explicit Scratch(const Call& call) : next_(call.scratch) {}

  template <typename T>
  std::span<T> take(size_t count) {
    auto* const memory = reinterpret_cast<T*>(next_);
    next_ += bytes_for<T>(count);
    return {memory, count};
  }
  /// Returns what take() uses.
  template <typename T>
  static constexpr size_t bytes_for(size_t count) {
    return (count * sizeof(T) + 63) / 64 * 64;
  }

 private:
  std::byte* next_;
};

}  // namespace hilo::cpu::runtime
