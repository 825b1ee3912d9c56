// SPDX-License-Identifier: Apache-2.0
// The inner loops of products of integers for Isa::kAvx2. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/products/integer_tile.h"

#define HILO_KERNELS integer_kernels_avx2

namespace {
constexpr int kVectorBytes = 32, kTileRows = 6;
}  // namespace

#include "hilo/backend/cpu/library/products/integer_tile.inc"
