// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/pivots.h"

#include <gtest/gtest.h>

namespace hilo::sparse_direct {
namespace {

/// A pattern by the rows of each column; entries cost 0 at the diagonal, 1 elsewhere.
CostedColumns pattern(const std::vector<std::vector<int32_t>>& columns) {
  CostedColumns out{{0}, {}, {}};
  for (size_t j = 0; j < columns.size(); ++j) {
    for (const int32_t row : columns[j]) {
      out.row.push_back(row);
      out.cost.push_back(row == static_cast<int32_t>(j) ? 0 : 1);
    }
    out.begin.push_back(std::ssize(out.row));
  }
  return out;
}

TEST(DiagonalPivots, AFullDiagonalNeedsNoMates) {
  const std::optional<Pivots> pivots = diagonal_pivots(pattern({{0, 1}, {0, 1, 2}, {1, 2}}));
  ASSERT_TRUE(pivots);
  EXPECT_EQ(pivots->row_of, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(pivots->mate, (std::vector<int32_t>{-1, -1, -1}));
}

TEST(DiagonalPivots, AVertexWithAZeroGetsANeighbour) {
  // As in constrained optimization: two unknowns, and a multiplier without a diagonal entry.
  const std::optional<Pivots> pivots = diagonal_pivots(pattern({{0, 2}, {1, 2}, {0, 1}}));
  ASSERT_TRUE(pivots);
  EXPECT_EQ(pivots->row_of, (std::vector<int32_t>{0, 1, 2}));
  const int32_t mate = pivots->mate[2];
  ASSERT_TRUE(mate == 0 || mate == 1);
  EXPECT_EQ(pivots->mate[mate], 2);
  EXPECT_EQ(pivots->mate[1 - mate], -1);
}

TEST(DiagonalPivots, TwoZerosNeedTwoNeighbours) {
  // Both multipliers have the same only neighbour, so that every such matrix is singular.
  EXPECT_FALSE(diagonal_pivots(pattern({{0, 1, 2}, {0}, {0}})));
}

TEST(PairedPivots, APermutationHasItsOwnPairs) {
  EXPECT_EQ(paired_pivots(pattern({{2}, {0}, {1}})).row_of, (std::vector<int32_t>{2, 0, 1}));
}

TEST(HasSymmetricPattern, ComparesBothTriangles) {
  EXPECT_TRUE(has_symmetric_pattern(pattern({{0, 2}, {1}, {0}})));
  EXPECT_FALSE(has_symmetric_pattern(pattern({{0, 2}, {1}, {2}})));
  EXPECT_TRUE(has_symmetric_pattern(pattern({})));
}

}  // namespace
}  // namespace hilo::sparse_direct
