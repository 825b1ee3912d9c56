// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/sparse/read_plan.h"

#include <gtest/gtest.h>

#include <random>

#include "hilo/base/sparse/analyze.h"

namespace hilo::sparse_direct {
namespace {

std::vector<int32_t> sample(Kind kind) {
  std::vector<int32_t> row, column;
  for (int32_t i = 0; i < 12; ++i) {
    for (int32_t j : {i, i + 1, i + 5}) {
      if (j >= 12) continue;
      row.push_back(i), column.push_back(j);
      if (i != j && (kind != Kind::kLu || i % 3 != 0)) row.push_back(j), column.push_back(i);
    }
  }
  return analyze({12, row, column}, kind)->plan;
}

TEST(ReadPlan, ReadsWhatIsWritten) {
  for (Kind kind : {Kind::kLu, Kind::kLdl, Kind::kCholesky}) {
    const std::vector<int32_t> list = sample(kind);
    const StatusOr<Plan> plan = read_plan(list);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->kind, kind);
    EXPECT_EQ(plan->size, 12);
    EXPECT_EQ(write_plan(*plan), list);
  }
}

TEST(ReadPlan, RefusesListsOfAnotherLength) {
  std::vector<int32_t> list = sample(Kind::kLu);
  EXPECT_FALSE(read_plan({}).ok());
  EXPECT_FALSE(read_plan(std::span(list).first(list.size() - 1)).ok());
  list.push_back(0);
  EXPECT_EQ(read_plan(list).status().to_string(),
            "INVALID_ARGUMENT: the plan of a sparse factorization is damaged, or of another version");
}

/// All indices that the kernels follow.
void expect_in_bounds(const Plan& p) {
  for (int32_t f = 0; f < p.fronts; ++f) {
    const int64_t w = p.columns_of(f), u = p.rows_of(f);
    ASSERT_GT(w, 0);
    ASSERT_LE(p.place[f] + w * (w + u) + (p.kind == Kind::kLu ? w * u : 0), p.factor_size);
    ASSERT_LE(p.stack_place[f] + u * u, p.stack_size);
    for (int32_t c = p.children_begin[f]; c < p.children_begin[f + 1]; ++c) {
      for (int32_t k = p.rows_begin[p.children[c]]; k < p.rows_begin[p.children[c] + 1]; ++k) {
        ASSERT_GE(p.rows_in_parent[k], 0);
        ASSERT_LT(p.rows_in_parent[k], w + u);
      }
    }
  }
  for (int32_t e = 0; e < p.entries; ++e) ASSERT_LT(p.entry_place[e], p.factor_size);
}

TEST(ReadPlan, RefusesOrBoundsDamagedLists) {
  std::mt19937 random(7);
  for (Kind kind : {Kind::kLu, Kind::kCholesky}) {
    const std::vector<int32_t> good = sample(kind);
    for (int trial = 0; trial < 20'000; ++trial) {
      std::vector<int32_t> list = good;
      const int32_t values[] = {-1, 0, 1, 11, 12, 13, INT32_MAX, INT32_MIN, static_cast<int32_t>(random())};
      list[random() % list.size()] = values[random() % std::size(values)];
      if (trial % 2 == 0) std::swap(list[random() % list.size()], list[random() % list.size()]);
      const StatusOr<Plan> plan = read_plan(list);
      if (plan.ok()) expect_in_bounds(*plan);
    }
  }
}

}  // namespace
}  // namespace hilo::sparse_direct
