// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/address.h"

#include <gtest/gtest.h>

namespace hilo::rpc {
namespace {

std::string text_of(const std::string& listen) {
  StatusOr<Address> address = resolve(listen);
  return address.ok() ? peer_text(*address) : address.status().to_string();
}

TEST(Address, IsReadAndWritten) {
  EXPECT_EQ(text_of("127.0.0.1:8470"), "ipv4:127.0.0.1:8470");
  EXPECT_EQ(text_of("[::1]:1"), "ipv6:[::1]:1");
  EXPECT_EQ(text_of("[::ffff:127.0.0.1]:2"), "ipv4:127.0.0.1:2");  // an IPv4 address on an IPv6 socket
}

TEST(Address, ThatNobodyHasIsAnError) {
  EXPECT_TRUE(text_of("127.0.0.1:here").starts_with("UNAVAILABLE: 127.0.0.1:here: ")) << text_of("127.0.0.1:here");
}

TEST(Address, LosesWhatGrpcEscapes) {
  EXPECT_EQ(unescaped("ipv6:%5B::1%5D:1234"), "ipv6:[::1]:1234");
  EXPECT_EQ(unescaped("ipv4:127.0.0.1:1"), "ipv4:127.0.0.1:1");
}

}  // namespace
}  // namespace hilo::rpc
