// SPDX-License-Identifier: Apache-2.0
// Products of complex matrices for Isa::kAvx512. The build compiles only this file for that instruction set, and never
// fuses multiplications and additions there.
#include "hilo/backend/cpu/library/products/complex_product.h"

#define HILO_KERNELS complex_kernels_avx512

namespace {
constexpr int kVectorBytes = 64, kRows = 4, kVectors = 2;
}  // namespace

#include "hilo/backend/cpu/library/products/complex_tile.inc"
