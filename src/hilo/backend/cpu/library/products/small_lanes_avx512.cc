// SPDX-License-Identifier: Apache-2.0
// Small matrices, one per lane, for Isa::kAvx512. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/products/small_lanes.h"

#define HILO_KERNELS small_lanes_avx512

namespace {
constexpr int kVectorBytes = 64;
}  // namespace

#include "hilo/backend/cpu/library/products/small_lanes.inc"
