// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/time_text.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(TimeText, TakesTheUnitThatGivesOneToThreeDigitsBeforeThePoint) {
  EXPECT_EQ(time_text(0), "0 ns");
  EXPECT_EQ(time_text(999), "999 ns");
  EXPECT_EQ(time_text(1500), "1.50 us");
  EXPECT_EQ(time_text(2.5e6), "2.50 ms");
  EXPECT_EQ(time_text(3e9), "3.00 s");
}

}  // namespace
}  // namespace hilo
