// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/watchdog.h"

#include <gtest/gtest.h>

#include <thread>

namespace hilo::rpc {
namespace {

using Token = std::shared_ptr<CancellationToken>;

void wait_for(const Token& token) {
  while (!token->cancelled()) std::this_thread::yield();
}

TEST(Watchdog, ATurnBeginsWhenWhatWasBeforeHasEnded) {
  Watchdog watchdog(0.2, {});
  const Token first = std::make_shared<CancellationToken>(), second = std::make_shared<CancellationToken>();
  ASSERT_TRUE(watchdog.begin(first, 0).ok());
  ASSERT_TRUE(watchdog.begin(second, 0).ok());
  wait_for(first);
  EXPECT_EQ(first->word()->load(), kDeadlinePassed);
  EXPECT_FALSE(second->cancelled());
  watchdog.end(first);
  wait_for(second);
  watchdog.end(second);
  watchdog.end(second);
}

TEST(Watchdog, WorkHasATimeOfItsOwnAndMayBeCancelled) {
  Watchdog watchdog(0, {});
  const Token slow = std::make_shared<CancellationToken>(), timed = std::make_shared<CancellationToken>();
  ASSERT_TRUE(watchdog.begin(slow, 0).ok());
  ASSERT_TRUE(watchdog.begin(timed, 0.01).ok());
  wait_for(timed);
  EXPECT_EQ(timed->word()->load(), kDeadlinePassed);
  EXPECT_FALSE(slow->cancelled());
  watchdog.cancel(slow);
  EXPECT_EQ(slow->word()->load(), kCancelRequested);
  watchdog.cancel(std::make_shared<CancellationToken>());
}

TEST(Watchdog, AQueueHasAClockOfItsOwn) {
  Watchdog watchdog(0.02, {});
  const auto token = [] { return std::make_shared<CancellationToken>(); };
  const Token busy = token(), behind = token(), elsewhere = token(), both = token(), after_both = token();
  const int first[] = {0}, second[] = {1}, all[] = {0, 1};
  ASSERT_TRUE(watchdog.begin(busy, 3600, first).ok());
  ASSERT_TRUE(watchdog.begin(behind, 0, first).ok());
  ASSERT_TRUE(watchdog.begin(elsewhere, 0, second).ok());
  ASSERT_TRUE(watchdog.begin(both, 0, all).ok());
  ASSERT_TRUE(watchdog.begin(after_both, 0, second).ok());
  wait_for(elsewhere);  // although the first queue's work is still running
  EXPECT_FALSE(behind->cancelled());
  watchdog.end(elsewhere);
  const Token later = token();
  const int third[] = {2};
  ASSERT_TRUE(watchdog.begin(later, 0, third).ok());
  wait_for(later);
  EXPECT_FALSE(both->cancelled());  // it still waits in the first queue
  EXPECT_FALSE(after_both->cancelled());
  watchdog.end(busy);
  wait_for(behind);
  watchdog.end(behind);
  wait_for(both);
  watchdog.end(both);
  wait_for(after_both);
}

TEST(Watchdog, TimeBeginsWhenTheInputsAreThere) {
  Watchdog watchdog(0.02, {});
  const Token waits = std::make_shared<CancellationToken>(), other = std::make_shared<CancellationToken>();
  const int first[] = {0}, second[] = {1};
  ASSERT_TRUE(watchdog.begin(waits, 0, first, 2).ok());
  watchdog.input_ready(waits);
  ASSERT_TRUE(watchdog.begin(other, 0, second).ok());
  wait_for(other);
  EXPECT_FALSE(waits->cancelled());
  watchdog.input_ready(waits);
  wait_for(waits);
  watchdog.input_ready(std::make_shared<CancellationToken>());
}

TEST(Watchdog, TellsWhenWorkGoesOnAfterItsEnd) {
  std::atomic<int> stuck = 0;
  Watchdog watchdog(0, [&](const Token&) { ++stuck; });
  const Token token = std::make_shared<CancellationToken>();
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(watchdog.begin(token, 0).ok());
  watchdog.cancel(token);
  while (stuck == 0) std::this_thread::yield();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, kGrace);
}

TEST(Watchdog, WhoIsToldToStopBeforeItsTurnIsStuckOnlyAfterItsTurnBegan) {
  std::atomic<int> stuck = 0;
  Watchdog watchdog(0, [&](const Token&) { ++stuck; });
  const Token first = std::make_shared<CancellationToken>(), second = std::make_shared<CancellationToken>();
  const Token timed = std::make_shared<CancellationToken>();
  ASSERT_TRUE(watchdog.begin(first, 0).ok());
  ASSERT_TRUE(watchdog.begin(second, 0).ok());
  ASSERT_TRUE(watchdog.begin(timed, 1.25 * std::chrono::duration<double>(kGrace).count()).ok());
  watchdog.cancel(second);
  EXPECT_TRUE(second->cancelled());
  wait_for(timed);  // longer than a notification takes
  EXPECT_EQ(stuck, 0);
  const auto begin = std::chrono::steady_clock::now();
  watchdog.end(first);
  while (stuck == 0) std::this_thread::yield();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, kGrace);
}

}  // namespace
}  // namespace hilo::rpc
