// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

TEST(RegionDomain, ANumberIsTheSameUnderALinearIndex) {
  EXPECT_EQ(
      regions_of(
          "ENTRY main {\n x = f16[3,5,7] parameter(0)\n k = f16[] parameter(1)\n"
          " b = f16[3,5,7] broadcast(k), dimensions={}\n m = f16[3,5,7] multiply(x, b)\n r = f16[3,35] reshape(m)\n"
          " n = f16[3,35] negate(r)\n z = f16[5,21] reshape(n)\n ROOT y = f16[5,21] sine(z)\n}\n"),
      "[105] row 1: load 0 load 1i0 multiply negate sine -> 1i0\n0 others\n");
}

TEST(RegionDomain, AReshapeLoopsOverWhatItReshapes) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = s32[100,2048] parameter(0)\n zero = s32[] constant(0)\n"
                       " p = s32[102,2040] pad(x, zero), padding=2_0x0_-8\n n = s32[102,2040] negate(p)\n"
                       " a = s32[51,4080] reshape(n)\n ROOT y = s32[208080] reshape(a)\n}\n"),
            "[102,2040] row 2: load -4096+2048i0+1i1 negate -> 2040i0+1i1\n0 others\n");
}

/// The lowering of jax.numpy.repeat.
TEST(RegionDomain, RepeatedElementsHaveADimensionOfTheirOwn) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = s32[12,63] parameter(0)\n w = s32[12,126] parameter(1)\n"
                       " b = s32[12,63,2] broadcast(x), dimensions={0,1}\n r = s32[12,126] reshape(b)\n"
                       " ROOT y = s32[12,126] add(r, w)\n}\n"),
            "[756,2] row 2: load 2i0+1i1 load 1i0 add -> 2i0+1i1\n0 others\n");
}

/// Rows are read in reverse, which a linear index can't express.
TEST(RegionDomain, MovedElementsKeepTheirDimensionsBehindAReshape) {
  EXPECT_EQ(
      regions_of("ENTRY main {\n x = f64[12,63] parameter(0)\n row = f64[63] parameter(1)\n w = f64[756] parameter(2)\n"
                 " f = f64[12,63] reverse(x), dimensions={0}\n b = f64[12,63] broadcast(row), dimensions={1}\n"
                 " s = f64[12,63] subtract(f, b)\n r = f64[756] reshape(s)\n ROOT y = f64[756] subtract(r, w)\n}\n"),
      "[12,63] row 2: load 63i0+1i1 load 1i1 load 693+-63i0+1i1 subtract subtract -> 63i0+1i1\n0 others\n");
}

/// A reduction needs the original dimensions.
TEST(RegionDomain, RepeatedElementsBesideAReduction) {
  EXPECT_EQ(
      regions_of(
          "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
          "ENTRY main {\n x = f32[12,63] parameter(0)\n w = f32[12,126,9] parameter(1)\n"
          " b = f32[12,63,2] broadcast(x), dimensions={0,1}\n r = f32[12,126] reshape(b)\n zero = f32[] constant(0)\n"
          " s = f32[12,126] reduce(w, zero), dimensions={2}, to_apply=sum\n ROOT y = f32[12,126] add(r, s)\n}\n"),
      "[756,2] row 2: load 1i0 -> 2i0+1i1\n[1512,9] row 1: load 9i0+1i1 reduce load 1i0 add -> 1i0\n0 others\n");
}

}  // namespace
}  // namespace hilo::engine
