// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/aarch64_table.h -- the function of libhilo_aarch64.so. LLVM's tables for another architecture would
// make libhilo_codegen.so 7 MB larger, and opening it 0.6 ms slower.
#pragma once

#include <string_view>
#include <vector>

#include "hilo/base/companion.h"

namespace hilo::cpu {

/// LLVM's data layout of AArch64.
constexpr const char* kAArch64Layout = "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32";

struct AArch64Table : CompanionTable {
  static constexpr CompanionNames kNames{"libhilo_aarch64.so", "hilo_aarch64", "compiling for aarch64",
                                         "build and install the target hilo_aarch64"};
  /// Compiles a module, as text of LLVM's IR, to a relocatable ELF object for Isa::kNeon.
  /// Errors    INTERNAL for what the code generator rejects; RESOURCE_EXHAUSTED if memory runs out
  StatusOr<std::vector<char>> (*object_of)(std::string_view module);
};

}  // namespace hilo::cpu
