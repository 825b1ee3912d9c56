// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/thread_pool.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <latch>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "hilo/base/floating_point.h"
#include "tests/support/in_child.h"

#if defined(__SANITIZE_THREAD__)
// A forked child of a multithreaded process starts threads here. By default the sanitizer forbids that.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }
#endif

namespace hilo {
namespace {

// Whether every task below `tasks` ran exactly once.
bool runs_each_task_once(Executor& executor, int64_t tasks) {
  std::vector<std::atomic<int>> runs(static_cast<size_t>(tasks));
  executor.parallel_for(tasks, [&](int64_t i) { runs[static_cast<size_t>(i)].fetch_add(1); });
  return std::ranges::all_of(runs, [](const std::atomic<int>& count) { return count == 1; });
}

TEST(ThreadPool, RunsEachTaskOnce) {
  for (int threads : {1, 2, 3, 4, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t tasks : {0, 1, 2, 3, 17, 100, 1000, 12345}) {
      EXPECT_TRUE(runs_each_task_once(pool, tasks)) << threads << " threads, " << tasks << " tasks";
    }
  }
}

TEST(ThreadPool, StartsNoThreadForCountsBelowTwo) {
  for (int threads : {-1, 0, 1}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), 1);
    const std::thread::id caller = std::this_thread::get_id();
    pool.parallel_for(10, [&](int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  }
}

TEST(ThreadPool, NegativeTaskCountDoesNothing) {
  ThreadPool pool(2);
  pool.parallel_for(-5, [](int64_t) { ADD_FAILURE(); });
}

TEST(ThreadPool, WorkersReallyWork) {
  ThreadPool pool(3);
  // Each task waits for the other two, so three threads must run concurrently.
  std::latch together(3);
  pool.parallel_for(3, [&](int64_t) { together.arrive_and_wait(); });
}

TEST(ThreadPool, SleepingWorkersWakeUp) {
  ThreadPool pool(3);
  for (int round = 0; round < 5; ++round) {
    // By the second half of a long loop on the caller, the workers sleep.
    volatile int64_t sum = 0;
    for (int64_t i = 0; i < 3000000; ++i) sum = sum + i;
    std::latch together(3);
    pool.parallel_for(3, [&](int64_t) { together.arrive_and_wait(); });
  }
}

TEST(ThreadPool, NestedCallRunsInlineOnTheSameThread) {
  ThreadPool pool(4), other(2);
  std::atomic<int> inner{0};
  EXPECT_FALSE(inside_parallel_task());
  pool.parallel_for(8, [&](int64_t) {
    EXPECT_TRUE(inside_parallel_task());
    const std::thread::id outer = std::this_thread::get_id();
    for (ThreadPool* p : {&pool, &other}) {
      p->parallel_for(16, [&](int64_t) {
        EXPECT_EQ(std::this_thread::get_id(), outer);
        inner.fetch_add(1);
      });
    }
  });
  EXPECT_EQ(inner, 8 * 16 * 2);
  EXPECT_FALSE(inside_parallel_task());
}

TEST(ThreadPool, TasksSeeWhatTheCallerWroteAndTheCallerSeesTheirs) {
  ThreadPool pool(4);
  std::vector<int64_t> plain(512);  // no atomics, so that the sanitizer detects races
  for (int64_t round = 0; round < 2000; ++round) {
    for (int64_t& value : plain) value = round;
    pool.parallel_for(512, [&](int64_t i) { plain[static_cast<size_t>(i)] += i; });
    EXPECT_EQ(std::accumulate(plain.begin(), plain.end(), int64_t{0}), 512 * round + 512 * 511 / 2);
  }
}

TEST(ThreadPool, SurvivesManyCallersAtOnce) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        pool.parallel_for(7, [&](int64_t i) { sum.fetch_add(i, std::memory_order_relaxed); });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 2000 * 21);
}

TEST(ThreadPool, OutlivesTheWrapOfItsLoopCounter) {
  ThreadPool pool(2);
  int64_t sum[2] = {0, 0};
  for (int round = 0; round < 70000; ++round) pool.parallel_for(2, [&](int64_t i) { sum[i] += 1; });
  EXPECT_EQ(sum[0], 70000);
  EXPECT_EQ(sum[1], 70000);
}

