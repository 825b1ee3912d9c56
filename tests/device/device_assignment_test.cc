// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/device_assignment.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(DeviceAssignment, PutsReplicasOnDevicesInOrderUnlessToldOtherwise) {
  const DeviceAssignment plain = DeviceAssignment::replicas(3);
  EXPECT_EQ(plain.replica_count(), 3);
  EXPECT_EQ(plain.partition_count(), 1);
  EXPECT_EQ(plain.to_string(), "3x1 {0, 1, 2}");
  const DeviceAssignment grid = *DeviceAssignment::make(2, 3, {5, 4, 3, 2, 1, 0});
  EXPECT_EQ(grid.device(0, 0), 5);
  EXPECT_EQ(grid.device(1, 2), 0);
  EXPECT_EQ(grid.partition_count(), 3);
}

TEST(DeviceAssignment, RefusesWhatIsNoAssignment) {
  EXPECT_EQ(DeviceAssignment::make(2, 2, {0, 1, 2}).status().to_string(),
            "INVALID_ARGUMENT: device assignment: got 3 devices for 2 replicas of 2 partitions; wanted one device per "
            "partition");
  EXPECT_EQ(DeviceAssignment::make(0, 1, {}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(DeviceAssignment::make(INT64_MAX, 3, {0}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(DeviceAssignment::make(2, 1, {7, 7}).status().to_string(),
            "INVALID_ARGUMENT: device assignment: device 7 occurs twice; wanted one partition per device");
}

}  // namespace
}  // namespace hilo
