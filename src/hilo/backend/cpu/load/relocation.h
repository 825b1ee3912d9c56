// SPDX-License-Identifier: Apache-2.0
// backend/cpu/load/relocation.h -- the relocations of ELF objects of x86-64 and AArch64. They are plain functions of
// bytes, so that both are tested on each machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hilo/base/status.h"

namespace hilo::cpu {

/// The number of an architecture in ELF headers.
#if defined(__aarch64__)
inline constexpr uint16_t kElfMachine = 183;  // EM_AARCH64
#else
inline constexpr uint16_t kElfMachine = 62;  // EM_X86_64
#endif

/// Each symbol has a slot: its address, and code that jumps to it.
inline constexpr std::size_t kSlotBytes = 16;
inline constexpr std::size_t kJumpOffset = 8;

/// Writes a slot for a symbol.
void write_slot(uint16_t machine, uint64_t symbol, std::byte* to);

/// What a relocation refers to. All are addresses.
struct RelocationTarget {
  uint64_t symbol = 0;
  uint64_t slot = 0;
  bool is_far = false;  ///< outside of the mapping: calls jump through the slot
  int64_t addend = 0;
};

/// Changes the bytes at `where`, the rest of the section, which the program sees at the address `here`.
/// Errors    INTERNAL for an unknown kind, a section that ends before, or a target that is out of reach
Status relocate(uint16_t machine, uint32_t kind, const RelocationTarget& target, std::span<std::byte> where,
                uint64_t here);

}  // namespace hilo::cpu
