// SPDX-License-Identifier: Apache-2.0
// All decisions about a region combined.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

/// f32[n,columns], padded by one row before and one column after.
RegionFacts facts_of_padded(int64_t columns) {
  const RegionCase c(fmt::format(R"(ENTRY main {{
  x = f32[200,{0}] parameter(0)
  one = f32[] constant(1)
  ROOT y = f32[201,{1}] pad(x, one), padding=1_0x0_1
}}
)",
                                 columns, columns + 1));
  return analyse_region(c.region, Isa::kAvx512);
}

/// Vectors along both dimensions have constant masks.
TEST(RegionFacts, FoldedDimensionsAreNotCut) {
  const RegionFacts wide = facts_of_padded(100), narrow = facts_of_padded(3);
  EXPECT_EQ(shape_text(wide.shape), "dimension 1, 16 lanes, overlaps");
  EXPECT_EQ(wide.cuts, (std::vector<std::vector<int64_t>>{{1}, {100}}));
  EXPECT_EQ(shape_text(narrow.shape), "dimension 0, 16 lanes, folded 4, step 4, overlaps");
  EXPECT_EQ(narrow.cuts, (std::vector<std::vector<int64_t>>{{}, {}}));
}

}  // namespace
}  // namespace hilo::cpu
