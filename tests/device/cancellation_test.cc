// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/cancellation.h"

#include <gtest/gtest.h>

#include <thread>

namespace hilo {
namespace {

void wait_until_set(const StopWord& word) {
  while (word.load() == kRunning) std::this_thread::yield();
}

TEST(Cancellation, TheFirstReasonStays) {
  CancellationToken token;
  EXPECT_FALSE(token.cancelled());
  token.cancel(kDeadlinePassed);
  token.cancel();
  EXPECT_TRUE(token.cancelled());
  EXPECT_EQ(*token.word(), kDeadlinePassed);
}

TEST(Cancellation, WithoutADeadlineAWatchIsItsParent) {
  CancellationToken token;
  EXPECT_EQ(DeadlineWatch(&token, kNoDeadline).token(), &token);
  EXPECT_EQ(DeadlineWatch(nullptr, kNoDeadline).word(), nullptr);
}

TEST(Cancellation, AWatchIsSetWhenTheDeadlineHasPassed) {
  const DeadlineWatch watch(nullptr, deadline_in(1e-3));
  wait_until_set(*watch.word());
  EXPECT_EQ(*watch.word(), kDeadlinePassed);
}

TEST(Cancellation, AWatchPassesItsParentOn) {
  CancellationToken parent;
  const DeadlineWatch watch(&parent, deadline_in(1e6));
  EXPECT_FALSE(watch.token()->cancelled());
  parent.cancel();
  wait_until_set(*watch.word());
  EXPECT_EQ(*watch.word(), kCancelRequested);
}

TEST(Cancellation, AWatchEndsWithoutItsDeadline) { const DeadlineWatch watch(nullptr, deadline_in(1e6)); }

TEST(Cancellation, SecondsThatNoClockCountsAreNoDeadline) {
  EXPECT_EQ(deadline_in(0), kNoDeadline);
  EXPECT_EQ(deadline_in(-1), kNoDeadline);
  EXPECT_EQ(deadline_in(1e300), kNoDeadline);
  EXPECT_LT(deadline_in(1), kNoDeadline);
}

}  // namespace
}  // namespace hilo
