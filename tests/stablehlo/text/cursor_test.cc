// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/text/cursor.h"

#include <gtest/gtest.h>

namespace hilo::stablehlo {
namespace {

TEST(MlirCursor, PassesBlanksAndComments) {
  Cursor cursor(" \t// a line\n  func.func @f", "t");
  EXPECT_EQ(cursor.word(), "func.func");
  EXPECT_EQ(cursor.symbol("a name").value(), "f");
  EXPECT_TRUE(cursor.at_end());
}

TEST(MlirCursor, ReadsWordsSuffixesAndNumbersAsWritten) {
  Cursor cursor("tensor 12ab -1.5e+3 0x7F $x", "t");
  EXPECT_EQ(cursor.word(), "tensor");
  EXPECT_EQ(cursor.word(), "");  // words don't begin with a digit
  cursor.position();
  EXPECT_EQ(cursor.suffix(), "12ab");
  EXPECT_EQ(cursor.number(), "-1.5e+3");
  EXPECT_EQ(cursor.number(), "0x7F");
  EXPECT_EQ(cursor.number(), "");
  EXPECT_EQ(cursor.word(), "");
}

TEST(MlirCursor, AcceptsAWordAsAWhole) {
  Cursor cursor("across dimensions", "t");
  EXPECT_FALSE(cursor.accept_word("a"));
  EXPECT_TRUE(cursor.accept_word("across"));
  EXPECT_TRUE(cursor.accept("dim"));
}

TEST(MlirCursor, StringsHaveHexadecimalEscapes) {
  EXPECT_EQ(Cursor(R"("a\22\0A\\")", "t").quoted("a name").value(), "a\"\n\\");
  EXPECT_FALSE(Cursor("\"ab", "t").quoted("a name").ok());
  EXPECT_EQ(Cursor("@\"my f\"", "t").symbol("a name").value(), "my f");
  EXPECT_FALSE(Cursor("f", "t").symbol("a name").ok());
}

TEST(MlirCursor, IntegersFitInt64) {
  EXPECT_EQ(Cursor("-7", "t").integer("a size").value(), -7);
  EXPECT_EQ(Cursor("99999999999999999999", "t").integer("a size").status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(Cursor("x", "t").integer("a size").ok());
}

TEST(MlirCursor, SkipsBalancedBracketsWithStringsAndArrowsInThem) {
  Cursor cursor("(a -> \")\" [b {c}]) d", "t");
  ASSERT_TRUE(cursor.skip_balanced().ok());
  EXPECT_EQ(cursor.word(), "d");
  EXPECT_FALSE(Cursor("(a]", "t").skip_balanced().ok());
  EXPECT_FALSE(Cursor("(a", "t").skip_balanced().ok());
}

TEST(MlirCursor, APartHasThePlacesOfTheWhole) {
  const std::string_view text = "one\n two three";
  Cursor part = Cursor(text, "m.mlir").part(5, 8);
  EXPECT_EQ(part.word(), "two");
  EXPECT_TRUE(part.at_end());
  EXPECT_EQ(part.error(5, "wrong").message(), "m.mlir:2:2: wrong");
  EXPECT_EQ(Cursor(text, "m.mlir").through('\n'), "one\n");
  EXPECT_EQ(Cursor(text, "m.mlir").through('x'), "");
}

}  // namespace
}  // namespace hilo::stablehlo
