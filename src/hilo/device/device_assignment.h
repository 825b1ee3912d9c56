// SPDX-License-Identifier: Apache-2.0
// device/device_assignment.h -- the assignment of replicas and partitions to devices.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "hilo/base/status.h"

namespace hilo {

/// Maps each replica (a copy of the program) and partition (a part of it) to a device id.
class DeviceAssignment {
 public:
  /// Assigns replica r to device r, with one partition.
  static DeviceAssignment replicas(int64_t count);
  /// Creates an assignment from row-major device ids: all partitions of replica 0, then those of replica 1, ...
  /// Errors    INVALID_ARGUMENT if a count is 0, the number of devices isn't the product of the counts, or a device
  ///           occurs twice
  static StatusOr<DeviceAssignment> make(int64_t replica_count, int64_t partition_count, std::vector<int> devices);

  int64_t replica_count() const { return replica_count_; }
  int64_t partition_count() const { return std::ssize(devices_) / replica_count_; }
  int device(int64_t replica, int64_t partition) const { return devices_[replica * partition_count() + partition]; }
  /// Returns the device ids in the order of make().
  const std::vector<int>& devices() const { return devices_; }
  bool operator==(const DeviceAssignment&) const = default;
  /// Returns "2x1 {0, 1}".
  std::string to_string() const;

 private:
  DeviceAssignment(int64_t replica_count, std::vector<int> devices)
      : replica_count_(replica_count), devices_(std::move(devices)) {}
  int64_t replica_count_;
  std::vector<int> devices_;
};

}  // namespace hilo
