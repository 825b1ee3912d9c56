// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/json.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(Json, EscapesWhatTheFormatDemandsAndNothingElse) {
  EXPECT_EQ(json_string("plain / text"), R"("plain / text")");
  EXPECT_EQ(json_string("a\"b\\c\n\x01"), R"("a\"b\\c\u000a\u0001")");
  EXPECT_EQ(json_string("Größe ∂ 𝛼"), "\"Größe ∂ 𝛼\"");
}

TEST(Json, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(json_string("a\xff z"), R"("a\ufffd z")");
  EXPECT_EQ(json_string("\xc3"), R"("\ufffd")");
  EXPECT_EQ(json_string("\xe2\x82z"), R"("\ufffd\ufffdz")");
  EXPECT_EQ(json_string("\xc0\x80"), R"("\ufffd\ufffd")");
}

}  // namespace
}  // namespace hilo
