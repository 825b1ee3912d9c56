// SPDX-License-Identifier: Apache-2.0
// base/memory.h -- memory from the operating system: blocks, huge pages, guard pages, how much is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "hilo/base/status.h"

namespace hilo {

inline constexpr size_t kMappedBlock = size_t{1} << 20;    // bytes; blocks from here on are mapped by themselves
inline constexpr size_t kHugePageBlock = size_t{4} << 20;  // bytes; blocks from here on ask for huge pages

/// A block aligned to 64 bytes, or null. Precondition: bytes is a multiple of 64, from kMappedBlock on one of 128 KiB.
void* get_block(size_t bytes);
/// Takes a block back; `bytes` as it was asked for.
void release_block(void* block, size_t bytes);

/// Where a guarded buffer touches its inaccessible page.
enum class GuardSide { kEnd, kBegin };

/// HILO_GUARD, read at the first call: begin, else end.
GuardSide guard_side();

/// Memory whose last byte is followed (kEnd) or whose first byte is preceded (kBegin) by a page that traps every
/// access; filled with 0xFF, which is NaN in every float type. Null if there is none.
/// With kEnd the address is only as aligned as `bytes` is.
void* get_guarded(size_t bytes, GuardSide side);
void release_guarded(void* data, size_t bytes, GuardSide side);

struct SystemMemory {
  uint64_t total = 0;      ///< bytes of RAM
  uint64_t swap = 0;       ///< bytes
  uint64_t available = 0;  ///< bytes that can be had without swapping
};
/// From the kernel; zeros where it does not say. Allocates nothing.
SystemMemory system_memory();

/// RESOURCE_EXHAUSTED: "what: out of memory; wanted 4.00 TiB (4398046511104 bytes); free 5.10 GiB of 7.80 GiB", and the
/// limit of the address space if the process has one.
Status out_of_memory(std::string_view what, uint64_t wanted);

}  // namespace hilo
