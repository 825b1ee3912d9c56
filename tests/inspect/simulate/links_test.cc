// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/simulate/links.h"

#include <gtest/gtest.h>

namespace hilo::hlo {
namespace {

constexpr double kSecond = 1, kByte = 0.5;  // round numbers for the latency and the time per byte

Links links(Topology topology) { return {topology, kSecond, 1 / kByte, 4, 2}; }

double seconds(Topology topology, Opcode opcode, int64_t members, double bytes) {
  return collective_seconds(links(topology), opcode, members, bytes);
}

TEST(CollectiveSeconds, OfARingAreLatenciesAndBytesOnceRound) {
  EXPECT_DOUBLE_EQ(seconds(Topology::kRing, Opcode::kAllGather, 4, 400), 3 + 300 * 0.5);
  EXPECT_DOUBLE_EQ(seconds(Topology::kRing, Opcode::kReduceScatter, 4, 100), 3 + 300 * 0.5);
  EXPECT_DOUBLE_EQ(seconds(Topology::kRing, Opcode::kAllReduce, 4, 400), 2 * (3 + 300 * 0.5));
  EXPECT_DOUBLE_EQ(seconds(Topology::kRing, Opcode::kAllToAll, 4, 400), 3 + 300 * 0.5);
  EXPECT_DOUBLE_EQ(seconds(Topology::kRing, Opcode::kCollectivePermute, 2, 400), 1 + 400 * 0.5);
}

TEST(CollectiveSeconds, OfATorusAreHopsOrBytesOnAllAxesAtOnce) {
  // 64 devices are 4 x 4 x 4: 6 hops, 6 links per device. 16 devices are 4 x 4: 4 hops, 4 links.
  EXPECT_NEAR(seconds(Topology::kTorus3d, Opcode::kAllGather, 64, 6400), 6400 * 0.5 / 6, 1e-9);
  EXPECT_NEAR(seconds(Topology::kTorus3d, Opcode::kAllReduce, 64, 6400), 2 * 6400 * 0.5 / 6, 1e-9);
  EXPECT_NEAR(seconds(Topology::kTorus2d, Opcode::kAllToAll, 16, 1600), 1600 * 4 * 0.5 / 8, 1e-9);
  EXPECT_NEAR(seconds(Topology::kTorus2d, Opcode::kAllGather, 16, 8), 4, 1e-9);
  EXPECT_NEAR(seconds(Topology::kTorus3d, Opcode::kAllGather, 64, 12), 6, 1e-9);
}

TEST(CollectiveSeconds, OfAFatTreeAreThoseOfALeafAndThoseAcross) {
  EXPECT_DOUBLE_EQ(seconds(Topology::kFatTree, Opcode::kAllGather, 4, 400), 3 + 300 * 0.5);
  // 4 leaves of 4: 300 bytes inside, and 3/4 of 100 bytes across, at half the bandwidth and twice the latency.
  EXPECT_DOUBLE_EQ(seconds(Topology::kFatTree, Opcode::kAllGather, 16, 400), (3 + 300 * 0.5) + (3 * 2 + 75 * 0.5 * 2));
}

TEST(CollectiveSeconds, OfOneDeviceAreNone) {
  EXPECT_EQ(seconds(Topology::kRing, Opcode::kAllReduce, 1, 400), 0);
  EXPECT_EQ(seconds(Topology::kTorus3d, Opcode::kAllGather, 1, 400), 0);
}

TEST(TopologyNamed, OthersAreErrors) {
  EXPECT_EQ(*topology_named("fat-tree"), Topology::kFatTree);
  EXPECT_EQ(*topology_named("torus3d"), Topology::kTorus3d);
  EXPECT_NE(topology_named("star").status().to_string().find("wanted ring"), std::string::npos);
}

}  // namespace
}  // namespace hilo::hlo
