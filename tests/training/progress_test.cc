// SPDX-License-Identifier: Apache-2.0
#include "hilo/training/progress.h"

#include <gtest/gtest.h>

namespace hilo::training {
namespace {

TEST(Progress, TheLineSaysHowFarAndHowLong) {
  EXPECT_EQ(progress_text("train", 0, 10, 0, ""), "train [..............................]   0% 00:00<--:-- ");
  EXPECT_EQ(progress_text("train", 5, 10, 61, "loss 1"),
            "train [###############...............]  50% 01:01<01:01 loss 1");
  EXPECT_EQ(progress_text("train", 10, 10, 3700, ""), "train [##############################] 100% 1:01:40<00:00 ");
}

TEST(Progress, OddNumbersAndControlCharactersDoNoHarm) {
  EXPECT_EQ(progress_text("t", 7, 3, 0, ""), "t [##############################] 100% 00:00<00:00 ");
  EXPECT_EQ(progress_text("t", 0, 0, 0, ""), "t [##############################] 100% 00:00<00:00 ");
  EXPECT_EQ(progress_text("t", -1, 3, 0, "\x1b[2J"), "t [..............................]   0% 00:00<--:-- \\x1b[2J");
}

TEST(Progress, NothingIsWrittenWhereStderrIsNoTerminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress("train", 2);
    progress.step(1);
    progress.step(2, "done");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace hilo::training
