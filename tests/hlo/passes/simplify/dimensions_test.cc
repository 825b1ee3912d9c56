// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/dimensions.h"

#include <gtest/gtest.h>

namespace hilo::hlo {
namespace {

TEST(Dimensions, TheIdentityOrderCountsFromZero) {
  EXPECT_TRUE(is_identity_order({}));
  EXPECT_TRUE(is_identity_order(std::vector<int64_t>{0, 1, 2}));
  EXPECT_FALSE(is_identity_order(std::vector<int64_t>{1, 2}));
  EXPECT_FALSE(is_identity_order(std::vector<int64_t>{0, 2, 1}));
}

TEST(Dimensions, RangesCountTheirElements) {
  EXPECT_EQ(length_of({0, 7, 2}), 4);
  EXPECT_EQ(length_of({0, 8, 2}), 4);
  EXPECT_EQ(length_of({3, 3, 1}), 0);
  EXPECT_EQ(length_of({5, 3, 1}), 0);
  EXPECT_EQ(length_of(whole(9)), 9);
  EXPECT_EQ(length_of(whole(0)), 0);
}

}  // namespace
}  // namespace hilo::hlo
