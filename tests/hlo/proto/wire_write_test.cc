// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "hilo/hlo/proto/wire.h"

namespace hilo::hlo::proto {
namespace {

using namespace std::string_literals;

TEST(WireWriter, LeavesOutTheFormatsDefault) {
  WireWriter out;
  out.integer(1, 0);
  out.boolean(2, false);
  out.real(3, 0.0f);
  out.real64(4, 0.0);
  out.text(5, "");
  out.integers(6, {});
  EXPECT_TRUE(out.empty());
}

TEST(WireWriter, WritesItemsAndMessagesThoughTheyAreEmpty) {
  WireWriter out;
  out.item(1, 0);
  out.bytes(2, "");
  out.message(3, WireWriter());
  EXPECT_EQ(out.view(), "\x08\0\x12\0\x1a\0"s);
}

TEST(WireWriter, WritesNumbersAsTheWireHasThem) {
  WireWriter out;
  out.integer(1, 300);
  out.integer(16, -1);
  out.real(2, 1.0f);
  out.real64(3, -2.0);
  const std::vector<int64_t> list = {1, 128};
  out.integers(4, list);
  EXPECT_EQ(
      out.view(),
      "\x08\xac\x02\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x15\0\0\x80\x3f\x19\0\0\0\0\0\0\0\xc0\x22\3\1\x80\1"s);
}

TEST(WireWriter, MinusZeroAndNanAreNoDefault) {
  WireWriter out;
  out.real(1, -0.0f);
  out.real64(2, std::nan(""));
  const WireMessage message = WireMessage::read(out.view(), "M").value();
  EXPECT_TRUE(std::signbit(message.real(1).value()));
  EXPECT_TRUE(std::isnan(message.real64(2).value()));
}

TEST(Utf8, ReplacesBytesThatAreNone) {
  EXPECT_EQ(utf8("a\u00e9\u4e2d\U0001f600"), "a\u00e9\u4e2d\U0001f600");
  EXPECT_EQ(utf8(""), "");
  EXPECT_EQ(utf8("a\xff\xc3"), "a??");
  EXPECT_EQ(utf8("\xc0\x80"), "??");            // overlong encoding
  EXPECT_EQ(utf8("\xed\xa0\x80"), "???");       // half of a UTF-16 surrogate pair
  EXPECT_EQ(utf8("\xf4\x90\x80\x80"), "????");  // above the last code point
}

}  // namespace
}  // namespace hilo::hlo::proto
