// SPDX-License-Identifier: Apache-2.0
// The inner loops of products of f32 and f64 for Isa::kAvx512. The build compiles only this file for that instruction
// set.
#include "hilo/backend/cpu/library/products/strip_tile.h"

#define HILO_KERNELS float_kernels_avx512

namespace {
constexpr int kVectorBytes = 64, kTallRows = 14, kWideRows = 6, kWideVectors = 4, kDepth = 512;
}  // namespace

#include "hilo/backend/cpu/library/products/float_tile.inc"
