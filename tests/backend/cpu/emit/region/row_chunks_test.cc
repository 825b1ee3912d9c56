// SPDX-License-Identifier: Apache-2.0
// The chunk length of long rows, whose partial sums are combined in pairs.
#include "tests/backend/cpu/emit/region/region_case.h"

namespace hilo::cpu {
namespace {

/// "dimension 1: 16 turns, 7 chunks" for a region of these extents. The first dimension is not part of the row.
std::string row_chunks(std::vector<int64_t> extents, int lanes) {
  Region region;
  region.row_begin = 1;
  region.extents = std::move(extents);
  RegionShape shape;
  shape.vector_dimension = region.extents.size() - 1;
  shape.lanes = lanes;
  const std::optional<RowChunks> cut = row_chunks_of(region, shape);
  return cut ? fmt::format("dimension {}: {} turns, {} chunks", cut->dimension, cut->turns, cut->count) : "none";
}

TEST(RowChunks, ShortRowsAreSummedInOrder) {
  EXPECT_EQ(row_chunks({5, 32}, 1), "none");
  EXPECT_EQ(row_chunks({5, 16 * 8}, 8), "none");
  EXPECT_EQ(row_chunks({5, 0}, 8), "none");
}

TEST(RowChunks, AreAsEqualAsTheyCanBe) {
  EXPECT_EQ(row_chunks({5, 33}, 1), "dimension 1: 17 turns, 2 chunks");
  EXPECT_EQ(row_chunks({5, 16 * 8 + 1}, 8), "dimension 1: 9 turns, 2 chunks");
  EXPECT_EQ(row_chunks({5, 1000}, 8), "dimension 1: 16 turns, 8 chunks");
}

TEST(RowChunks, CutTheInnermostDimensionWithTooManyTurns) {
  EXPECT_EQ(row_chunks({5, 100, 8}, 8), "dimension 1: 15 turns, 7 chunks");
  EXPECT_EQ(row_chunks({5, 3, 1000}, 8), "dimension 2: 16 turns, 24 chunks");
}

}  // namespace
}  // namespace hilo::cpu
