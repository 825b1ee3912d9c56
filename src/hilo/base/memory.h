// SPDX-License-Identifier: Apache-2.0
// base/memory.h -- memory from the operating system: blocks, huge pages, guard pages, and the amount of free memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "hilo/base/status.h"

namespace hilo {

inline constexpr size_t kMappedBlock = size_t{1} << 20;    // bytes; larger blocks are mapped individually
inline constexpr size_t kHugePageBlock = size_t{4} << 20;  // bytes; larger blocks request huge pages

/// Allocates a block aligned to 64 bytes, or returns null. Precondition: `bytes` is a multiple of 64; from kMappedBlock
/// on, of 128 KiB.
void* get_block(size_t bytes);
/// Frees a block. `bytes` is the requested size.
void release_block(void* block, size_t bytes);

/// The end of a guarded buffer at which its inaccessible page is.
enum class GuardSide { kEnd, kBegin };

/// Returns the side that HILO_GUARD selects: begin, or end, which is the default. Read at the first call.
GuardSide guard_side();

/// Allocates memory with an inaccessible page after its last byte (kEnd) or before its first byte (kBegin). It is
/// filled with 0xFF, which is NaN in every float type. Returns null if memory is exhausted. With kEnd the address is
/// only aligned to the alignment of `bytes`.
void* get_guarded(size_t bytes, GuardSide side);
void release_guarded(void* data, size_t bytes, GuardSide side);

struct SystemMemory {
  uint64_t total = 0;      ///< bytes of RAM
  uint64_t swap = 0;       ///< bytes
  uint64_t available = 0;  ///< bytes available without swapping
};
/// Returns the kernel's figures; zeros for unknown ones. Allocates nothing.
SystemMemory system_memory();

/// Returns RESOURCE_EXHAUSTED "what: out of memory; wanted 4.00 TiB (4398046511104 bytes); free 5.10 GiB of 7.80 GiB",
/// with the limit of the address space if there is one.
Status out_of_memory(std::string_view what, uint64_t wanted);

}  // namespace hilo
