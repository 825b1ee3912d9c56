// SPDX-License-Identifier: Apache-2.0
// backend/cpu/runtime/widest.h -- memory for an element of any type.
#pragma once

#include <cstddef>

namespace hilo::cpu::runtime {

struct alignas(16) Widest {
  std::byte bytes[16];
};

}  // namespace hilo::cpu::runtime
