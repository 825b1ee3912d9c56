// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/services.h -- the C interface that all objects share: codes and services of a call. header.cc
// writes it as C.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hilo::cpu {

/// Version of the interface between a header and its object.
inline constexpr int kObjectAbi = 1;

/// What a call returns.
enum ObjectCode : int32_t {
  kObjectOk = 0,
  kObjectNullPointer = 1,
  kObjectMisalignedArena = 2,
  kObjectSmallArena = 3,
  kObjectWrongCount = 4,
  kObjectOldServices = 5,
  kObjectStopped = 6,
  kObjectOldProcessor = 7,
};

/// hilo_rt in C.
struct ObjectServices {
  uint32_t size;
  uint32_t argument_count, result_count;
  uint64_t arena_bytes;
  const volatile uint32_t* stop;
  void (*parallel)(void* self, void (*task)(void* data, int64_t index), void* data, int64_t count);
  void* self;
};

inline constexpr int64_t kArenaAlignment = 64;

}  // namespace hilo::cpu
