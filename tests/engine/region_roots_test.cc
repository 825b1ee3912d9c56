// SPDX-License-Identifier: Apache-2.0
// Regions that start at a node.
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

TEST(RegionRoots, AConcatenationIsARegionForEachOperand) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[2,3] parameter(0)\n y = f32[2,5] parameter(1)\n"
                       " n = f32[2,5] negate(y)\n ROOT z = f32[2,8] concatenate(x, n), dimensions={1}\n}\n"),
            "[2,3] row 2: load 3i0+1i1 -> 8i0+1i1\n[2,5] row 2: load 5i0+1i1 negate -> 3+8i0+1i1\n0 others\n");
}

TEST(RegionRoots, AnUpdateWritesOnlyWhatItUpdates) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[8] parameter(0)\n u = f32[3] parameter(1)\n i = s32[] constant(4)\n"
                       " n = f32[3] negate(u)\n ROOT z = f32[8] dynamic-update-slice(x, n, i)\n}\n"),
            "[3] row 1: load 1i0 negate -> 4+1i0\n0 others\n");
}

TEST(RegionRoots, AReductionsRowIsBehindItsResult) {
  EXPECT_EQ(regions_of(kSum + "ENTRY main {\n x = f32[4,6,8] parameter(0)\n zero = f32[] constant(0)\n"
                              " ROOT s = f32[6] reduce(x, zero), dimensions={2,0}, to_apply=sum\n}\n"),
            "[6,4,8] row 1: load 8i0+48i1+1i2 reduce -> 1i0\n0 others\n");
}

}  // namespace
}  // namespace hilo::engine
