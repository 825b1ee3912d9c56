// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/stop.h"

#include <gtest/gtest.h>

#include <thread>

#include "hilo/base/thread_pool.h"

namespace hilo {
namespace {

TEST(Stop, AThreadHasNoWordUntilAScopeGivesItOne) {
  EXPECT_EQ(stop_word(), nullptr);
  EXPECT_FALSE(stop_requested());
  StopWord word{kRunning};
  {
    const StopScope scope(&word);
    EXPECT_EQ(stop_word(), &word);
    const StopScope same(nullptr);
    EXPECT_EQ(stop_word(), &word) << "null leaves it";
    std::thread([] { EXPECT_EQ(stop_word(), nullptr) << "another thread has its own"; }).join();
  }
  EXPECT_EQ(stop_word(), nullptr);
}

TEST(Stop, AFlagSeesTheWordThatItWasMadeUnder) {
  StopWord word{kRunning};
  const StopScope scope(&word);
  const StopFlag flag;
  EXPECT_FALSE(flag.raised());
  word = kCancelRequested;
  EXPECT_TRUE(flag.raised());
  EXPECT_TRUE(stop_requested());
}

TEST(Stop, TheWordSaysWhy) {
  StopWord word{kRunning};
  EXPECT_TRUE(stop_status(nullptr).ok());
  EXPECT_TRUE(stop_status(&word).ok());
  word = kCancelRequested;
  EXPECT_EQ(stop_status(&word, " in a loop").to_string(), "CANCELLED: the program was cancelled in a loop");
  word = kDeadlinePassed;
  EXPECT_EQ(stop_status(&word).to_string(), "DEADLINE_EXCEEDED: timeout of the program");
}

TEST(Stop, StretchesCoverAllAndEndAtTheStop) {
  StopWord word{kRunning};
  const StopScope scope(&word);
  int64_t next = 0;
  in_stretches(10, 4, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(begin, next);
    EXPECT_LE(end - begin, 4);
    next = end;
  });
  EXPECT_EQ(next, 10);
  in_stretches(0, 4, [&](int64_t, int64_t) { ADD_FAILURE() << "there is nothing"; });
  int64_t done = 0;
  in_stretches(10, 4, [&](int64_t begin, int64_t end) {
    done += end - begin;
    word = kCancelRequested;
  });
  EXPECT_EQ(done, 4);
}

/// Runs tasks, one of which sets the stop flag. Returns the number of tasks that ran.
int64_t tasks_until_stopped(Executor& executor, int64_t tasks) {
  StopWord word{kRunning};
  const StopScope scope(&word);
  std::atomic<int64_t> ran = 0;
  executor.parallel_for(tasks, [&](int64_t) {
    EXPECT_EQ(stop_word(), &word);
    ++ran;
    word = kCancelRequested;
  });
  return ran;
}

TEST(Stop, TasksOfAPoolBelongToTheCallersWord) {
  constexpr int64_t kTasks = 100'000;
  for (int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    const int64_t ran = tasks_until_stopped(pool, kTasks);
    EXPECT_GE(ran, 1);
    EXPECT_LE(ran, threads) << "each thread looks before every task";
    std::atomic<int64_t> all = 0;
    pool.parallel_for(kTasks, [&](int64_t) {
      EXPECT_EQ(stop_word(), nullptr);
      ++all;
    });
    EXPECT_EQ(all, kTasks) << "the next loop is whole";
  }
}

/// An executor of a program, without support for stop flags.
class Threaded final : public Executor {
 public:
  int threads() const override { return 2; }
  void parallel_for(int64_t tasks, FunctionRef<void(int64_t)> task) override {
    std::thread other([&] {
      for (int64_t i = 1; i < tasks; i += 2) task(i);
    });
    for (int64_t i = 0; i < tasks; i += 2) task(i);
    other.join();
  }
};

TEST(Stop, TasksOfAnInstalledExecutorDoToo) {
  Threaded executor;
  set_default_executor(&executor);
  const int64_t ran = tasks_until_stopped(default_pool(), 1000);
  set_default_executor(nullptr);
  EXPECT_GE(ran, 1);
  EXPECT_LE(ran, 2);
}

}  // namespace
}  // namespace hilo
