// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/instruction_ids.h"

#include <gtest/gtest.h>

namespace hilo::hlo::proto {
namespace {

TEST(InstructionIds, AreFoundWhereverTheyAreStored) {
  InstructionIds ids;
  ids.reserve(2);
  const int64_t upper = int64_t{5} << 32;
  EXPECT_TRUE(ids.insert(upper | 3, 0));
  EXPECT_TRUE(ids.insert(upper | 900, 1));  // beyond the end of the list
  EXPECT_TRUE(ids.insert(3, 2));            // its place is occupied
  EXPECT_EQ(ids.find(upper | 3), 0u);
  EXPECT_EQ(ids.find(upper | 900), 1u);
  EXPECT_EQ(ids.find(3), 2u);
}

TEST(InstructionIds, AreUnique) {
  InstructionIds ids;
  ids.reserve(4);
  EXPECT_TRUE(ids.insert(1, 0));
  EXPECT_FALSE(ids.insert(1, 1));
  EXPECT_TRUE(ids.insert(-1, 2));
  EXPECT_FALSE(ids.insert(-1, 3));
  EXPECT_EQ(ids.find(1), 0u);
  EXPECT_EQ(ids.find(-1), 2u);
}

TEST(InstructionIds, UnknownOnesAreNone) {
  InstructionIds ids;
  EXPECT_EQ(ids.find(0), kNoInstruction);
  ids.reserve(4);
  EXPECT_EQ(ids.find(2), kNoInstruction);
  EXPECT_EQ(ids.find(int64_t{1} << 40), kNoInstruction);
}

}  // namespace
}  // namespace hilo::hlo::proto
