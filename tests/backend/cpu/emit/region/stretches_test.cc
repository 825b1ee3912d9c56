// SPDX-License-Identifier: Apache-2.0
// How long rows are cut, so that the sums of their stretches are joined in pairs.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

/// "dimension 1: 16 turns, 7 stretches" of a region of these extents, the first of which is no row's.
std::string stretches(std::vector<int64_t> extents, int lanes) {
  Region region;
  region.row_begin = 1;
  region.extents = std::move(extents);
  RegionShape shape;
  shape.vector_dimension = region.extents.size() - 1;
  shape.lanes = lanes;
  const std::optional<RowStretches> cut = stretches_of(region, shape);
  return cut ? fmt::format("dimension {}: {} turns, {} stretches", cut->dimension, cut->turns, cut->count) : "none";
}

TEST(Stretches, ShortRowsAreSummedInOrder) {
  EXPECT_EQ(stretches({5, 32}, 1), "none");
  EXPECT_EQ(stretches({5, 16 * 8}, 8), "none");
  EXPECT_EQ(stretches({5, 0}, 8), "none");
}

TEST(Stretches, AreAsEqualAsTheyCanBe) {
  EXPECT_EQ(stretches({5, 33}, 1), "dimension 1: 17 turns, 2 stretches");
  EXPECT_EQ(stretches({5, 16 * 8 + 1}, 8), "dimension 1: 9 turns, 2 stretches");
  EXPECT_EQ(stretches({5, 1000}, 8), "dimension 1: 16 turns, 8 stretches");
}

TEST(Stretches, CutTheInnermostDimensionWithTooManyTurns) {
  EXPECT_EQ(stretches({5, 100, 8}, 8), "dimension 1: 15 turns, 7 stretches");
  EXPECT_EQ(stretches({5, 3, 1000}, 8), "dimension 2: 16 turns, 24 stretches");
}

}  // namespace
}  // namespace hilo::cpu
