// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/wire.h"

#include <gtest/gtest.h>

namespace hilo::hlo::proto {
namespace {

using namespace std::string_literals;

TEST(Varint, TakesUpToTenBytesAndNoMore) {
  const auto value_of = [](const std::string& bytes) {
    size_t position = 0;
    uint64_t value = 0;
    return take_varint(bytes, position, value) && position == bytes.size() ? static_cast<int64_t>(value) : -2;
  };
  EXPECT_EQ(value_of("\x07"), 7);
  EXPECT_EQ(value_of("\xac\x02"), 300);
  EXPECT_EQ(value_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), -1);
  EXPECT_EQ(value_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), -2);
  EXPECT_EQ(value_of("\x80"), -2);
  EXPECT_EQ(value_of(""), -2);
}

TEST(WireReader, ReadsTheFourWireTypesInOrder) {
  const std::string message = "\x08\x05\x11\1\0\0\0\0\0\0\0\x1a\2ab\x25\2\0\0\0"s;
  WireReader reader(message, "M");
  std::string seen;
  WireField field;
  while (!reader.at_end()) {
    ASSERT_TRUE(reader.next(field).ok());
    seen += std::to_string(field.number) + ":" + std::to_string(field.value) + std::string(field.bytes) + " ";
  }
  EXPECT_EQ(seen, "1:5 2:1 3:0ab 4:2 ");
}

TEST(WireReader, SaysWhatIsNoField) {
  const auto error_of = [](const std::string& bytes) { return WireMessage::read(bytes, "M").status().to_string(); };
  EXPECT_EQ(error_of("\x80"), "INVALID_ARGUMENT: M: byte 0: not a field tag");
  EXPECT_EQ(error_of("\x00"s), "INVALID_ARGUMENT: M: byte 0: 0 is not a field number");
  EXPECT_EQ(error_of("\x08\x01\x0b"), "INVALID_ARGUMENT: M: field 1 at byte 2: wire type 3 is unknown");
  EXPECT_EQ(error_of("\x0d\x01"), "INVALID_ARGUMENT: M: field 1 at byte 0: the fixed32 is truncated");
  EXPECT_EQ(error_of("\x0a\x05xy"), "INVALID_ARGUMENT: M: field 1 at byte 0: length 5 exceeds the 2 bytes present");
}

TEST(WireMessage, TheLastOfSeveralFieldsCountsAndMessagesAddUp) {
  const WireMessage message = WireMessage::read("\x08\x01\x08\x02\x12\x02\x08\x03\x12\x02\x10\x04", "M").value();
  EXPECT_EQ(message.integer(1).value(), 2);
  EXPECT_EQ(message.count(1), 2u);
  const WireMessage inner = message.message(2, "Inner").value();
  EXPECT_EQ(inner.integer(1).value(), 3);
  EXPECT_EQ(inner.integer(2).value(), 4);
}

TEST(WireMessage, AbsentFieldsAreTheFormatsDefault) {
  const WireMessage message = WireMessage::read("", "M").value();
  EXPECT_EQ(message.integer(1).value(), 0);
  EXPECT_FALSE(message.boolean(2).value());
  EXPECT_EQ(message.real(3).value(), 0.0f);
  EXPECT_EQ(message.real64(300).value(), 0.0);
  EXPECT_EQ(message.text(4).value(), "");
  EXPECT_TRUE(message.integers(5).value().empty());
  EXPECT_FALSE(message.has(1));
}

TEST(WireMessage, IntegersArePackedOrNot) {
  EXPECT_EQ(WireMessage::read("\x08\x01\x0a\x03\x02\xac\x02\x08\x04", "M").value().integers(1).value(),
            (std::vector<int64_t>{1, 2, 300, 4}));
  EXPECT_EQ(WireMessage::read("\x0a\x02\x02\x80", "M").value().integers(1).status().message(),
            "M: field 1: item 1 of the packed list is truncated");
}

TEST(WireMessage, AValueOfAnotherWireTypeIsAnError) {
  const WireMessage message = WireMessage::read("\x08\x01\x12\x01x", "M").value();
  EXPECT_EQ(message.text(1).status().message(), "M: field 1: got wire type varint; wanted length-delimited");
  EXPECT_EQ(message.integer(2).status().message(), "M: field 2: got wire type length-delimited; wanted varint");
  EXPECT_FALSE(message.real(2).ok());
  EXPECT_FALSE(message.real64(1).ok());
  EXPECT_FALSE(message.items(1).ok());
}

TEST(WireMessage, IsReadAgainWithTheSameMemory) {
  WireMessage message("M");
  ASSERT_TRUE(message.assign("\x08\x01").ok());
  ASSERT_TRUE(message.assign("\x10\x02").ok());
  EXPECT_FALSE(message.has(1));
  EXPECT_EQ(message.integer(2).value(), 2);
}

}  // namespace
}  // namespace hilo::hlo::proto