TEST(ThreadPool, ComesAndGoes) {
  for (int round = 0; round < 200; ++round) {
    ThreadPool pool(1 + round % 5);
    const int64_t tasks = round % 2 == 0 ? 5 : 0;
    EXPECT_TRUE(runs_each_task_once(pool, tasks));
  }
}

TEST(ThreadPool, WorkersBlockAllSignals) {
  ThreadPool pool(3);
  std::latch together(3);
  const std::thread::id caller = std::this_thread::get_id();
  pool.parallel_for(3, [&](int64_t) {
    together.arrive_and_wait();
    sigset_t mask;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    EXPECT_EQ(sigismember(&mask, SIGINT) == 1, std::this_thread::get_id() != caller);
  });
}

TEST(ThreadPool, TasksSeeTheCallersFloatingPointControl) {
  using floating_point_detail::modes;
  using floating_point_detail::set_modes;
  const uint32_t before = modes();
  std::fesetround(FE_TOWARDZERO);
  const uint32_t to_zero = modes();
  std::fesetround(FE_TONEAREST);
  ThreadPool pool(3);
  for (uint32_t control : {floating_point_detail::kNearest, floating_point_detail::kFlushToZero, to_zero}) {
    set_modes(control);
    std::latch together(3);
    std::atomic<int> same{0};
    pool.parallel_for(3, [&](int64_t) {
      together.arrive_and_wait();
      if (modes() == control) same.fetch_add(1);
    });
    EXPECT_EQ(modes(), control);
    set_modes(before);
    EXPECT_EQ(same, 3);
  }
}

// Runs everything inline and counts the calls.
class CountingExecutor : public Executor {
 public:
  int threads() const override { return 1; }
  void parallel_for(int64_t tasks, FunctionRef<void(int64_t)> task) override {
    ++calls;
    for (int64_t i = 0; i < tasks; ++i) task(i);
  }
  int calls = 0;
};

TEST(DefaultPool, IsTheInstalledExecutor) {
  CountingExecutor executor;
  set_default_executor(&executor);
  EXPECT_TRUE(runs_each_task_once(default_pool(), 10));
  set_default_executor(nullptr);
  EXPECT_TRUE(runs_each_task_once(default_pool(), 10));
  EXPECT_EQ(executor.calls, 1);
}

TEST(DefaultPool, HasTheThreadsItWasGiven) {
  set_default_thread_count(3);
  EXPECT_EQ(default_pool().threads(), 3);
  EXPECT_TRUE(runs_each_task_once(default_pool(), 100));
  set_default_thread_count(1);
  EXPECT_EQ(default_pool().threads(), 1);
  set_default_thread_count(0);
  EXPECT_GE(default_pool().threads(), 1);
}

TEST(Fork, ChildGetsAPoolOfItsOwn) {
  set_default_thread_count(3);
  ASSERT_TRUE(runs_each_task_once(default_pool(), 100));
  const int result = in_child([] {
    if (default_pool().threads() != 3) return 1;
    std::latch together(3);  // needs three threads; otherwise the alarm ends the child
    default_pool().parallel_for(3, [&](int64_t) { together.arrive_and_wait(); });
    // A grandchild.
    return in_child([] { return runs_each_task_once(default_pool(), 100) ? 0 : 2; });
  });
  EXPECT_EQ(result, 0);
  EXPECT_TRUE(runs_each_task_once(default_pool(), 100));
  set_default_thread_count(0);
}

TEST(Fork, ChildsCopyOfAPoolRunsInlineAndIsDestroyed) {
  auto pool = std::make_unique<ThreadPool>(3);
  ASSERT_TRUE(runs_each_task_once(*pool, 100));
  const int result = in_child([&] {
    if (pool->threads() != 1 || !runs_each_task_once(*pool, 100)) return 1;
    pool.reset();
    return 0;
  });
  EXPECT_EQ(result, 0);
  EXPECT_TRUE(runs_each_task_once(*pool, 100));
}

TEST(Fork, ChildBornInsideATaskDoesNotWaitForItsParentsWorkers) {
  ThreadPool pool(3);
  std::atomic<int> failures{0};
  std::latch together(3);
  pool.parallel_for(3, [&](int64_t) {
    together.arrive_and_wait();  // all workers run tasks while the caller forks
    if (inside_parallel_task() && in_child([] { return inside_parallel_task() ? 1 : 0; }) != 0) failures.fetch_add(1);
  });
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace hilo
