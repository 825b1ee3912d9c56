// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ir/expanded_size.h"

#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

/// A chain of computations, each of which calls the previous one twice.
Module doubling(int length) {
  std::string text = "HloModule m\nc0 { p = f32[] parameter(0)  ROOT n = f32[] negate(p) }\n";
  for (int i = 1; i <= length; ++i) {
    const std::string before = "c" + std::to_string(i - 1);
    text += (i == length ? "ENTRY c" : "c") + std::to_string(i) +
            " {\n  p = f32[] parameter(0)\n  a = f32[] call(p), to_apply=" + before +
            "\n  ROOT b = f32[] call(a), to_apply=" + before + "\n}\n";
  }
  return parse_module(text).value();
}

TEST(ExpandedSize, CountsEachCallsInstructions) {
  EXPECT_EQ(expanded_instruction_count(doubling(1)), 3 + 2 * 2);
  EXPECT_EQ(expanded_instruction_count(doubling(2)), 3 + 2 * 7);
}

TEST(ExpandedSize, Saturates) { EXPECT_EQ(expanded_instruction_count(doubling(100)), INT64_MAX); }

TEST(ExpandedSize, TheLimitFollowsTheProgram) {
  EXPECT_EQ(max_expanded_instructions(doubling(1)), 1 << 14);
  EXPECT_EQ(max_expanded_instructions(doubling(100)), 256 * 302);
}

}  // namespace
}  // namespace hilo::hlo
