// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/load/tier.h"

#include <gtest/gtest.h>

#include <atomic>

namespace hilo::cpu {
namespace {

using std::chrono::seconds;

Program program_with(int64_t arena_bytes) {
  Program program;
  program.plan.target = "test";
  program.plan.arena_bytes = arena_bytes;
  return program;
}

/// A tier whose good code has an arena of that size, and the number of times that it was generated.
struct Generated {
  Program quick = program_with(64);
  std::atomic<int> times{0};
  Tier tier;

  explicit Generated(int64_t arena_bytes, Status status = ok_status())
      : tier(
            quick,
            [this, arena_bytes, status]() -> StatusOr<Program> {
              ++times;
              if (!status.ok()) return status;
              return program_with(arena_bytes);
            },
            10) {}
};

TEST(Tier, GoodCodeReplacesQuickCodeOnceRunsHaveTakenItsTime) {
  Generated generated(64);
  EXPECT_TRUE(generated.tier.is_timed());
  generated.tier.add_run(seconds(9));
  await_replacements();
  EXPECT_EQ(generated.times, 0);
  EXPECT_EQ(&generated.tier.code(), &generated.quick);
  generated.tier.add_run(seconds(1));
  EXPECT_FALSE(generated.tier.is_timed());
  await_replacements();
  EXPECT_TRUE(generated.tier.is_replaced());
  EXPECT_NE(&generated.tier.code(), &generated.quick);
  generated.tier.add_run(seconds(100));
  await_replacements();
  EXPECT_EQ(generated.times, 1);
}

TEST(Tier, CodeOfAnotherPlanIsNotUsed) {
  Generated generated(128);
  generated.tier.add_run(seconds(10));
  await_replacements();
  EXPECT_EQ(generated.times, 1);
  EXPECT_FALSE(generated.tier.is_replaced());
  EXPECT_EQ(&generated.tier.code(), &generated.quick);
}

TEST(Tier, AfterAnErrorTheQuickCodeStays) {
  Generated generated(64, internal_error("no code"));
  generated.tier.add_run(seconds(10));
  await_replacements();
  EXPECT_EQ(generated.times, 1);
  EXPECT_EQ(&generated.tier.code(), &generated.quick);
}

TEST(TierClock, AddsTheTimeOfARunWhileTheTierIsTimed) {
  const TierClock none(nullptr);
  Program quick = program_with(64);
  std::atomic<int> times{0};
  Tier tier(
      quick,
      [&]() -> StatusOr<Program> {
        ++times;
        return program_with(64);
      },
      0);
  { const TierClock clock(&tier); }
  await_replacements();
  EXPECT_EQ(times, 1);
  EXPECT_TRUE(tier.is_replaced());
}

}  // namespace
}  // namespace hilo::cpu
