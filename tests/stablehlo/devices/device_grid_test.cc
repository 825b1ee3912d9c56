// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/device_grid.h"

#include <gtest/gtest.h>

namespace hilo::stablehlo {
namespace {

using Groups = hlo::Int64Lists;
constexpr DeviceGrid kGrid = {.replicas = 2, .partitions = 3};

Groups groups_of(const Groups& groups, GroupMode mode) {
  const StatusOr<Groups> devices = device_groups(groups, mode, kGrid);
  EXPECT_TRUE(devices.ok()) << devices.status().to_string();
  return devices.ok() ? *devices : Groups();
}

TEST(DeviceGrid, GroupsOfReplicasMeetInEachPartition) {
  EXPECT_EQ(groups_of({{1, 0}}, GroupMode::kCrossReplica), (Groups{{3, 0}, {4, 1}, {5, 2}}));
}

TEST(DeviceGrid, GroupsOfPartitionsMeetInEachReplica) {
  EXPECT_EQ(groups_of({{0, 2}, {1}}, GroupMode::kCrossPartition), (Groups{{0, 2}, {3, 5}, {1}, {4}}));
}

TEST(DeviceGrid, GroupsAcrossBothHoldAllPartitionsOfTheirReplicas) {
  EXPECT_EQ(groups_of({{0}, {1}}, GroupMode::kCrossReplicaAndPartition), (Groups{{0, 1, 2}, {3, 4, 5}}));
}

TEST(DeviceGrid, FlattenedIdsAreDevices) { EXPECT_EQ(groups_of({{5, 0}}, GroupMode::kFlattenedIds), (Groups{{5, 0}})); }

TEST(DeviceGrid, NoGroupsAreOneOfAll) {
  EXPECT_EQ(groups_of({}, GroupMode::kFlattenedIds), (Groups{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(groups_of({}, GroupMode::kCrossPartition), (Groups{{0, 1, 2}, {3, 4, 5}}));
}

TEST(DeviceGrid, PairsArePairsOfDevices) {
  const StatusOr<hlo::Int64Pairs> pairs = device_pairs({{2, 0}}, GroupMode::kCrossPartition, kGrid);
  ASSERT_TRUE(pairs.ok());
  EXPECT_EQ(*pairs, (hlo::Int64Pairs{{2, 0}, {5, 3}}));
}

TEST(DeviceGrid, IdsThatAreNotThereAreRefused) {
  EXPECT_EQ(device_groups({{2}}, GroupMode::kCrossReplica, kGrid).status().to_string(),
            "INVALID_ARGUMENT: a group contains device 2; wanted 0 to 1");
  EXPECT_FALSE(device_groups({{-1}}, GroupMode::kFlattenedIds, kGrid).ok());
}

}  // namespace
}  // namespace hilo::stablehlo
