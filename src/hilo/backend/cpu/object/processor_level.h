// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/processor_level.h -- the levels of x86-64, and the function that finds the processor's.
#pragma once

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/object/relocatable.h"

namespace hilo::cpu {

/// Returns the number of the level that has these instructions: 2, 3 or 4.
constexpr uint32_t level_number(Isa isa) {
  if (isa == Isa::kSse2 || isa == Isa::kExactSse2) return 2;
  return isa == Isa::kAvx2 || isa == Isa::kExactAvx2 ? 3 : 4;
}

/// Returns a function int(void) for objects with code of several levels: the level of the processor, as host_isa()
/// finds it. It doesn't use the C library.
RawFunction processor_level();

}  // namespace hilo::cpu
