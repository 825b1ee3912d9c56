// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/long_call.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace hilo::cpu {
namespace {

CallContext context_of(const StopWord* word) { return {word, nullptr, nullptr}; }

/// A long call that adds one to four bytes, after `before`.
LongCall add_one(const std::function<void()>& before) {
  const auto run = [before](void* const* buffers) {
    before();
    for (int i = 0; i < 4; ++i)
      static_cast<uint8_t*>(buffers[1])[i] = static_cast<uint8_t>(static_cast<const uint8_t*>(buffers[0])[i] + 1);
    return ok_status();
  };
  return {run, {4}, {4}, 1e30};
}

TEST(LongCall, RunsOnTheCallersThreadAndBuffersWhereNobodyCanStopIt) {
  uint8_t in[4] = {1, 2, 3, 4}, out[4] = {};
  void* const buffers[] = {in, out};
  std::thread::id thread;
  EXPECT_TRUE(run_long_call(add_one([&] { thread = std::this_thread::get_id(); }), buffers, context_of(nullptr)).ok());
  EXPECT_EQ(thread, std::this_thread::get_id());
  EXPECT_EQ(out[3], 5);
}

TEST(LongCall, ShortWorkStaysOnTheCallersThread) {
  const StopWord word{kRunning};
  uint8_t in[4] = {1, 2, 3, 4}, out[4] = {};
  void* const buffers[] = {in, out};
  std::thread::id thread;
  LongCall call = add_one([&] { thread = std::this_thread::get_id(); });
  call.work = 1000;
  EXPECT_TRUE(run_long_call(call, buffers, context_of(&word)).ok());
  EXPECT_EQ(thread, std::this_thread::get_id());
}

TEST(LongCall, GivesItsResultsAndErrorsBack) {
  const StopWord word{kRunning};
  uint8_t in[4] = {1, 2, 3, 4}, out[4] = {};
  void* const buffers[] = {in, out};
  std::thread::id thread;
  EXPECT_TRUE(run_long_call(add_one([&] { thread = std::this_thread::get_id(); }), buffers, context_of(&word)).ok());
  EXPECT_NE(thread, std::this_thread::get_id());
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[3], 5);
  LongCall fails = add_one([] {});
  fails.run = [](void* const*) { return invalid_argument("no"); };
  EXPECT_EQ(run_long_call(fails, buffers, context_of(&word)).to_string(), "INVALID_ARGUMENT: no");
  fails.run = [](void* const*) -> Status { throw std::bad_alloc(); };
  EXPECT_THROW((void)run_long_call(fails, buffers, context_of(&word)), std::bad_alloc);
}

TEST(LongCall, BuffersThatAreOneStayOne) {
  const StopWord word{kRunning};
  uint8_t both[4] = {1, 2, 3, 4};
  void* const buffers[] = {both, both};
  LongCall call = add_one([] {});
  call.run = [](void* const* own) {
    EXPECT_EQ(own[0], own[1]);
    static_cast<uint8_t*>(own[0])[1] = 9;
    return ok_status();
  };
  EXPECT_TRUE(run_long_call(call, buffers, context_of(&word)).ok());
  EXPECT_EQ(both[1], 9);
}

TEST(LongCall, IsLeftAloneOnAStopAndEndsByItself) {
  while (abandoned_calls() != 0) std::this_thread::yield();  // waits for calls of earlier tests in this process
  StopWord word{kRunning};
  std::atomic<bool> begun = false, may_end = false, saw_stop = false;
  {
    uint8_t in[4] = {1, 2, 3, 4}, out[4] = {};
    void* const buffers[] = {in, out};
    std::thread canceller([&] {
      while (!begun) std::this_thread::yield();
      word = kDeadlinePassed;
    });
    const LongCall call = add_one([&] {
      begun = true;
      while (!may_end) std::this_thread::yield();
      saw_stop = stop_requested();
    });
    EXPECT_EQ(run_long_call(call, buffers, context_of(&word)).code(), StatusCode::kDeadlineExceeded);
    canceller.join();
    EXPECT_EQ(abandoned_calls(), 1);
    EXPECT_EQ(out[0], 0);
    std::memset(in, 0, sizeof(in));
  }
  may_end = true;  // the caller's buffers are already freed
  while (abandoned_calls() != 0) std::this_thread::yield();
  EXPECT_TRUE(saw_stop);
}

}  // namespace
}  // namespace hilo::cpu
