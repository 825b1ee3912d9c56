// SPDX-License-Identifier: Apache-2.0
// The inner loops of products of f32 and f64 for Isa::kAvx2. The build compiles only this file for that instruction
// set.
#include "hilo/backend/cpu/library/products/strip_tile.h"

#define HILO_KERNELS float_kernels_avx2

namespace {
constexpr int kVectorBytes = 32, kTallRows = 6, kWideRows = 6, kWideVectors = 2, kDepth = 384;
}  // namespace

#include "hilo/backend/cpu/library/products/float_tile.inc"
