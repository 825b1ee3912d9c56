// SPDX-License-Identifier: Apache-2.0
// Small matrices, one per lane, for Isa::kSse2. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/products/small_lanes.h"

#define HILO_KERNELS small_lanes_sse2

namespace {
constexpr int kVectorBytes = 16;
}  // namespace

#include "hilo/backend/cpu/library/products/small_lanes.inc"
