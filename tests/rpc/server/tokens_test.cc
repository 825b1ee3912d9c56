// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/tokens.h"

#include <gtest/gtest.h>

namespace hilo::rpc {
namespace {

TEST(Tokens, AFileHasOneTokenOrLinesOfANameAndAToken) {
  for (const char* const text :
       {"0123456789abcdef\n", "  0123456789abcdef  ", "correct horse battery staple", "a short token"}) {
    const auto one = tokens_of(text);
    if (std::string_view(text).size() < 16) continue;
    ASSERT_TRUE(one.ok()) << one.status().to_string();
    EXPECT_EQ(one->size(), 1u);
    EXPECT_EQ(one->at(0).name, "");
  }
  const auto named = tokens_of("# who\nalice 0123456789abcdef\n\n bob\tfedcba9876543210\r\n");
  ASSERT_TRUE(named.ok()) << named.status().to_string();
  ASSERT_EQ(named->size(), 2u);
  EXPECT_EQ(named->at(0).name, "alice");
  EXPECT_EQ(named->at(1).token, "fedcba9876543210");
  EXPECT_EQ(tokens_of("alice 0123456789abcdef")->at(0).name, "alice");
}

TEST(Tokens, ALineOfAnotherFormIsAnErrorWithItsNumber) {
  for (const char* const bad : {"", "\n# none\n", "short", "a 0123456789abcdef\nb short",
                                "a 0123456789abcdef\nalone0123456789abc", "a 0123456789abcdef\na fedcba9876543210",
                                "a 0123456789abcdef\nb 0123456789abcdef", "a 0123456789abcdef c\nb fedcba9876543210"})
    EXPECT_EQ(tokens_of(bad).status().code(), StatusCode::kInvalidArgument) << bad;
  EXPECT_EQ(
      tokens_of("a 0123456789abcdef\nb").status().to_string(),
      "INVALID_ARGUMENT: line 2: 1 words; wanted a name and a token of at least 16 bytes. Hint: openssl rand -hex "
      "32");
}

TEST(Tokens, AreFoundByWhatAClientSends) {
  const std::vector<NamedToken> tokens = *tokens_of("alice 0123456789abcdef\nbob fedcba9876543210\n");
  EXPECT_EQ(token_named(tokens, "Bearer fedcba9876543210"), &tokens[1]);
  for (const char* const other : {"", "Bearer ", "fedcba9876543210", "Bearer bob", "Bearer fedcba9876543210x"})
    EXPECT_EQ(token_named(tokens, other), nullptr) << other;
}

}  // namespace
}  // namespace hilo::rpc
