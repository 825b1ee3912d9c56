// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/event.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace hilo {
namespace {

TEST(Event, IsFinishedWellUnlessSomebodyHasYetToFinishIt) {
  EXPECT_TRUE(Event().is_ready());
  EXPECT_TRUE(Event().await().ok());
  EXPECT_TRUE(Event::finished(ok_status()).await().ok());
  EXPECT_EQ(Event::finished(data_loss("gone")).await().to_string(), "DATA_LOSS: gone");
  EventSource source;
  EXPECT_FALSE(source.event().is_ready());
  source.finish(ok_status());
  EXPECT_TRUE(source.event().is_ready());
}

TEST(Event, CallsBackOnceWithTheStatusNowOrLater) {
  std::vector<std::string> told;
  const auto tell = [&](const Status& status) { told.push_back(status.to_string()); };
  Event().on_ready(tell);
  EventSource source;
  source.event().on_ready(tell);
  EXPECT_EQ(told.size(), 1u);
  source.finish(data_loss("gone"));
  source.event().on_ready(tell);
  EXPECT_EQ(told, (std::vector<std::string>{"OK", "DATA_LOSS: gone", "DATA_LOSS: gone"}));
}

TEST(Event, WakesAllWhoWaitWithItsError) {
  constexpr int kThreads = 8;
  EventSource source;
  std::atomic<int> woken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, event = source.event()] { woken += event.await().code() == StatusCode::kDataLoss; });
  }
  source.finish(data_loss("gone"));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(woken, kThreads);
}

TEST(Event, AWaitEndsWhenItIsCancelledOrItsTimeIsOver) {
  EventSource source;
  CancellationToken token;
  std::thread canceller([&] { token.cancel(); });
  EXPECT_EQ(source.event().await(&token).code(), StatusCode::kCancelled);
  canceller.join();
  EXPECT_EQ(source.event().await(nullptr, deadline_in(0.001)).code(), StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(source.event().is_ready());  // the work continues
  source.finish(ok_status());
  EXPECT_TRUE(source.event().await(&token).ok());  // it completes nevertheless
}

TEST(Event, WhoseSourceIsDroppedFailsSoThatNobodyWaitsForEver) {
  Event event;
  {
    const EventSource source;
    event = source.event();
  }
  EXPECT_EQ(event.await().code(), StatusCode::kInternal);
}

TEST(Event, AllIsFinishedWithTheLastAndTellsTheFirstThatFailed) {
  EXPECT_TRUE(Event::all({}).is_ready());
  EventSource one, two, three;
  const Event events[] = {one.event(), Event(), two.event(), three.event()};
  const Event all = Event::all(events);
  three.finish(data_loss("three"));
  two.finish(data_loss("two"));
  EXPECT_FALSE(all.is_ready());
  one.finish(ok_status());
  EXPECT_TRUE(all.is_ready());
  EXPECT_EQ(all.await().to_string(), "DATA_LOSS: two");
}

}  // namespace
}  // namespace hilo
