// SPDX-License-Identifier: Apache-2.0
// Slices, pads and concatenations along a sharded dimension: each device fetches the elements of its shard.
#include "hilo/hlo/partition/view.h"

#include <gtest/gtest.h>

#include "tests/support/cut_program.h"

namespace hilo::hlo {
namespace {

using tests::sent_by;

constexpr int64_t kNone = -1;

/// A program with one array f32[16,3]; argument and result are sharded along the first dimension.
std::string rows(const std::string& body) {
  return sent_by("ENTRY main {\n  x = f32[16,3] parameter(0)\n  zero = f32[] constant(0)\n" + body + "\n}", {0}, {0});
}

TEST(Views, ARollIsOneMessageToANeighbour) {
  EXPECT_EQ(rows("a = f32[1,3] slice(x), slice={[15:16], [0:3]}\n  b = f32[15,3] slice(x), slice={[0:15], [0:3]}\n"
                 "  ROOT r = f32[16,3] concatenate(a, b), dimensions={0}"),
            "collective-permute 12");
  EXPECT_EQ(rows("a = f32[12,3] slice(x), slice={[4:16], [0:3]}\n  b = f32[4,3] slice(x), slice={[0:4], [0:3]}\n"
                 "  ROOT r = f32[16,3] concatenate(a, b), dimensions={0}"),
            "collective-permute 48");
}

TEST(Views, AShiftFillsItsEnd) {
  EXPECT_EQ(rows("a = f32[14,3] slice(x), slice={[0:14], [0:3]}\n"
                 "  ROOT r = f32[16,3] pad(a, zero), padding=2_0x0_0"),
            "collective-permute 24");
  EXPECT_EQ(rows("ROOT r = f32[16,3] pad(x, zero), padding=-3_3x0_0"), "collective-permute 36");
}

TEST(Views, PiecesInAnyOrderAreSentAtOnce) {
  // Quarters 2, 3, 0, 1; then the first two swap places.
  EXPECT_EQ(rows("a = f32[8,3] slice(x), slice={[8:16], [0:3]}\n  b = f32[8,3] slice(x), slice={[0:8], [0:3]}\n"
                 "  ROOT r = f32[16,3] concatenate(a, b), dimensions={0}"),
            "collective-permute 48");
  EXPECT_EQ(rows("a = f32[4,3] slice(x), slice={[4:8], [0:3]}\n  b = f32[4,3] slice(x), slice={[0:4], [0:3]}\n"
                 "  c = f32[8,3] slice(x), slice={[8:16], [0:3]}\n"
                 "  ROOT r = f32[16,3] concatenate(a, b, c), dimensions={0}"),
            "collective-permute 48");
}

TEST(Views, PartsOfOtherSizesAreFetched) {
  EXPECT_EQ(rows("ROOT r = f32[8,3] slice(x), slice={[0:8], [0:3]}").find("all-gather"), std::string::npos);
  EXPECT_EQ(rows("ROOT r = f32[24,3] pad(x, zero), padding=4_4x0_0").find("all-gather"), std::string::npos);
}

TEST(Views, WhatViewsAreMadeOfMayBeViews) {
  EXPECT_EQ(rows("a = f32[14,3] slice(x), slice={[1:15], [0:3]}\n  b = f32[15,3] pad(a, zero), padding=1_0x0_0\n"
                 "  one = f32[] constant(1)\n  c = f32[1,3] broadcast(one), dimensions={}\n"
                 "  ROOT r = f32[16,3] concatenate(b, c), dimensions={0}"),
            "");
  EXPECT_EQ(rows("a = f32[13,3] slice(x), slice={[3:16], [0:3]}\n  b = f32[10,3] slice(a), slice={[2:12], [0:3]}\n"
                 "  ROOT r = f32[16,3] pad(b, zero), padding=3_3x0_0"),
            "collective-permute 24");
}

TEST(Views, AreReadWholeByReductionsOfLittle) {
  EXPECT_EQ(sent_by("ENTRY main {\n  x = f32[16,3] parameter(0)\n"
                    "  ROOT r = f32[2,3] slice(x), slice={[5:7], [0:3]}\n}",
                    {0}, {kNone}),
            "all-reduce 24");
  EXPECT_EQ(sent_by("ENTRY main {\n  x = pred[16,3] parameter(0)\n"
                    "  ROOT r = pred[2,3] slice(x), slice={[3:5], [0:3]}\n}",
                    {0}, {kNone}),
            "all-reduce 6");
}

TEST(Views, AreMadeOnceForEachWayOfReadingThem) {
  const std::string both = sent_by(
      "ENTRY main {\n  x = f32[16,4] parameter(0)\n  a = f32[1,4] slice(x), slice={[15:16], [0:4]}\n"
      "  b = f32[15,4] slice(x), slice={[0:15], [0:4]}\n  r = f32[16,4] concatenate(a, b), dimensions={0}\n"
      "  s = f32[16,4] sine(r)\n  c = f32[16,4] cosine(r)\n  ROOT t = (f32[16,4], f32[16,4]) tuple(s, c)\n}",
      {0}, {0, 0});
  EXPECT_EQ(both, "collective-permute 16");
}

TEST(Views, OfTwoArraysAndOfConstants) {
  EXPECT_EQ(sent_by("ENTRY main {\n  x = s32[8] parameter(0)\n  y = s32[8] parameter(1)\n"
                    "  ROOT r = s32[16] concatenate(x, y), dimensions={0}\n}",
                    {0, 0}, {0})
                .find("all-gather"),
            std::string::npos);
  EXPECT_EQ(sent_by("ENTRY main {\n  x = s32[12] parameter(0)\n  c = s32[4] constant({1, 2, 3, 4})\n"
                    "  ROOT r = s32[16] concatenate(x, c), dimensions={0}\n}",
                    {0}, {0})
                .find("all-gather"),
            std::string::npos);
}

TEST(Views, AlongDimensionsThatNobodySharesAreNone) {
  EXPECT_EQ(rows("a = f32[16,1] slice(x), slice={[0:16], [2:3]}\n  b = f32[16,2] slice(x), slice={[0:16], [0:2]}\n"
                 "  ROOT r = f32[16,3] concatenate(a, b), dimensions={1}"),
            "");
}

TEST(Views, AlongAnotherDimensionAreMadeFirst) {
  // A roll along each of two dimensions. Only one is sharded, so the second needs no transfer.
  EXPECT_EQ(rows("a = f32[1,3] slice(x), slice={[15:16], [0:3]}\n  b = f32[15,3] slice(x), slice={[0:15], [0:3]}\n"
                 "  r = f32[16,3] concatenate(a, b), dimensions={0}\n  c = f32[16,1] slice(r), slice={[0:16], [2:3]}\n"
                 "  d = f32[16,2] slice(r), slice={[0:16], [0:2]}\n"
                 "  ROOT t = f32[16,3] concatenate(c, d), dimensions={1}"),
            "collective-permute 12");
}

TEST(Views, WithStridesOrWithoutElementsAreOrdinaryOps) {
  EXPECT_EQ(rows("ROOT r = f32[8,3] slice(x), slice={[0:16:2], [0:3]}").find("all-gather"), std::string::npos);
  EXPECT_EQ(sent_by("ENTRY main {\n  x = f32[16,3] parameter(0)\n"
                    "  ROOT r = f32[0,3] slice(x), slice={[4:4], [0:3]}\n}",
                    {0}, {kNone}),
            "all-gather 0");
}

}  // namespace
}  // namespace hilo::hlo
