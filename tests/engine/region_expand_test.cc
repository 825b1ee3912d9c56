// SPDX-License-Identifier: Apache-2.0
// Ops that move elements are replaced by an index into their operand.
#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

/// The region of the negation of a moved x: s32[6,8].
std::string moved(const std::string& shape, const std::string& move) {
  return regions_of(
      fmt::format("ENTRY main {{\n x = s32[6,8] parameter(0)\n i = s32[] parameter(1)\n"
                  " two = s32[] constant(2)\n m = s32{0} {1}\n ROOT y = s32{0} negate(m)\n}}\n",
                  shape, move));
}

TEST(RegionExpand, AMoveIsAnIndex) {
  EXPECT_EQ(moved("[8,6]", "transpose(x), dimensions={1,0}"),
            "[6,8] row 2: load 8i0+1i1 negate -> 1i0+6i1\n0 others\n");
  EXPECT_EQ(moved("[2,8]", "slice(x), slice={[1:5:2], [0:8]}"),
            "[2,8] row 2: load 8+16i0+1i1 negate -> 8i0+1i1\n0 others\n");
  EXPECT_EQ(moved("[6,8]", "reverse(x), dimensions={1}"), "[6,8] row 2: load 7+8i0+-1i1 negate -> 8i0+1i1\n0 others\n");
  EXPECT_EQ(moved("[6,3,8]", "broadcast(x), dimensions={0,2}"),
            "[6,3,8] row 3: load 8i0+1i2 negate -> 24i0+8i1+1i2\n0 others\n");
  EXPECT_EQ(moved("[6,8]", "reshape(x)"), "[48] row 1: load 1i0 negate -> 1i0\n0 others\n");
}

TEST(RegionExpand, APlaceThatIsKnownAtRunTimeIsATerm) {
  EXPECT_EQ(moved("[2,8]", "dynamic-slice(x, i, two), dynamic_slice_sizes={2,8}"),
            "[16] row 1: load 0 load 1i0 negate -> 1i0\n0 others\n");
  EXPECT_EQ(moved("[2,5]", "dynamic-slice(x, two, two), dynamic_slice_sizes={2,5}"),
            "[2,5] row 2: load 18+8i0+1i1 negate -> 5i0+1i1\n0 others\n")
      << "a constant";
}

TEST(RegionExpand, PaddingIsGuarded) {
  EXPECT_EQ(moved("[7,8]", "pad(x, two), padding=1_0x0_0"), "[56] row 1: load -8+1i0 negate -> 1i0\n0 others\n");
  EXPECT_EQ(moved("[5,8]", "pad(x, two), padding=-1_0x0_0"), "[40] row 1: load 8+1i0 negate -> 1i0\n0 others\n")
      << "cut off";
}

/// The number of regions that negate two columns of one element in each row, next to each other.
int64_t regions_of_columns(int64_t rows) {
  const std::string regions = regions_of(
      fmt::format("ENTRY main {{\n x = s32[{0},1] parameter(0)\n y = s32[{0},1] parameter(1)\n"
                  " m = s32[{0},2] concatenate(x, y), dimensions={{1}}\n ROOT z = s32[{0},2] negate(m)\n}}\n",
                  rows));
  int64_t count = 0;
  for (size_t at = regions.find(" row "); at != std::string::npos; at = regions.find(" row ", at + 1)) ++count;
  return count;
}

TEST(RegionExpand, SingleColumnsJoinTheirReader) {
  EXPECT_EQ(regions_of_columns(8), 1);
  EXPECT_EQ(regions_of_columns(64), 1);
}

}  // namespace
}  // namespace hilo::engine
