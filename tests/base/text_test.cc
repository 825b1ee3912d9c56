// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <clocale>

namespace hilo {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"reduce", "reverse", "reshape"};

TEST(Text, JoinPutsTheSeparatorBetween) {
  EXPECT_EQ(join(kNames, ", "), "reduce, reverse, reshape");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, CaseChangesTouchAsciiOnly) {
  EXPECT_EQ(ascii_lower("ABz\xc3\x84"), "abz\xc3\x84");
  EXPECT_EQ(ascii_upper("jax_enable_x64"), "JAX_ENABLE_X64");
}

TEST(Text, TrimmedDropsSpaceAtBothEnds) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
}

TEST(Text, EditDistanceCountsSteps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("x46", "x64"), 1);
}

TEST(Text, EditDistanceOfHugeNamesIsCheap) { EXPECT_EQ(edit_distance(std::string(1000000, 'a'), "b"), 999999 + 256); }

TEST(Text, NearestNameFindsTheSlip) {
  EXPECT_EQ(nearest_name("redcue", kNames), "reduce");
  EXPECT_EQ(nearest_name("reshap", kNames), "reshape");
  EXPECT_EQ(did_you_mean("revers", kNames), " Hint: did you mean 'reverse'?");
}

TEST(Text, NearestNameCompletesAnUnfinishedName) {
  const std::array<std::string_view, 3> names = {"jax_platform_name", "jax_dump_hlo_graph", "jax_dump_hlo_optimized"};
  EXPECT_EQ(nearest_name("jax_pla", names), "jax_platform_name");
  EXPECT_EQ(nearest_name("jax_dump", names), std::nullopt);
}

TEST(Text, NearestNameIsNoneBecauseNothingIsNear) {
  EXPECT_EQ(nearest_name("convolution", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("z", std::array<std::string_view, 2>{"a", "b"}), std::nullopt);
  EXPECT_EQ(did_you_mean("convolution", kNames), "");
}

TEST(Text, ParseInt64TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_int64("-12"), -12);
  EXPECT_EQ(parse_int64("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_int64("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_int64("12 "), std::nullopt);
  EXPECT_EQ(parse_int64(""), std::nullopt);
}

TEST(Text, BytesTextPicksTheUnit) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(bytes_text(uint64_t{1} << 42), "4.00 TiB");
  EXPECT_EQ(bytes_text(UINT64_MAX), "16.00 EiB");
}

TEST(Text, QuoteHidesControlBytesAndLength) {
  EXPECT_EQ(quote("a\nb"), "'a\\x0ab'");
  EXPECT_EQ(quote(std::string(81, 'x')), "'" + std::string(80, 'x') + "...'");
}

TEST(Text, PrintableHasNoControlCharactersButLineEndsAndTabs) {
  EXPECT_EQ(printable("a\n\tb \xc3\xa9"), "a\n\tb \xc3\xa9");
  EXPECT_EQ(printable("\x1b]0;title\x07\r\x7f"), "\\x1b]0;title\\x07\\x0d\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\xc2\\x9b2J");  // U+009B starts a control sequence, like ESC [
  // not a control character, although it contains bytes between 0x80 and 0x9f
  EXPECT_EQ(printable("\xc2\xa0\xe2\x9b\x94"), "\xc2\xa0\xe2\x9b\x94");
  EXPECT_EQ(printable(std::string_view("\xc2", 1)), "\xc2");
}

TEST(Text, ErrnoTextIsEnglish) {
  EXPECT_EQ(errno_text(ENOENT), "No such file or directory");
  EXPECT_EQ(errno_text(123456), "error 123456");
}

}  // namespace
}  // namespace hilo
