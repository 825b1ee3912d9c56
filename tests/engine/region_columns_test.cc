// SPDX-License-Identifier: Apache-2.0
// Narrow rows whose columns are written out.
#include "hilo/engine/region_columns.h"

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

TEST(RegionColumns, AreTheLastNarrowDimensionsOfManyRows) {
  const auto first = [](std::vector<int64_t> extents) { return first_column(extents); };
  EXPECT_EQ(first({100, 4096, 3}), 2u);
  EXPECT_EQ(first({100, 3, 3}), 1u);
  EXPECT_EQ(first({4096, 64}), 2u) << "64 columns are too many";
  EXPECT_EQ(first({10, 3}), 2u) << "ten rows are too few";
  EXPECT_EQ(first({4096, 1}), 2u) << "one column is no row";
}

TEST(RegionColumns, StacksAreComputedWithTheirOperands) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[64,2] parameter(0)\n a = f32[64,1] slice(x), slice={[0:64],[0:1]}\n"
                       " b = f32[64,1] slice(x), slice={[0:64],[1:2]}\n s = f32[64,1] sine(a)\n"
                       " c = f32[64,2] concatenate(b, s), dimensions={1}\n ROOT z = f32[64,2] negate(c)\n}\n"),
            "[64,2] row 2: load 2i0 sine load 1+2i0 negate -> 2i0+1i1\n0 others\n");
}

TEST(RegionColumns, RollsAreComputedAlongTheirRows) {
  EXPECT_EQ(regions_of("ENTRY main {\n x = f32[64,9] parameter(0)\n a = f32[64,8] slice(x), slice={[0:64],[1:9]}\n"
                       " b = f32[64,1] slice(x), slice={[0:64],[0:1]}\n"
                       " ROOT c = f32[64,9] concatenate(a, b), dimensions={1}\n}\n"),
            "[64,8] row 2: load 1+9i0+1i1 -> 9i0+1i1\n[64] row 1: load 9i0 -> 8+9i0\n0 others\n");
}

}  // namespace
}  // namespace hilo::engine
