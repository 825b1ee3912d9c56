// SPDX-License-Identifier: Apache-2.0
// The inner loops of convolutions for Isa::kSse2. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/convolution/convolution_tile.h"

#define HILO_KERNELS convolution_kernels_sse2

namespace {
constexpr int kVectorBytes = 16, kRegisters = 16;
}  // namespace

#include "hilo/backend/cpu/library/convolution/convolution_tile.inc"
