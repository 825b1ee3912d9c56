// SPDX-License-Identifier: Apache-2.0
// LU factors of a few columns for Isa::kAvx512. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/linalg/lu_tile.h"

#define HILO_KERNELS lu_kernels_avx512

namespace {
constexpr int kVectorBytes = 64;
}  // namespace

#include "hilo/backend/cpu/library/linalg/lu_tile.inc"
