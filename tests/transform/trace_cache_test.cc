// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/trace_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace hilo {
namespace {

struct Entry : TraceCacheEntry {
  Entry(int key, std::atomic<int>& living) : key(key), living(living) { ++living; }
  ~Entry() { --living; }
  int key;
  std::atomic<int>& living;
};

class TraceCacheTest : public testing::Test {
 protected:
  void add(int key) { cache_.add(std::make_shared<Entry>(key, living_), 100); }
  Entry* recent(int key) {
    return cache_.find_recent([key](const Entry& entry) { return entry.key == key; });
  }
  bool holds(int key) {
    return cache_.find([key](const Entry& entry) { return entry.key == key; }) != nullptr;
  }

  std::atomic<int> living_{0};
  TraceCache<Entry> cache_{6};
};

TEST_F(TraceCacheTest, LastEntriesAreReadWithoutTheLock) {
  for (int key = 0; key < 4; ++key) add(key);
  cache_.begin_reading();
  for (int key = 0; key < 4; ++key) EXPECT_EQ(recent(key)->key, key);
  EXPECT_EQ(recent(4), nullptr);
  cache_.end_reading();
}

TEST_F(TraceCacheTest, AFoundEntryBecomesRecent) {
  for (int key = 0; key < 6; ++key) add(key);
  cache_.begin_reading();
  EXPECT_EQ(recent(0), nullptr);
  EXPECT_TRUE(holds(0));
  EXPECT_NE(recent(0), nullptr);
  cache_.end_reading();
}

TEST_F(TraceCacheTest, AnEntryLivesUntilTheLastReaderEnds) {
  add(1);
  cache_.begin_reading();
  cache_.begin_reading();
  const Entry* const entry = recent(1);
  cache_.clear();
  EXPECT_EQ(recent(1), nullptr);
  EXPECT_FALSE(holds(1));
  EXPECT_EQ(entry->key, 1);
  cache_.end_reading();
  EXPECT_EQ(living_, 1);
  cache_.end_reading();
  EXPECT_EQ(living_, 0);
}

TEST_F(TraceCacheTest, WithoutReadersEntriesEndAtOnce) {
  add(1);
  cache_.clear();
  EXPECT_EQ(living_, 0);
}

TEST_F(TraceCacheTest, ReadsCountAsUses) {
  for (int key = 0; key < 4; ++key) add(key);
  cache_.begin_reading();
  EXPECT_NE(recent(0), nullptr);
  cache_.end_reading();
  add(4);  // 0 isn't recent any more
  cache_.drop_oldest();
  EXPECT_TRUE(holds(1));
}

TEST_F(TraceCacheTest, ReadersAndClearsRace) {
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  const auto read = [&] {
    while (!done) {
      cache_.begin_reading();
      const Entry* const entry = recent(1);
      if (entry != nullptr && entry->key != 1) ++wrong;
      cache_.end_reading();
    }
  };
  std::thread one(read), two(read);
  for (int i = 0; i < 2000; ++i) {
    add(1);
    cache_.clear();
  }
  done = true;
  one.join();
  two.join();
  cache_.begin_reading();
  cache_.end_reading();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(living_, 0);
}

}  // namespace
}  // namespace hilo
