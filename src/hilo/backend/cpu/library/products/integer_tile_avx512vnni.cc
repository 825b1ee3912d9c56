// SPDX-License-Identifier: Apache-2.0
// The inner loops of products of integers for Isa::kAvx512 on processors with its instructions for bytes. The build
// compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/products/integer_tile.h"

#define HILO_KERNELS integer_kernels_avx512vnni

namespace {
constexpr int kVectorBytes = 64, kTileRows = 12;
}  // namespace

#include "hilo/backend/cpu/library/products/integer_tile.inc"
