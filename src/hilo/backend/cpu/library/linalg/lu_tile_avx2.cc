// SPDX-License-Identifier: Apache-2.0
// LU factors of a few columns for Isa::kAvx2. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/linalg/lu_tile.h"

#define HILO_KERNELS lu_kernels_avx2

namespace {
constexpr int kVectorBytes = 32;
}  // namespace

#include "hilo/backend/cpu/library/linalg/lu_tile.inc"
