// SPDX-License-Identifier: Apache-2.0
// Numbers and literals. Tests of its callers cover the other functions (safetensors_test.cc).
#include "hilo/io/json_scanner.h"

#include <gtest/gtest.h>

namespace hilo::io {
namespace {

TEST(JsonScanner, TakesNumbersAsTheyStand) {
  for (const char* number : {"0", "-0", "7", "-12", "1.5", "-0.25", "1e9", "2E-3", "3.5e+2"}) {
    const std::string text = std::string(" ") + number + " ";
    JsonScanner json(text);
    EXPECT_EQ(*json.number(), number);
    EXPECT_TRUE(json.end().ok());
  }
  for (const char* other : {"", "-", "+1", ".5", "01", "1.", "1e", "1e+", "x", "\"1\""}) {
    JsonScanner json(other);
    EXPECT_EQ(json.number().status().code(), StatusCode::kInvalidArgument) << other;
  }
}

TEST(JsonScanner, TakesAWordIfItComesNext) {
  JsonScanner json(" true,null");
  EXPECT_FALSE(json.accept_word("false"));
  EXPECT_TRUE(json.accept_word("true"));
  EXPECT_TRUE(json.accept(','));
  EXPECT_TRUE(json.accept_word("null"));
  EXPECT_TRUE(json.end().ok());
}

}  // namespace
}  // namespace hilo::io
