// SPDX-License-Identifier: Apache-2.0
// The inner loop of triangular solves for Isa::kAvx2. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/linalg/solve_tile.h"

#define HILO_KERNELS solve_kernels_avx2

namespace {
constexpr int kVectorBytes = 32, kVectors = 2, kRows = 4;
}  // namespace

#include "hilo/backend/cpu/library/linalg/solve_tile.inc"
