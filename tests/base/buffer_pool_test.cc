// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/buffer_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "hilo/base/memory.h"
#include "hilo/base/size_class.h"
#include "tests/support/in_child.h"

namespace hilo {
namespace {

// Empties the pool and resets its limit before and after each test.
class BufferPool : public ::testing::Test {
 protected:
  BufferPool() { trim_buffers(); }
  ~BufferPool() override {
    set_buffer_cache_limit(size_t{1} << 40);
    trim_buffers();
  }
};

AlignedBuffer get(size_t bytes) {
  StatusOr<AlignedBuffer> buffer = allocate_buffer(bytes);
  EXPECT_TRUE(buffer.ok()) << buffer.status().to_string();
  return buffer.ok() ? *std::move(buffer) : AlignedBuffer();
}

TEST_F(BufferPool, GivesAlignedWritableMemoryOfTheSizeAskedFor) {
  for (size_t bytes : {0u, 1u, 63u, 64u, 65u, 513u, 65536u, 65537u, 1u << 20, (1u << 20) + 1, 5u << 20}) {
    AlignedBuffer buffer = get(bytes);
    ASSERT_NE(buffer.data(), nullptr);
    EXPECT_EQ(buffer.size(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % kBufferAlignment, 0u);
    std::memset(buffer.data(), 0x5a, bytes);
  }
}

TEST_F(BufferPool, MovingLeavesNothingBehind) {
  AlignedBuffer a = get(100);
  std::byte* data = a.data();
  AlignedBuffer b = std::move(a);
  EXPECT_EQ(a.data(), nullptr);  // NOLINT: the state after a move is defined here
  EXPECT_EQ(b.data(), data);
  b = get(200);
  EXPECT_EQ(b.size(), 200u);
  EXPECT_EQ(AlignedBuffer().data(), nullptr);
}

TEST_F(BufferPool, CountsLiveBuffers) {
  const BufferStatistics before = buffer_statistics();
  {
    AlignedBuffer a = get(1000), b = get(3 << 20);
    const BufferStatistics now = buffer_statistics();
    EXPECT_EQ(now.live_buffers - before.live_buffers, 2);
    EXPECT_GE(now.live_bytes - before.live_bytes, 1000 + (3 << 20));
  }
  EXPECT_EQ(buffer_statistics().live_buffers, before.live_buffers);
  EXPECT_EQ(buffer_statistics().live_bytes, before.live_bytes);
}

TEST_F(BufferPool, RefusesWhatTheMachineDoesNotHave) {
  for (size_t bytes : {size_t{1} << 46, kMaxSizeClass + 1, SIZE_MAX}) {
    const StatusOr<AlignedBuffer> buffer = allocate_buffer(bytes);
    ASSERT_FALSE(buffer.ok());
    EXPECT_EQ(buffer.status().code(), StatusCode::kResourceExhausted);
    EXPECT_NE(buffer.status().message().find("(" + std::to_string(bytes) + " bytes); free "), std::string::npos)
        << buffer.status().message();
  }
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // sanitizers map terabytes themselves
TEST_F(BufferPool, SaysSoWhenTheAddressSpaceIsFull) {
  EXPECT_EQ(in_child([] {
              const rlimit limit = {size_t{1} << 30, size_t{1} << 30};
              ::setrlimit(RLIMIT_AS, &limit);
              std::vector<AlignedBuffer> all;
              for (int i = 0; i < 100; ++i) {
                StatusOr<AlignedBuffer> buffer = allocate_buffer(size_t{100} << 20);
                if (buffer.ok()) {
                  all.push_back(*std::move(buffer));
                  continue;
                }
                const std::string_view text = buffer.status().message();
                const bool said =
                    text.starts_with("buffer: out of memory; wanted 100.00 MiB (104857600 bytes); free ") &&
                    text.ends_with("; the process's address space is limited to 1.00 GiB");
                all.clear();  // then memory is available again
                return said && allocate_buffer(size_t{100} << 20).ok() ? 0 : 1;
              }
              return 2;
            }),
            0);
}

TEST_F(BufferPool, LetsGoOfWhatItKeepsBeforeItGivesUp) {
  EXPECT_EQ(in_child([] {
              const rlimit limit = {size_t{1} << 30, size_t{1} << 30};
              ::setrlimit(RLIMIT_AS, &limit);
              { AlignedBuffer kept = get(size_t{500} << 20); }
              // A different size fits only if the cached block is unmapped.
              return allocate_buffer(size_t{600} << 20).ok() ? 0 : 1;
            }),
            0);
}
#endif

TEST_F(BufferPool, WorksInAForkChild) {
  AlignedBuffer mine = get(1000);
  EXPECT_EQ(in_child([&] {
              AlignedBuffer other = get(1000);
              std::memset(other.data(), 1, other.size());
              mine = AlignedBuffer();
              return other.data() != nullptr ? 0 : 1;
            }),
            0);
  std::memset(mine.data(), 2, mine.size());
}

TEST_F(BufferPool, StressOnManyThreadsEndsWithNoLiveBuffers) {
  const BufferStatistics before = buffer_statistics();
  // Each thread frees buffers that others allocated.
  std::mutex mutex;
  std::vector<AlignedBuffer> shared;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::minstd_rand random(t + 1);
      for (int i = 0; i < 3000; ++i) {
        AlignedBuffer buffer = get(random() % (i % 100 == 0 ? 2000000 : 3000));
        std::memset(buffer.data(), static_cast<int>(t), buffer.size());
        const bool intact = std::all_of(buffer.data(), buffer.data() + buffer.size(),
                                        [t](std::byte b) { return b == static_cast<std::byte>(t); });
        EXPECT_TRUE(intact);
        if (i % 500 == 0) trim_buffers();
        std::lock_guard lock(mutex);
        shared.push_back(std::move(buffer));
        std::swap(shared[random() % shared.size()], shared.back());
        if (shared.size() > 50) shared.pop_back();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  shared.clear();
  EXPECT_EQ(buffer_statistics().live_buffers, before.live_buffers);
  EXPECT_EQ(buffer_statistics().live_bytes, before.live_bytes);
}

#if defined(HILO_GUARD_PAGES) && HILO_GUARD_PAGES

TEST_F(BufferPool, EveryBufferIsFreshAndPoisoned) {
  for (int round = 0; round < 3; ++round) {
    AlignedBuffer buffer = get(100);
    for (size_t i = 0; i < 100; ++i) ASSERT_EQ(buffer.data()[i], std::byte{0xFF});
    std::memset(buffer.data(), 0, 100);
  }
}

TEST_F(BufferPool, TouchingTheGuardPageEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  AlignedBuffer buffer = get(100);
  std::byte* bad = guard_side() == GuardSide::kEnd ? buffer.data() + 100 : buffer.data() - 1;
  EXPECT_DEATH(*const_cast<volatile std::byte*>(bad) = std::byte{1}, "");
}

#else

TEST_F(BufferPool, HandsTheSameMemoryOutAgain) {
  for (size_t bytes : {size_t{1}, size_t{1000}, size_t{100000}, size_t{3} << 20, size_t{9} << 20}) {
    std::byte* data = get(bytes).data();
    const BufferStatistics before = buffer_statistics();
    EXPECT_EQ(get(bytes).data(), data);
    EXPECT_EQ(buffer_statistics().hits - before.hits, 1);
    EXPECT_EQ(buffer_statistics().misses, before.misses);
  }
}

TEST_F(BufferPool, MemoryOfAThreadThatEndedIsUsedAgain) {
  std::byte* data = nullptr;
  std::thread([&] { data = get(1000).data(); }).join();
  EXPECT_EQ(get(1000).data(), data);
}

TEST_F(BufferPool, KeepsNoMoreThanItsLimitAndDropsTheOldestSizeFirst) {
  set_buffer_cache_limit(size_t{8} << 20);
  std::byte* newer = nullptr;
  {
    AlignedBuffer a = get(size_t{5} << 20), b = get(size_t{6} << 20);
    newer = b.data();
    a = AlignedBuffer();
    EXPECT_EQ(buffer_statistics().cached_bytes, 5 << 20);
  }
  EXPECT_EQ(buffer_statistics().cached_bytes, 6 << 20);
  EXPECT_EQ(get(size_t{6} << 20).data(), newer);
}

TEST_F(BufferPool, KeepsNothingLargeAtLimitZero) {
  set_buffer_cache_limit(0);
  { AlignedBuffer a = get(size_t{1} << 20); }
  EXPECT_EQ(buffer_statistics().cached_bytes, 0);
}

TEST_F(BufferPool, TrimReturnsWhatIsUnused) {
  { AlignedBuffer a = get(100), b = get(100000), c = get(size_t{5} << 20); }
  EXPECT_GE(buffer_statistics().cached_bytes, 100 + 100000 + (5 << 20));
  trim_buffers();
  EXPECT_EQ(buffer_statistics().cached_bytes, 0);
}

TEST_F(BufferPool, ThreadKeepsOnlySoManySmallBlocks) {
  {
    std::vector<AlignedBuffer> many;
    for (int i = 0; i < 100; ++i) many.push_back(get(64 << 10));
  }
  EXPECT_EQ(buffer_statistics().cached_bytes, 100 * (64 << 10));  // two cached by the thread, the others by the pool
}

// Destroyed after the thread's cache, because it is constructed before it.
struct Late {
  AlignedBuffer buffer;
};

TEST_F(BufferPool, BuffersMayDieAfterTheThreadsCache) {
  const BufferStatistics before = buffer_statistics();
  std::thread([] {
    thread_local Late late;
    late.buffer = get(1000);
  }).join();
  EXPECT_EQ(buffer_statistics().live_buffers, before.live_buffers);
}

#endif

}  // namespace
}  // namespace hilo
