// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/places.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

namespace hilo::rpc {
namespace {

constexpr Handle kX{1, 1};

class PlacesTest : public testing::Test {
 protected:
  Status set(const Place& place) { return places_.set(bytes_of(place)); }
  bool write(int64_t offset, std::string_view bytes, const Handle& buffer = kX) {
    return places_.write(
        {.buffer = buffer,
         .offset = offset,
         .bytes = Pieces({bytes.substr(0, bytes.size() / 2), bytes.substr(bytes.size() / 2)}, nullptr)});
  }
  std::string file(int64_t offset, size_t size) {
    std::string bytes(size, '?');
    EXPECT_EQ(::pread(file_.get(), bytes.data(), size, offset), std::ssize(bytes));
    return bytes;
  }

  OwnedFile file_ = *make_arena();
  Places places_{OwnedFile(::dup(file_.get()))};
};

TEST_F(PlacesTest, ChunksAreWrittenInOrderAndOnce) {
  EXPECT_FALSE(write(0, "abc"));  // unspecified
  ASSERT_TRUE(set({kX, 8192, 6}).ok());
  EXPECT_FALSE(write(3, "def"));
  EXPECT_FALSE(write(0, "abcdefg"));
  EXPECT_FALSE(write(0, ""));
  EXPECT_TRUE(write(0, "abc"));
  EXPECT_FALSE(write(0, "xyz"));  // sent again
  EXPECT_TRUE(write(3, "def"));
  EXPECT_FALSE(write(3, "xyz"));  // the array is complete, and its program may have changed it
  EXPECT_EQ(file(8190, 10), std::string("\0\0abcdef\0\0", 10));
}

TEST_F(PlacesTest, ManyPiecesAreWrittenWhole) {
  ASSERT_TRUE(set({kX, 0, 2000}).ok());
  std::string all(2000, ' ');
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>(i % 251);
  std::vector<std::string_view> parts;
  for (size_t i = 0; i < all.size(); i += 2) parts.push_back(std::string_view(all).substr(i, 2));
  EXPECT_TRUE(places_.write({.buffer = kX, .bytes = Pieces(parts, nullptr)}));
  EXPECT_EQ(file(0, 2000), all);
}

TEST_F(PlacesTest, APlaceThatEndsIsNone) {
  ASSERT_TRUE(set({kX, 0, 6}).ok());
  EXPECT_TRUE(write(0, "abc"));
  ASSERT_TRUE(set({.buffer = kX}).ok());
  EXPECT_FALSE(write(3, "def"));
}

TEST_F(PlacesTest, WhatAWorkerSaysIsNotTrusted) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const Place& bad : {Place{kX, -1, 5}, Place{kX, 0, -5}, Place{kX, kArenaBytes, 1}, Place{kX, kMost, kMost},
                           Place{kX, 0, kArenaBytes + 1}})
    EXPECT_EQ(set(bad).code(), StatusCode::kDataLoss) << bad.offset << " " << bad.size;
  EXPECT_EQ(places_.set("abc").code(), StatusCode::kDataLoss);
  for (uint64_t i = 0; i < 5000; ++i) EXPECT_TRUE(set({{2, i}, 0, 3}).ok());  // more than the limit
  EXPECT_TRUE(write(0, "abc", {2, 0}));
  EXPECT_FALSE(write(0, "abc", {2, 4999}));
}

TEST_F(PlacesTest, WithoutAFileNothingHasAPlace) {
  Places none{OwnedFile()};
  EXPECT_TRUE(none.set(bytes_of(Place{kX, 0, 3})).ok());
  EXPECT_FALSE(none.write({.buffer = kX, .bytes = Pieces("abc")}));
}

}  // namespace
}  // namespace hilo::rpc
