// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

TEST(RegionJoin, AnExpensiveValueThatTwoShapesReadIsMadeOnce) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n"
                       " b = f32[8,5] broadcast(y), dimensions={0}\n c = f32[5,8] broadcast(y), dimensions={1}\n"
                       " ROOT t = (f32[8,5], f32[5,8]) tuple(b, c)\n}\n"),
            "[8] row 1: load 1i0 sine -> 1i0\n[8,5] row 2: load 1i0 -> 5i0+1i1\n[5,8] row 2: load 1i1 -> 8i0+1i1\n"
            "0 others\n");
}

/// A function is fused if few elements are padded. It is not fused if many are, or if rows are short.
TEST(RegionJoin, AFunctionOfWhatIsPaddedIsComputedFewTimesMore) {
  const auto padded = [](int64_t rows, int64_t columns, int64_t by) {
    return regions_of(fmt::format(
        "ENTRY main {{\n x = f32[{0},{1}] parameter(0)\n zero = f32[] constant(0)\n t = f32[{0},{1}] tanh(x)\n"
        " ROOT y = f32[{0},{2}] pad(t, zero), padding=0_0x{3}_0\n}}\n",
        rows, columns, columns + by, by));
  };
  const auto is_one = [](const std::string& regions) { return std::ranges::count(regions, '[') == 1; };
  EXPECT_TRUE(is_one(padded(3, 80, 10))) << padded(3, 80, 10);
  EXPECT_FALSE(is_one(padded(3, 80, 11))) << padded(3, 80, 11);
  EXPECT_FALSE(is_one(padded(3, 32, 1))) << padded(3, 32, 1);
  EXPECT_TRUE(is_one(padded(10000, 80, 40))) << padded(10000, 80, 40);
  EXPECT_FALSE(is_one(padded(10000, 80, 41))) << padded(10000, 80, 41);
}

TEST(RegionJoin, ACheapValueOfOneArrayIsComputedByAllWhoReadIt) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[8,8] parameter(0)\n y = f32[8,8] negate(x)\n"
                       " a = f32[8,8] reverse(y), dimensions={0}\n b = f32[8,8] reverse(y), dimensions={1}\n"
                       " ROOT t = (f32[8,8], f32[8,8]) tuple(a, b)\n}\n"),
            "[8,8] row 2: load 56+-8i0+1i1 negate -> 8i0+1i1\n[8,8] row 2: load 7+8i0+-1i1 negate -> 8i0+1i1\n"
            "0 others\n");
}

TEST(RegionJoin, TheFirstReaderWritesAValueThatIsAResultToo) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] sine(x)\n z = f32[8] negate(y)\n"
                       " ROOT t = (f32[8], f32[8]) tuple(y, z)\n}\n"),
            "[8] row 1: load 1i0 sine negate -> 1i0 -> 1i0\n0 others\n");
}

}  // namespace
}  // namespace hilo::engine
