// SPDX-License-Identifier: Apache-2.0
// device/device_assignment.h -- which device runs which part of a program.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "hilo/base/status.h"

namespace hilo {

/// For every replica (a copy of the program) and partition (a part of it) the id of a device.
class DeviceAssignment {
 public:
  /// Replica r on device r; one partition.
  static DeviceAssignment replicas(int64_t count);
  /// Row-major: the partitions of replica 0, those of replica 1, ...
  /// Errors    INVALID_ARGUMENT if there are none, their number isn't the product, or a device is named twice
  static StatusOr<DeviceAssignment> make(int64_t replica_count, int64_t partition_count, std::vector<int> devices);

  int64_t replica_count() const { return replica_count_; }
  int64_t partition_count() const { return std::ssize(devices_) / replica_count_; }
  int device(int64_t replica, int64_t partition) const { return devices_[replica * partition_count() + partition]; }
  /// In the order of make().
  const std::vector<int>& devices() const { return devices_; }
  bool operator==(const DeviceAssignment&) const = default;
  /// "2x1 {0, 1}"
  std::string to_string() const;

 private:
  DeviceAssignment(int64_t replica_count, std::vector<int> devices)
      : replica_count_(replica_count), devices_(std::move(devices)) {}
  int64_t replica_count_;
  std::vector<int> devices_;
};

}  // namespace hilo
