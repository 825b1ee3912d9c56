// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/worker/arena.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <set>

namespace hilo::rpc {
namespace {

int64_t bytes_in(int file) {
  struct stat about{};
  EXPECT_EQ(::fstat(file, &about), 0);
  return about.st_blocks * 512;
}

class ArenaTest : public testing::Test {
 protected:
  OwnedFile file_ = *make_arena();
  std::vector<Place> told_;
  std::shared_ptr<Arena> arena_ =
      Arena::make(OwnedFile(::dup(file_.get())), [this](const Place& place) { told_.push_back(place); });
};

TEST_F(ArenaTest, ItsFileKeepsItsSize) {
  EXPECT_NE(::ftruncate(file_.get(), 1), 0);
  EXPECT_NE(::ftruncate(file_.get(), kArenaBytes + 1), 0);
  EXPECT_EQ(bytes_in(file_.get()), 0);
}

TEST_F(ArenaTest, WhatIsWrittenToAPlaceIsInTheRoom) {
  const UploadMemory room = *arena_->allocate({1, 1}, 10000);
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].buffer, (Handle{1, 1}));
  EXPECT_EQ(told_[0].size, 10000);
  const std::string bytes(10000, 'x');
  EXPECT_EQ(::pwrite(file_.get(), bytes.data(), bytes.size(), told_[0].offset), std::ssize(bytes));
  EXPECT_EQ(std::memcmp(room.data, bytes.data(), bytes.size()), 0);
  const Request chunk = *arena_->chunk_at({.id = 3, .acked = 2, .buffer = {1, 1}, .offset = 9990, .size = 10});
  EXPECT_EQ(chunk.id, 3);
  EXPECT_EQ(chunk.acked, 2);
  EXPECT_EQ(std::get<Chunk>(chunk.body).offset, 9990);
  EXPECT_EQ(std::get<Chunk>(chunk.body).bytes.parts.at(0).data(), reinterpret_cast<const char*>(room.data) + 9990);
}

TEST_F(ArenaTest, WhatLiesOutsideOfARoomIsNoChunk) {
  const UploadMemory room = *arena_->allocate({1, 1}, 10000);
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const Placed& bad : {Placed{.buffer = {1, 2}, .size = 1}, Placed{.buffer = {1, 1}, .offset = 9999, .size = 2},
                            Placed{.buffer = {1, 1}, .offset = -1, .size = 1}, Placed{.buffer = {1, 1}, .size = -1},
                            Placed{.buffer = {1, 1}, .offset = kMost, .size = kMost}})
    EXPECT_EQ(arena_->chunk_at(bad).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(arena_->allocate({1, 1}, 1).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(arena_->allocate({1, 3}, kArenaBytes).status().code(), StatusCode::kResourceExhausted);
}

TEST_F(ArenaTest, RoomsAreApartAndTheirMemoryGoesWithThem) {
  constexpr int64_t kLarge = int64_t{80} << 20;  // exceeds the cache
  std::set<int64_t> offsets;
  for (int round = 0; round < 3; ++round) {
    const UploadMemory a = *arena_->allocate({2, 1}, kLarge), b = *arena_->allocate({2, 2}, kLarge + 1);
    const Place first = told_[told_.size() - 2], second = told_.back();
    EXPECT_GE(std::abs(first.offset - second.offset), kLarge);
    offsets.insert({first.offset, second.offset});
    std::memset(a.data, round + 1, 1 << 20);
    std::memset(b.data, round + 9, 1 << 20);
    EXPECT_EQ(a.data[100], static_cast<std::byte>(round + 1));
    EXPECT_GE(bytes_in(file_.get()), 2 << 20);
  }
  EXPECT_EQ(bytes_in(file_.get()), 0);
  EXPECT_EQ(offsets.size(), 2u);  // the file's space is reused
  EXPECT_EQ(told_.size(), 12u);   // two more for each removed one
  EXPECT_EQ(told_.back().size, 0);
}

TEST_F(ArenaTest, ASmallRoomIsUsedAgainForTheNextOfItsSize) {
  const std::byte* const data = arena_->allocate({3, 1}, 70000)->data;
  const UploadMemory again = *arena_->allocate({3, 2}, 70001), other = *arena_->allocate({3, 3}, 170000);
  EXPECT_EQ(again.data, data);
  EXPECT_NE(other.data, data);
}

TEST_F(ArenaTest, OutlivesItsWorkerWhileSomebodyHasARoom) {
  const UploadMemory room = *arena_->allocate({4, 1}, 100);
  arena_->close();
  arena_.reset();
  room.data[99] = std::byte{7};
  EXPECT_EQ(told_.size(), 1u);
}

TEST(Places, AreReadBackAsTheyWereWritten) {
  const Place place{{1, 2}, 3, 4};
  EXPECT_EQ(place_of(bytes_of(place))->offset, 3);
  EXPECT_EQ(placed_of(bytes_of(Placed{.id = 1, .size = 9}))->size, 9);
  EXPECT_EQ(place_of("abc").status().to_string(), "DATA_LOSS: a place of 3 bytes; wanted 32");
  EXPECT_EQ(placed_of(bytes_of(place)).status().code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace hilo::rpc
