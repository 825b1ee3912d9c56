// SPDX-License-Identifier: Apache-2.0
// tests/backend/cpu/runtime/runtime_check.h -- calls functions of libhilo_rt.a with exactly the scratch memory that
// they state.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "hilo/backend/cpu/library/routine_hero.h"

namespace hilo::cpu::runtime {

/// Calls the function for units [0, units) in one range. Fails if it writes behind its scratch memory.
inline void call_within(Routine routine, const std::vector<std::byte>& problem, std::vector<void*> buffers,
                        int64_t units, size_t scratch_bytes, std::vector<void*> code = {}) {
  constexpr size_t kBehind = 4096;
  constexpr std::byte kMark{0x5a};
  std::vector<std::byte> memory(scratch_bytes + kBehind + 64, kMark);
  std::byte* const scratch = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64;
  const uint32_t never = 0;
  const Call call{problem.data(), buffers.data(), code.data(), scratch, &never};
  function_of(routine).function(&call, 0, units);
  const auto* const behind = scratch + scratch_bytes;
  EXPECT_TRUE(std::all_of(behind, behind + kBehind, [](std::byte b) { return b == kMark; }))
      << function_of(routine).name;
}

}  // namespace hilo::cpu::runtime
