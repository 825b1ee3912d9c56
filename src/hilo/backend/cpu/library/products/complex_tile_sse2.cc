// SPDX-License-Identifier: Apache-2.0
// Products of complex matrices for Isa::kSse2. The build compiles only this file for that instruction set, and never
// fuses multiplications and additions there.
#include "hilo/backend/cpu/library/products/complex_product.h"

#define HILO_KERNELS complex_kernels_sse2

namespace {
constexpr int kVectorBytes = 16, kRows = 2, kVectors = 1;
}  // namespace

#include "hilo/backend/cpu/library/products/complex_tile.inc"
