// SPDX-License-Identifier: Apache-2.0
// Sparse factorizations for Isa::kSse2. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/sparse/front_kernels.h"

#define HILO_KERNELS front_kernels_sse2

namespace {
constexpr int kVectorBytes = 16, kRows = 4;
}  // namespace

#include "hilo/backend/cpu/library/sparse/front_kernels.inc"
