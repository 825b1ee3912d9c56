// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/effort.h"

#include <gtest/gtest.h>

namespace hilo::cpu {
namespace {

TEST(CodeLevel, WithoutABudgetCodeIsGood) {
  EXPECT_EQ(code_budget(), nullptr);
  EXPECT_EQ(code_level(1e9), CodeLevel::kGood);
}

TEST(CodeLevel, FollowsTheEffort) {
  CodeBudget fastest{.effort = {.effort = Effort::kFastest}}, best{.effort = {.effort = Effort::kBest}};
  {
    const EffortScope scope(&fastest);
    EXPECT_EQ(code_level(0), CodeLevel::kQuick);
    const EffortScope inner(&best);
    EXPECT_EQ(code_level(1e9), CodeLevel::kBest);
  }
  EXPECT_EQ(code_budget(), nullptr);
}

TEST(CodeLevel, WhatWouldEndAfterTheBudgetIsQuick) {
  CodeBudget budget{.effort = {.budget = 3600}};
  const EffortScope scope(&budget);
  EXPECT_EQ(code_level(1), CodeLevel::kGood);
  EXPECT_EQ(code_level(3601), CodeLevel::kQuick);
  budget.began -= std::chrono::hours(2);  // it is spent
  EXPECT_EQ(code_level(0), CodeLevel::kQuick);
}

TEST(CountCode, CountsQuickFunctionsOnly) {
  count_code(CodeLevel::kQuick);  // no budget: nothing to count
  CodeBudget budget{};
  const EffortScope scope(&budget);
  count_code(CodeLevel::kGood, 5);
  count_code(CodeLevel::kQuick, 2);
  count_code(CodeLevel::kQuick);
  EXPECT_EQ(budget.quick_count, 3);
}

}  // namespace
}  // namespace hilo::cpu
