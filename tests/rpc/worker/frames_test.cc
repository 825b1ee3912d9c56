// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/worker/frames.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "hilo/rpc/messages.h"

namespace hilo::rpc {
namespace {

TEST(Frames, ComeInOrderWhateverTheirSize) {
  SocketPair pair = *make_socket_pair();
  FrameSocket here(std::move(pair.here)), there(std::move(pair.there));
  std::vector<std::string> messages;
  for (const size_t size : {0u, 1u, 7u, 65528u, 65536u, 65537u, 3000000u, 2u, 0u}) {
    messages.emplace_back(size, static_cast<char>('a' + messages.size()));
  }
  std::thread writer([&] {
    for (uint32_t i = 0; i < messages.size(); ++i) EXPECT_TRUE(here.write(i, messages[i]).ok());
    here.shut_down();
  });
  Frame frame;
  for (uint32_t i = 0; i < messages.size(); ++i) {
    ASSERT_TRUE(*there.read(frame)) << i;
    EXPECT_EQ(frame.lane, i);
    EXPECT_EQ(frame.message, messages[i]) << i;
  }
  EXPECT_FALSE(*there.read(frame));
  writer.join();
  EXPECT_EQ(there.write(0, "x").code(), StatusCode::kUnavailable);
}

TEST(Frames, WhatIsNoFrameIsAnError) {
  const auto read_after = [](const std::string& bytes) {
    SocketPair pair = *make_socket_pair();
    EXPECT_EQ(::send(pair.here.get(), bytes.data(), bytes.size(), 0), std::ssize(bytes));
    pair.here = OwnedFile();
    FrameSocket there(std::move(pair.there));
    Frame frame;
    return there.read(frame).status().to_string();
  };
  EXPECT_EQ(read_after("abc"), "DATA_LOSS: the last frame is cut off");
  EXPECT_EQ(read_after(std::string("\3\0\0\0\0\0\0\0ab", 10)), "DATA_LOSS: the last frame is cut off");
  EXPECT_EQ(read_after(std::string(8, '\xff')), "DATA_LOSS: a frame of 4294967295 bytes; wanted at most 68157440");
}

TEST(Frames, ComeInPiecesAndWhatHasNoRoomComesLater) {
  SocketPair pair = *make_socket_pair();
  FrameSocket here(std::move(pair.here)), there(std::move(pair.there));
  const std::string large(3000000, 'x');
  const std::vector<std::string_view> parts = {"ab", "", large, "yz"};
  const StatusOr<std::string> rest = here.write_some(1, parts);
  ASSERT_TRUE(rest.ok());
  EXPECT_GT(rest->size(), 0u);
  EXPECT_LT(rest->size(), large.size() + 8);
  std::thread writer([&] {
    EXPECT_TRUE(here.write_rest(*rest).ok());
    EXPECT_TRUE(here.write(0, parts).ok());
    here.shut_down();
  });
  Frame frame;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(*there.read(frame));
    EXPECT_EQ(frame.lane, i == 0 ? 1u : 0u);
    EXPECT_EQ(frame.message, "ab" + large + "yz");
  }
  writer.join();
}

}  // namespace
}  // namespace hilo::rpc
