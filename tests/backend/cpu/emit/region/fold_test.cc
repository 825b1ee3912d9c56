// SPDX-License-Identifier: Apache-2.0
// Whether the vectors of a map treat its last two dimensions as one.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

/// f32[rows,columns], a broadcast of x[rows], on AVX-512: 16 lanes.
std::string fold_of(int64_t rows, int64_t columns, std::string_view op = "negate") {
  const RegionCase c(fmt::format(R"(ENTRY main {{
  x = f32[{0}] parameter(0)
  y = f32[{0},{1}] broadcast(x), dimensions={{0}}
  ROOT z = f32[{0},{1}] {2}(y)
}}
)",
                                 rows, columns, op));
  const std::optional<RegionShape> shape = folded_shape(c.region, 16);
  return shape ? shape_text(*shape) : "none";
}

TEST(Fold, RowsThatFillWholeVectors) {
  EXPECT_EQ(fold_of(100, 2), "dimension 0, 16 lanes, folded 2, step 8, overlaps");
  EXPECT_EQ(fold_of(100, 3), "dimension 0, 16 lanes, folded 3, overlaps");
  EXPECT_EQ(fold_of(101, 6), "dimension 0, 16 lanes, folded 6, step 8, overlaps");
}

TEST(Fold, RowsOfAVectorOrMoreDont) {
  EXPECT_EQ(fold_of(100, 16), "none");
  EXPECT_EQ(fold_of(100, 1000), "none");
}

TEST(Fold, RowsOfHalfAVectorDoWhereAFunctionIsComputed) {
  EXPECT_EQ(fold_of(100, 8), "none");
  EXPECT_EQ(fold_of(100, 8, "exponential"), "dimension 0, 16 lanes, folded 8, step 2");
}

TEST(Fold, TooFewElementsDont) { EXPECT_EQ(fold_of(2, 3), "none"); }

}  // namespace
}  // namespace hilo::cpu
