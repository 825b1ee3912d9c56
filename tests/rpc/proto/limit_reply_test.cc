// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/proto/limit_reply.h"

#include <gtest/gtest.h>

#include "hilo/rpc/proto/codec.h"

namespace hilo::rpc {
namespace {

std::optional<Status> limit_of_reply(const Status& status, int64_t id = 7) {
  Reply reply{.id = id};
  reply.status = status;
  return limit_of(encode(reply));
}

TEST(LimitReply, IsSeenWithItsText) {
  for (const StatusCode code : {StatusCode::kResourceExhausted, StatusCode::kDeadlineExceeded}) {
    EXPECT_EQ(limit_of_reply(Status(code, "quota: 3 of 2"))->to_string(), Status(code, "quota: 3 of 2").to_string());
    EXPECT_EQ(limit_of_reply(Status(code, ""), 0)->code(), code);
    EXPECT_EQ(limit_of_reply(Status(code, "x"), int64_t{1} << 62)->code(), code);
  }
}

TEST(LimitReply, OtherRepliesAreNone) {
  EXPECT_FALSE(limit_of_reply(ok_status()));
  EXPECT_FALSE(limit_of_reply(invalid_argument("quota: 3 of 2")));
  Reply bytes{.id = 3};
  bytes.body = BytesReply{.bytes = Pieces(std::string(1000, 'x'))};
  EXPECT_FALSE(limit_of(encode(bytes)));
}

TEST(LimitReply, NoBytesBreakIt) {
  Reply reply{.id = 7};
  reply.status = resource_exhausted("quota: 3 of 2");
  const std::string whole = encode(reply);
  for (size_t size = 0; size <= whole.size(); ++size) static_cast<void>(limit_of(whole.substr(0, size)));
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string bad = whole;
      bad[at] = static_cast<char>(byte);
      static_cast<void>(limit_of(bad));
    }
  }
}

}  // namespace
}  // namespace hilo::rpc
