// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/memoize.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "hilo/base/flags.h"

namespace hilo {
namespace {

TEST(MemoizeThunk, RunsOnceForAllThreads) {
  constexpr int kThreads = 8;
  std::atomic<int> runs{0};
  std::barrier together(kThreads);
  auto thunk = memoize_thunk([&] { return ++runs; });
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      together.arrive_and_wait();
      EXPECT_EQ(thunk(), 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(runs, 1);
}

TEST(MemoizeThunk, OthersWaitWhileItRuns) {
  std::atomic<bool> entered{false}, may_end{false};
  auto thunk = memoize_thunk([&] {
    entered = true;
    entered.notify_all();
    may_end.wait(false);
    return 7;
  });
  std::thread first([&] { EXPECT_EQ(thunk(), 7); });
  entered.wait(false);
  std::atomic<int> got{0};
  std::thread second([&] { got = thunk(); });
  EXPECT_EQ(got, 0);  // the function is still running, so its result doesn't exist
  may_end = true;
  may_end.notify_all();
  first.join();
  second.join();
  EXPECT_EQ(got, 7);
}

TEST(MemoizeThunk, KeepsANullResult) {
  int runs = 0;
  auto thunk = memoize_thunk([&]() -> std::shared_ptr<int> {
    ++runs;
    return nullptr;
  });
  EXPECT_EQ(thunk(), nullptr);
  EXPECT_EQ(thunk(), nullptr);
  EXPECT_EQ(runs, 1);
}

TEST(MemoizeThunk, KeepsNothingOfACallThatReturnsAnError) {
  int runs = 0;
  auto thunk = memoize_thunk([&]() -> StatusOr<int> {
    if (++runs < 3) return unavailable("not yet");
    return 5;
  });
  EXPECT_EQ(thunk().status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(thunk().status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(*thunk(), 5);
  EXPECT_EQ(*thunk(), 5);
  EXPECT_EQ(runs, 3);
}

TEST(MemoizeThunk, KeepsNothingOfACallThatThrows) {
  int runs = 0;
  auto thunk = memoize_thunk([&] {
    if (++runs == 1) throw std::runtime_error("not yet");
    return 5;
  });
  EXPECT_THROW(thunk(), std::runtime_error);
  EXPECT_EQ(thunk(), 5);
  EXPECT_EQ(thunk(), 5);
  EXPECT_EQ(runs, 2);
}

class Memoize : public testing::Test {
 protected:
  void TearDown() override { reset_flags(); }
};

TEST_F(Memoize, KeysAreAllArgumentsByValue) {
  int runs = 0;
  auto f = memoize([&](const std::vector<int>& numbers, const std::string& name, std::optional<int> extra) {
    ++runs;
    return static_cast<int>(numbers.size()) * 100 + static_cast<int>(name.size()) * 10 + extra.value_or(0);
  });
  std::vector<int> numbers = {1, 2};
  EXPECT_EQ(f(numbers, "abc", 4), 234);
  EXPECT_EQ(f(std::vector<int>{1, 2}, std::string("abc"), 4), 234);  // other objects with equal values
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(f(numbers, "abc", std::nullopt), 230);
  EXPECT_EQ(f(numbers, "ab", 4), 224);
  numbers.push_back(3);  // the key stored a copy
  EXPECT_EQ(f(numbers, "abc", 4), 334);
  EXPECT_EQ(f({1, 2}, "abc", 4), 234);
  EXPECT_EQ(runs, 4);
}

TEST_F(Memoize, X64IsPartOfTheKey) {
  int runs = 0;
  auto f = memoize([&](int x) { return ++runs * 10 + x; });
  EXPECT_EQ(f(1), 11);
  ASSERT_TRUE(config().update("jax_enable_x64", true).ok());
  EXPECT_EQ(f(1), 21);
  ASSERT_TRUE(config().update("jax_enable_x64", false).ok());
  EXPECT_EQ(f(1), 11);
  EXPECT_EQ(f.cache_info().current_size, 2);
}

TEST_F(Memoize, CacheInfoCountsHits) {
  auto f = memoize([](int x) { return x; });
  EXPECT_EQ(f.cache_info(), (CacheInfo{0, 0, 4096, 0}));
  f(1);
  f(1);
  f(2);
  f(1);
  EXPECT_EQ(f.cache_info(), (CacheInfo{2, 2, 4096, 2}));
}

TEST_F(Memoize, ErrorsAreNotKept) {
  int runs = 0;
  auto f = memoize([&](int x) -> StatusOr<int> {
    if (++runs == 1) return unavailable("not yet");
    return x;
  });
  EXPECT_FALSE(f(1).ok());
  EXPECT_EQ(f.cache_info().current_size, 0);
  EXPECT_EQ(*f(1), 1);
  EXPECT_EQ(*f(1), 1);
  EXPECT_EQ(runs, 2);
}

TEST_F(Memoize, TheLeastRecentlyUsedOf4096GoesFirst) {
  int runs = 0;
  auto f = memoize([&](int x) {
    ++runs;
    return x;
  });
  for (int i = 0; i < 4096; ++i) f(i);
  f(0);     // used again, so 1 is the oldest entry
  f(4096);  // one above the limit
  EXPECT_EQ(f.cache_info().current_size, 4096);
  EXPECT_EQ(runs, 4097);
  f(0);
  EXPECT_EQ(runs, 4097);
  f(1);
  EXPECT_EQ(runs, 4098);
}

TEST_F(Memoize, ClearCachesForgetsAllButThunks) {
  int runs = 0, thunk_runs = 0;
  auto f = memoize([&](int x) { return ++runs * 0 + x; });
  auto g = memoize([&](const std::string& s) { return static_cast<int>(s.size()) + ++runs * 0; });
  auto thunk = memoize_thunk([&] { return ++thunk_runs; });
  f(1);
  g("a");
  thunk();
  clear_caches();
  EXPECT_EQ(f.cache_info(), (CacheInfo{0, 0, 4096, 0}));
  f(1);
  g("a");
  thunk();
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(thunk_runs, 1);
}

/// A value that reports its number of bytes.
struct Held {
  int64_t bytes;
};
int64_t held_bytes(const Held& held) { return held.bytes; }

template <typename Value>
using Table = MemoTable<int, Value, std::hash<int>>;

TEST_F(Memoize, AllCachesTogetherKeepTheLimitAndTheOldestGoesFirst) {
  clear_caches();
  ASSERT_TRUE(config().update("hilo_cache_bytes", 10000).ok());
  Table<Held> first, second;
  first.insert(0, {3000});
  second.insert(0, {3000});
  first.insert(1, {3000});
  EXPECT_TRUE(first.find(0));  // used again, so the second table's entry is the oldest
  second.insert(1, {3000});
  EXPECT_FALSE(second.find(0));
  EXPECT_TRUE(first.find(0) && first.find(1) && second.find(1));
  EXPECT_LE(kept_cache_bytes(), 10000);
  EXPECT_GT(kept_cache_bytes(), 9000);
  first.clear();
  second.clear();
  ASSERT_TRUE(config().clear("hilo_cache_bytes").ok());
}

TEST_F(Memoize, ValueBeyondTheLimitIsGivenAndNotKept) {
  ASSERT_TRUE(config().update("hilo_cache_bytes", 1000).ok());
  Table<Held> table;
  EXPECT_EQ(table.insert(0, {5000}).bytes, 5000);
  EXPECT_FALSE(table.find(0));
  ASSERT_TRUE(config().clear("hilo_cache_bytes").ok());
}

TEST_F(Memoize, BytesAreThoseThatAreKept) {
  const int64_t before = kept_cache_bytes();
  {
    Table<Held> table(2);
    table.insert(0, {100});
    table.insert(0, {900});  // an entry with this key exists
    const int64_t one = kept_cache_bytes() - before;
    EXPECT_GE(one, 100);
    EXPECT_LT(one, 900);
    table.insert(1, {100});
    table.insert(2, {100});  // one above the limit
    EXPECT_EQ(kept_cache_bytes() - before, 2 * one);
    table.clear();
    EXPECT_EQ(kept_cache_bytes(), before);
    table.insert(3, {100});
  }
  EXPECT_EQ(kept_cache_bytes(), before);
}

TEST_F(Memoize, CacheMayDieWithAnEntryOfAnother) {
  Table<std::shared_ptr<Table<int>>> outer;
  for (int i = 0; i < 4; ++i) outer.insert(i, std::make_shared<Table<int>>())->insert(i, i);
  clear_caches();
  EXPECT_EQ(outer.info().current_size, 0);
}

TEST_F(Memoize, ThreadsThatMissTogetherGetOneResult) {
  constexpr int kThreads = 4;
  std::barrier together(kThreads);
  auto f = memoize([](int x) { return std::make_shared<int>(x); });
  std::vector<std::shared_ptr<int>> got(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      together.arrive_and_wait();
      got[static_cast<size_t>(t)] = f(3);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : got) EXPECT_EQ(result, f(3));
}

}  // namespace
}  // namespace hilo
