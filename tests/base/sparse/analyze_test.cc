// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/analyze.h"

#include <gtest/gtest.h>

#include "hilo/base/sparse/read_plan.h"

namespace hilo::sparse_direct {
namespace {

struct Entries {
  std::vector<int32_t> row, column;
  void add(int32_t i, int32_t j) { row.push_back(i), column.push_back(j); }
  Pattern pattern(int64_t size) const { return {size, row, column}; }
};

TEST(Analyze, TriangularMatricesHaveOneBlockPerRow) {
  Entries e;
  for (int32_t i = 0; i < 40; ++i) {
    for (int32_t j = 0; j <= i; ++j) e.add(i, j);
  }
  const StatusOr<Analysis> a = analyze(e.pattern(40), Kind::kLu);
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(a->blocks, 40);
  EXPECT_EQ(a->fill, 40);
  EXPECT_EQ(a->operations, 0);
}

TEST(Analyze, ArrowsDontFill) {
  Entries e;
  for (int32_t i = 0; i < 500; ++i) {
    e.add(i, i);
    if (i > 0) e.add(0, i), e.add(i, 0);
  }
  // Merged fronts store a few zeros.
  EXPECT_LT(analyze(e.pattern(500), Kind::kLu)->fill, 500 * 3 + 30);
  EXPECT_LT(analyze(e.pattern(500), Kind::kCholesky)->fill, 500 * 2 + 30);
}

TEST(Analyze, NamesAColumnOfStructurallySingularMatrices) {
  Entries e;
  e.add(0, 0), e.add(0, 1), e.add(0, 2), e.add(1, 2), e.add(2, 2);
  EXPECT_EQ(analyze(e.pattern(3), Kind::kLu).status().to_string(),
            "INVALID_ARGUMENT: the matrix is structurally singular: whatever the values, column 1 depends on others");
}

TEST(Analyze, SymmetricKindsNeedASymmetricPattern) {
  Entries e;
  e.add(0, 0), e.add(1, 1), e.add(0, 1);
  EXPECT_EQ(analyze(e.pattern(2), Kind::kCholesky).status().to_string(),
            "INVALID_ARGUMENT: the pattern is not symmetric. Hint: store both triangles");
  Entries zero;
  zero.add(0, 1), zero.add(1, 0), zero.add(1, 1);
  EXPECT_TRUE(analyze(zero.pattern(2), Kind::kLdl).ok());
  EXPECT_EQ(analyze(zero.pattern(2), Kind::kCholesky).status().to_string(),
            "INVALID_ARGUMENT: the matrix has zeros on its diagonal, and is not positive definite");
  Entries both;
  both.add(0, 1), both.add(1, 0);
  EXPECT_EQ(analyze(both.pattern(2), Kind::kLdl).status().to_string(),
            "INVALID_ARGUMENT: rows with a zero on the diagonal lack neighbours with another diagonal. Hint: use LU");
}

TEST(Analyze, SaddlePointsKeepTheirSymmetry) {
  // [H A^T; A 0]: pivots by pairs of one variable and one constraint fill less than a matching of rows.
  constexpr int32_t kSteps = 200;
  Entries e;
  for (int32_t k = 0; k < kSteps; ++k) {
    e.add(k, k);
    for (int32_t j : {k, k + 1}) {
      if (j < kSteps) e.add(kSteps + k, j), e.add(j, kSteps + k);
    }
  }
  const StatusOr<Analysis> a = analyze(e.pattern(2 * kSteps), Kind::kLu);
  ASSERT_TRUE(a.ok());
  EXPECT_LT(a->fill, 2 * kSteps * 12);
}

TEST(Analyze, SamplesChooseLargePivots) {
  Entries e;
  e.add(0, 0), e.add(0, 1), e.add(1, 0), e.add(1, 1);
  const double sizes[] = {1e-9, 1, 1, 1e-9};
  const std::vector<int32_t> list = analyze(e.pattern(2), Kind::kLu, sizes)->plan;
  const Plan plan = *read_plan(list);
  for (int32_t k = 0; k < 2; ++k) EXPECT_NE(plan.row_order[k], plan.column_order[k]);
}

TEST(Analyze, EntriesOutOfBoundsAreUnused) {
  Entries e;
  e.add(0, 0), e.add(-1, -1), e.add(1, 1), e.add(2, 0);
  const std::vector<int32_t> list = analyze(e.pattern(2), Kind::kLu)->plan;
  const Plan plan = *read_plan(list);
  EXPECT_LT(plan.entry_place[1], 0);
  EXPECT_LT(plan.entry_place[3], 0);
}

TEST(Analyze, EmptyMatrices) {
  const StatusOr<Analysis> a = analyze({}, Kind::kLu);
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(a->factor_size, 0);
  EXPECT_TRUE(read_plan(a->plan).ok());
}

}  // namespace
}  // namespace hilo::sparse_direct
