// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/lexer.h"

#include <gtest/gtest.h>

namespace hilo::hlo::text {
namespace {

TEST(Cursor, PassesBlanksAndComments) {
  Cursor cursor(" \t// a line\n/* a\n block */ x.1 /* open", "t");
  EXPECT_EQ(cursor.identifier(), "x.1");
  EXPECT_TRUE(cursor.at_end());
  EXPECT_EQ(cursor.peek(), '\0');
}

TEST(Cursor, ANameEndsBeforeAnArrow) {
  Cursor cursor("all-reduce->%y", "t");
  EXPECT_EQ(cursor.identifier(), "all-reduce");
  EXPECT_TRUE(cursor.accept_text("->"));
  EXPECT_EQ(cursor.name("a name").value(), "y");
}

TEST(Cursor, AWordIsAcceptedAsAWhole) {
  Cursor cursor("ROOTS ROOT", "t");
  EXPECT_FALSE(cursor.accept_word("ROOT"));
  EXPECT_EQ(cursor.identifier(), "ROOTS");
  EXPECT_TRUE(cursor.accept_word("ROOT"));
}

TEST(Cursor, IntegersFitInt64) {
  Cursor cursor("-9223372036854775808 9223372036854775808", "t");
  EXPECT_EQ(cursor.integer("a number").value(), INT64_MIN);
  EXPECT_EQ(cursor.integer("a number").status().message(), "t:1:22: a number '9223372036854775808' does not fit int64");
  Cursor word("x", "t");
  EXPECT_EQ(word.integer("a number").status().message(), "t:1:1: expected a number (an integer); got 'x'");
}

TEST(Cursor, BooleansAreWordsOrDigits) {
  Cursor cursor("true 0 maybe", "t");
  EXPECT_TRUE(cursor.boolean("a flag").value());
  EXPECT_FALSE(cursor.boolean("a flag").value());
  EXPECT_EQ(cursor.boolean("a flag").status().message(), "t:1:8: expected true or false for a flag; got 'maybe'");
}

TEST(Cursor, StringsHaveEscapes) {
  EXPECT_EQ(Cursor(R"("a\"\\\n\101\x41")", "t").quoted("a name").value(), "a\"\\\nAA");
  EXPECT_EQ(Cursor("'a\"b'", "t").quoted("a name").value(), "a\"b");
  EXPECT_EQ(Cursor("\"abc", "t").quoted("a name").status().message(), "t:1:1: a name: the string has no closing quote");
}

TEST(Cursor, RawValuesEndOutsideOfBracesAndQuotes) {
  Cursor cursor("{a=\",}\",b={1,2}}, next", "t");
  EXPECT_EQ(cursor.raw_value("x").value(), "{a=\",}\",b={1,2}}");
  EXPECT_TRUE(cursor.accept(','));
  EXPECT_EQ(Cursor("{{1}", "t").raw_value("x").status().message(), "t:1:1: x: the value has no closing bracket");
  const std::string deep(500, '{');
  EXPECT_EQ(Cursor(deep, "t").raw_value("x").status().message(), "t:1:257: nesting deeper than 256. Hint: max_nesting");
}

TEST(Cursor, PlacesCountLinesAndColumnsFromOne) {
  Cursor cursor("a\n  b", "m.hlo");
  EXPECT_EQ(cursor.place(0), "m.hlo:1:1");
  EXPECT_EQ(cursor.place(4), "m.hlo:2:3");
  EXPECT_EQ(cursor.expect(';', "after", "a").message(), "m.hlo:1:1: expected ';' after a; got 'a'");
}

TEST(PlainNames, AreThoseThatXlaReads) {
  EXPECT_TRUE(is_plain_name("add.1"));
  EXPECT_FALSE(is_plain_name("f32"));
  EXPECT_FALSE(is_plain_name("1x"));
  EXPECT_FALSE(is_plain_name("__x"));
  EXPECT_TRUE(is_plain_name("__xla_x"));
  EXPECT_EQ(plain_name("f32"), "f32_");
  EXPECT_TRUE(is_plain_name(plain_name("")));
  EXPECT_TRUE(is_plain_name(plain_name("a b\xff")));
  EXPECT_EQ(plain_computation_name("f32"), "f32");
}

TEST(QuotedText, EscapesWhatIsNoPrintableAscii) {
  EXPECT_EQ(quoted_text("a\"\\\n\t\r\x01\xff"), R"("a\"\\\n\t\r\001\377")");
  EXPECT_EQ(quoted_text(""), "\"\"");
}

}  // namespace
}  // namespace hilo::hlo::text
