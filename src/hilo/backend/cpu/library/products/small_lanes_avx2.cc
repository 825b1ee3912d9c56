// SPDX-License-Identifier: Apache-2.0
// Small matrices, one per lane, for Isa::kAvx2. The build compiles only this file for that instruction set.
#include "hilo/backend/cpu/library/products/small_lanes.h"

namespace {
constexpr int kVectorBytes = 32;
}  // namespace

#include "hilo/backend/cpu/library/products/small_lanes.inc"

namespace hilo::cpu {

const SmallLanes& small_lanes_avx2() { return kSmallLanes; }

}  // namespace hilo::cpu
