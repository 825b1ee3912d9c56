// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/service/account.h"

#include <gtest/gtest.h>

#include <limits>

#include "hilo/rpc/service/scratch.h"

namespace hilo::rpc {
namespace {

TEST(Account, CountsWhatIsHeldUntilItsEnd) {
  const auto account = Account::make(100);
  {
    Held first = *account->hold(60);
    EXPECT_EQ(account->hold(41).status().to_string(),
              "RESOURCE_EXHAUSTED: quota: 60 bytes live of 100 bytes; 41 bytes more requested");
    Held part = first.split(50);
    EXPECT_EQ(part.bytes(), 50);
    EXPECT_EQ(first.split(1000).bytes(), 10);
    EXPECT_EQ(account->held(), 50);  // the temporary hold has ended
    part.join(*account->hold(50));
    first = std::move(part);
    EXPECT_EQ(first.bytes(), 100);
    EXPECT_FALSE(account->hold(1).ok());
  }
  EXPECT_EQ(account->held(), 0);
  EXPECT_FALSE(account->hold(std::numeric_limits<int64_t>::max()).ok());
}

TEST(Account, WithoutALimitItCountsAndNoSumOverflows) {
  const auto account = Account::make(0);
  const Held most = *account->hold(std::numeric_limits<int64_t>::max() - 5);
  EXPECT_FALSE(account->hold(6).ok());
  EXPECT_TRUE(account->hold(5).ok());
}

TEST(Scratch, ADeviceCountsTheLargestOfItsRuns) {
  const auto account = Account::make(100);
  const auto scratch = std::make_shared<Scratch>(account);
  auto small = *scratch->hold({0}, 10), large = *scratch->hold({0, 1}, 40);
  EXPECT_EQ(account->held(), 80);
  auto same = *scratch->hold({0}, 40);
  EXPECT_EQ(account->held(), 80);
  EXPECT_FALSE(scratch->hold({1, 2}, 50).ok());  // 10 more and 50: no bytes remain counted
  EXPECT_EQ(account->held(), 80);
  large.reset();
  EXPECT_EQ(account->held(), 40);
  same.reset();
  EXPECT_EQ(account->held(), 10);
  small.reset();
  EXPECT_EQ(account->held(), 0);
  EXPECT_EQ(*scratch->hold({0}, 0), nullptr);
}

}  // namespace
}  // namespace hilo::rpc
