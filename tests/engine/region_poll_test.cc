// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_poll.h"

#include "tests/engine/plan_case.h"

namespace hilo::engine {
namespace {

/// A map over these extents at 0.25 ns an element.
Region map_of(std::vector<int64_t> extents) {
  Region region;
  region.row_begin = extents.size();
  region.extents = std::move(extents);
  region.nodes = {{.kind = NodeKind::kLoad, .type = ElementType::kF32}};
  region.outputs = {{0, 0, {}, ElementType::kF32}};
  return region;
}
constexpr double kElement = 0.2;  // ns: a load and a store

TEST(RegionPoll, ShortRegionsDontLook) {
  EXPECT_FALSE(polled_loop(map_of({1000, 1000}), kTestCosts));
  EXPECT_FALSE(polled_loop(map_of({100'000'000}), kTestCosts)) << "its callers cut it";
}

TEST(RegionPoll, ALoopLooksWhoseOuterOnesTakeTooLong) {
  const std::optional<PolledLoop> polled = polled_loop(map_of({2, 1000, 100'000}), kTestCosts);
  ASSERT_TRUE(polled);
  EXPECT_EQ(polled->dimension, 1U);
  EXPECT_EQ(polled->turns, static_cast<int64_t>(kPollNanoseconds / (100'000 * kElement)));
}

TEST(RegionPoll, FollowsTheCosts) {
  Costs slow = kTestCosts;
  slow.load = 10;
  EXPECT_TRUE(polled_loop(map_of({10, 1000, 1000}), slow));
  EXPECT_FALSE(polled_loop(map_of({10, 1000, 1000}), kTestCosts));
}

}  // namespace
}  // namespace hilo::engine
