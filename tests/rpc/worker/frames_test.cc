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
  for (uint32_t i = 0; i < messages.size(); ++i) {
    const StatusOr<std::optional<Frame>> frame = there.read();
    ASSERT_TRUE(frame.ok() && frame->has_value()) << i;
    EXPECT_EQ((*frame)->lane, i);
    EXPECT_EQ((*frame)->message, messages[i]) << i;
  }
  EXPECT_FALSE(there.read()->has_value());
  writer.join();
  EXPECT_EQ(there.write(0, "x").code(), StatusCode::kUnavailable);
}

TEST(Frames, WhatIsNoFrameIsAnError) {
  const auto read_after = [](const std::string& bytes) {
    SocketPair pair = *make_socket_pair();
    EXPECT_EQ(::send(pair.here.get(), bytes.data(), bytes.size(), 0), std::ssize(bytes));
    pair.here = OwnedFile();
    FrameSocket there(std::move(pair.there));
    return there.read().status().to_string();
  };
  EXPECT_EQ(read_after("abc"), "DATA_LOSS: the last frame is cut off");
  EXPECT_EQ(read_after(std::string("\3\0\0\0\0\0\0\0ab", 10)), "DATA_LOSS: the last frame is cut off");
  EXPECT_EQ(read_after(std::string(8, '\xff')),
            "DATA_LOSS: a frame of 4294967295 bytes; a message has at most 67108864");
}

}  // namespace
}  // namespace hilo::rpc
