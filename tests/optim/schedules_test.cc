// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/schedules.h"

#include <gtest/gtest.h>

#include "hilo/optim/optim.h"

namespace hilo::optim {
namespace {

float at(const Schedule& schedule, int step) { return schedule(Array(step)).item<float>(); }

TEST(WrappedSchedule, CountsItsSteps) {
  const WrappedSchedule schedule{linear_schedule(1.0, 0.0, 4)};
  OptState state = schedule.init();
  EXPECT_EQ(schedule(state).item<float>(), 1);
  state = schedule.update(schedule.update(state));
  EXPECT_EQ(schedule(state).item<float>(), 0.5f);
  EXPECT_THROW((void)schedule(sgd(0.1).init(Array(1.0f))), Error);
}

TEST(Schedules, RefuseWhatHasNoSteps) {
  EXPECT_THROW(cosine_decay_schedule(1.0, 0), Error);
  EXPECT_THROW(piecewise_constant_schedule(1.0, {{2, -1.0}}), Error);
  EXPECT_THROW(sgdr_schedule({{{"init_value", 1.0}}}), Error);
  EXPECT_THROW(join_schedules({constant_schedule(1)}, {1}), Error);
}

TEST(Schedules, LinearStaysBeforeItsBeginAndAfterItsEnd) {
  const Schedule linear = linear_schedule(1.0, 0.0, 4, {.transition_begin = 2});
  EXPECT_EQ(at(linear, 0), 1);
  EXPECT_EQ(at(linear, 2), 1);
  EXPECT_EQ(at(linear, 4), 0.5f);
  EXPECT_EQ(at(linear, 100), 0);
  EXPECT_EQ(at(constant_schedule(0.25), 1000000), 0.25f);
}

TEST(Schedules, ExponentialDecaysInStairsOrContinuously) {
  EXPECT_NEAR(at(exponential_decay(1.0, 2, 0.25), 1), 0.5f, 1e-6);
  EXPECT_EQ(at(exponential_decay(1.0, 2, 0.25, {.staircase = true}), 1), 1);
  EXPECT_EQ(at(exponential_decay(1.0, 2, 0.25, {.staircase = true}), 3), 0.25f);
  EXPECT_EQ(at(exponential_decay(1.0, 2, 0.25, {.end_value = 0.1}), 50), 0.1f);
}

TEST(Schedules, CosineGoesDownHalfAWave) {
  const Schedule cosine = cosine_decay_schedule(2.0, 10, 0.5);
  EXPECT_EQ(at(cosine, 0), 2);
  EXPECT_NEAR(at(cosine, 5), 1.5f, 1e-6);
  EXPECT_NEAR(at(cosine, 10), 1, 1e-6);
  EXPECT_NEAR(at(cosine, 11), 1, 1e-6);
}

TEST(Schedules, PiecesChangeAtTheirBoundaries) {
  const Schedule pieces = piecewise_constant_schedule(1.0, {{2, 0.5}, {4, 0.1}});
  EXPECT_EQ(at(pieces, 1), 1);
  EXPECT_EQ(at(pieces, 3), 0.5f);
  EXPECT_NEAR(at(pieces, 5), 0.05f, 1e-7);
  const Schedule joined = join_schedules({constant_schedule(1), linear_schedule(0, 1, 2)}, {3});
  EXPECT_EQ(at(joined, 2), 1);
  EXPECT_EQ(at(joined, 4), 0.5f);
}

}  // namespace
}  // namespace hilo::optim
