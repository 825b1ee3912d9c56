// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "hilo/base/size_class.h"

namespace hilo {
namespace {

TEST(SizeClass, HoldsItsRequestWithAtMostAnEighthUnused) {
  for (size_t bytes = 0; bytes < 100000; ++bytes) {
    const size_t held = size_class_bytes(size_class_of(bytes));
    ASSERT_GE(held, bytes);
    ASSERT_TRUE(bytes < 512 || held - bytes <= bytes / 8) << bytes << " in " << held;
    ASSERT_EQ(held % 64, 0u);
  }
}

TEST(SizeClass, IsTheLeastThatFits) {
  for (int c = 1; c < kSizeClasses; ++c) {
    const size_t bytes = size_class_bytes(c);
    ASSERT_EQ(size_class_of(bytes), c);
    ASSERT_EQ(size_class_of(size_class_bytes(c - 1) + 1), c);
    ASSERT_TRUE(bytes < kMappedBlock || bytes % (size_t{128} << 10) == 0);
  }
}

TEST(Blocks, AreAlignedAndZeroOrMappedAnew) {
  for (size_t bytes : {size_t{64}, size_t{4096}, kMappedBlock, kHugePageBlock, 3 * kHugePageBlock}) {
    void* block = get_block(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, 1, bytes);
    release_block(block, bytes);
  }
}

TEST(Blocks, BeginAtAHugePageFromFourMebibytesOn) {
  void* block = get_block(kHugePageBlock);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % (size_t{2} << 20), 0u);
  release_block(block, kHugePageBlock);
}

TEST(Blocks, AreRefusedBecauseTheMachineHasNotThatMuch) { EXPECT_EQ(get_block(size_t{1} << 46), nullptr); }

void read_byte(const std::byte* byte) {
  volatile std::byte value = *byte;
  static_cast<void>(value);
}

TEST(GuardedBuffer, TrapsTheFirstByteBehindIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (size_t bytes : {0u, 1u, 17u, 4096u, 5000u}) {
    auto* data = static_cast<std::byte*>(get_guarded(bytes, GuardSide::kEnd));
    ASSERT_NE(data, nullptr);
    for (size_t i = 0; i < bytes; ++i) ASSERT_EQ(data[i], std::byte{0xFF});
    EXPECT_DEATH(read_byte(data + bytes), "");
    release_guarded(data, bytes, GuardSide::kEnd);
  }
}

TEST(GuardedBuffer, TrapsTheLastByteBeforeIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (size_t bytes : {0u, 1u, 17u, 4096u, 5000u}) {
    auto* data = static_cast<std::byte*>(get_guarded(bytes, GuardSide::kBegin));
    ASSERT_NE(data, nullptr);
    for (size_t i = 0; i < bytes; ++i) ASSERT_EQ(data[i], std::byte{0xFF});
    EXPECT_DEATH(read_byte(data - 1), "");
    release_guarded(data, bytes, GuardSide::kBegin);
  }
}

TEST(GuardedBuffer, IsRefusedBecauseItIsTooBig) {
  EXPECT_EQ(get_guarded(SIZE_MAX, GuardSide::kEnd), nullptr);
  EXPECT_EQ(get_guarded(size_t{1} << 46, GuardSide::kEnd), nullptr);
}

TEST(SystemMemoryOf, ThisMachineIsKnown) {
  const SystemMemory memory = system_memory();
  EXPECT_GT(memory.total, 0u);
  EXPECT_GT(memory.available, 0u);
  EXPECT_LE(memory.available, memory.total);
}

TEST(OutOfMemory, NamesWhatWasWantedAndWhatIsFree) {
  const Status status = out_of_memory("broadcast 'b'", uint64_t{1} << 42);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(
      status.message().starts_with("broadcast 'b': out of memory; wanted 4.00 TiB (4398046511104 bytes); free "))
      << status.message();
}

}  // namespace
}  // namespace hilo
