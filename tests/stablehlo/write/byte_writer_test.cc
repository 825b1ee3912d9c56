// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/write/byte_writer.h"

#include <gtest/gtest.h>

#include "hilo/stablehlo/bytecode/byte_reader.h"

namespace hilo::stablehlo {
namespace {

using namespace std::string_literals;

TEST(ByteWriter, NumbersAreReadAsTheyWereWritten) {
  for (int shift = 0; shift < 64; ++shift) {
    for (const uint64_t value : {uint64_t{1} << shift, (uint64_t{1} << shift) - 1}) {
      ByteWriter out;
      out.number(value);
      out.signed_number(-static_cast<int64_t>(value >> 1));
      ByteReader in(out.data(), "t", 0, out.data().size());
      EXPECT_EQ(in.number(), value);
      EXPECT_EQ(in.signed_number(), -static_cast<int64_t>(value >> 1));
      EXPECT_TRUE(in.at_end());
    }
  }
}

TEST(ByteWriter, SmallNumbersTakeAByteAndTheLargestNine) {
  ByteWriter small, large;
  small.number(127);
  EXPECT_EQ(small.data(), "\xff");
  large.number(UINT64_MAX);
  EXPECT_EQ(large.data(), "\0\xff\xff\xff\xff\xff\xff\xff\xff"s);
}

TEST(ByteWriter, SectionsAndListsHaveALength) {
  ByteWriter out;
  out.section(4, "ab");
  out.signed_numbers(std::vector<int64_t>{});
  EXPECT_EQ(out.take(),
            "\x04\x05"
            "ab"
            "\x01");
}

}  // namespace
}  // namespace hilo::stablehlo
