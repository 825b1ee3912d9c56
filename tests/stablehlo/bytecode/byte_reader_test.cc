// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/bytecode/byte_reader.h"

#include <gtest/gtest.h>

namespace hilo::stablehlo {
namespace {

using namespace std::string_literals;

ByteReader reader(std::string_view data) { return {data, "t", 0, data.size()}; }

TEST(ByteReader, NumbersHaveOneToNineBytes) {
  EXPECT_EQ(reader("\x0b").number(), 5u);
  EXPECT_EQ(reader("\x02\x01").number(), 64u);
  EXPECT_EQ(reader("\x00\xff\xff\xff\xff\xff\xff\xff\xff"s).number(), UINT64_MAX);
  EXPECT_EQ(reader("\x07").signed_number(), -2);
  EXPECT_EQ(reader("\x09").signed_number(), 2);
}

TEST(ByteReader, TheFirstFailureSticksAndWhatFollowsIsZero) {
  ByteReader in = reader("\x02");
  EXPECT_EQ(in.number(), 0u);
  EXPECT_EQ(in.byte(), 0);
  EXPECT_EQ(in.bytes(1), "");
  EXPECT_EQ(in.status().to_string(), "INVALID_ARGUMENT: t: byte 1: the data end inside a number");
  EXPECT_FALSE(in.at_end());
}

TEST(ByteReader, CountsAndIndicesHaveLimits) {
  ByteReader many = reader("\x15xx");  // 10
  EXPECT_EQ(many.count(), 0u);
  EXPECT_EQ(many.status().message(), "t: byte 1: a list of 10 elements exceeds the remaining 2 bytes");
  ByteReader index = reader("\x07");
  EXPECT_EQ(index.index(3, "string"), 0u);
  EXPECT_EQ(index.status().message(), "t: byte 1: string 3 of 3");
  EXPECT_EQ(reader("\x05").index(3, "string"), 2u);
}

TEST(ByteReader, TextsEndInNul) {
  ByteReader in = reader("ab\0c"s);
  EXPECT_EQ(in.text_to_nul(), "ab");
  EXPECT_EQ(in.text_to_nul(), "");
  EXPECT_EQ(in.status().message(), "t: byte 3: a text is not terminated");
}

TEST(ByteReader, SectionsHaveAnIdALengthAndPadding) {
  ByteReader in = reader(
      "\x83\x05\x09\xcb"
      "ab"
      "\x0b"s);
  uint8_t id = 0;
  ByteReader part = in.section(id);
  EXPECT_EQ(id, 3);
  EXPECT_EQ(part.bytes(2), "ab");
  EXPECT_TRUE(part.at_end());
  EXPECT_EQ(in.number(), 5u);
}

TEST(ByteReader, DamagedSectionsAreErrors) {
  const auto error_of = [](std::string_view data) {
    ByteReader in = reader(data);
    uint8_t id = 0;
    const ByteReader part = in.section(id);
    EXPECT_EQ(part.failed(), in.failed());
    return std::string(in.status().message());
  };
  EXPECT_EQ(error_of("\x03\x0b"
                     "ab"),
            "t: byte 2: a section of 5 bytes; 2 are left");
  EXPECT_EQ(error_of("\x83\x03\x07"
                     "ab"),
            "t: byte 3: invalid alignment 3");
  EXPECT_EQ(error_of("\x83\x03\x09"
                     "ab"),
            "t: byte 4: the padding of a section is damaged");
}

TEST(ByteReader, ListsAreNoLongerThanTheirBytes) {
  EXPECT_EQ(reader("\x07\x01\x03\x05").signed_numbers(), (std::vector<int64_t>{0, -1, 1}));
  EXPECT_EQ(reader("\x01").signed_numbers(), std::vector<int64_t>());
  EXPECT_TRUE(reader("\xff\x03").signed_numbers().empty());
}

}  // namespace
}  // namespace hilo::stablehlo
