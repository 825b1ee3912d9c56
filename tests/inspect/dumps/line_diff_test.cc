// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/dumps/line_diff.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace hilo {
namespace {

/// " same\n-gone\n+new\n"
std::string shown(std::string_view before, std::string_view after) {
  std::string text;
  for (const DiffLine& line : diff_lines(before, after)) {
    text += static_cast<char>(line.mark);
    text += std::string(line.text) + "\n";
  }
  return text;
}

/// One of the two texts, restored from their difference.
std::string side(std::string_view before, std::string_view after, DiffMark other) {
  std::string text;
  for (const DiffLine& line : diff_lines(before, after)) {
    if (line.mark != other) text += std::string(line.text) + "\n";
  }
  return text;
}

TEST(LineDiff, ShowsWhatWentAndWhatCame) {
  EXPECT_EQ(shown("a\nb\nc\n", "a\nx\nc\n"), " a\n-b\n+x\n c\n");
  EXPECT_EQ(shown("a\nb\n", "a\nb\n"), " a\n b\n");
  EXPECT_EQ(shown("", "a\n"), "+a\n");
  EXPECT_EQ(shown("a\n", ""), "-a\n");
  EXPECT_EQ(shown("", ""), "");
}

TEST(LineDiff, LinesThatStandOnceHoldTheTextsTogether) {
  EXPECT_EQ(shown("}\nx\n}\ny\n}\n", "}\nnew\n}\nx\n}\ny\n}\n"), " }\n+new\n+}\n x\n }\n y\n }\n");
}

TEST(LineDiff, BothTextsCanBeReadFromIt) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string texts[2];
    for (std::string& text : texts) {
      const int lines = static_cast<int>(random() % 12);
      for (int i = 0; i < lines; ++i) text += std::string(1, static_cast<char>('a' + random() % 6)) + "\n";
    }
    EXPECT_EQ(side(texts[0], texts[1], DiffMark::kAdded), texts[0]);
    EXPECT_EQ(side(texts[0], texts[1], DiffMark::kRemoved), texts[1]);
  }
}

TEST(LineDiff, IsQuickForLongTextsWithNothingInCommon) {
  std::string before, after;
  for (int i = 0; i < 100'000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(diff_lines(before, after).size(), 200'000u);
}

}  // namespace
}  // namespace hilo
