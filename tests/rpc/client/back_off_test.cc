// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/client/back_off.h"

#include <gtest/gtest.h>

#include <set>

namespace hilo::rpc {
namespace {

TEST(BackOff, PausesDoubleUpToTheLongest) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    BackOff back_off(seed);
    std::chrono::milliseconds longest = BackOff::kFirst;
    for (int i = 0; i < 20; ++i) {
      const std::chrono::milliseconds pause = back_off.next();
      EXPECT_GE(pause, longest / 2);
      EXPECT_LE(pause, longest);
      longest = std::min(2 * longest, BackOff::kMaxDelay);
    }
  }
}

TEST(BackOff, ChanceIsTheSeeds) {
  BackOff a(7), same(7);
  std::set<int64_t> firsts;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(a.next(), same.next());
  for (uint64_t seed = 0; seed < 50; ++seed) firsts.insert(BackOff(seed).next().count());
  EXPECT_GT(firsts.size(), 10u);
}

}  // namespace
}  // namespace hilo::rpc
