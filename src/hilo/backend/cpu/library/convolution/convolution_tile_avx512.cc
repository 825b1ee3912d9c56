// SPDX-License-Identifier: Apache-2.0
// The inner loops of convolutions for Isa::kAvx512. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/convolution/convolution_tile.h"

#define HILO_KERNELS convolution_kernels_avx512

namespace {
constexpr int kVectorBytes = 64, kRegisters = 32;
}  // namespace

#include "hilo/backend/cpu/library/convolution/convolution_tile.inc"
