// SPDX-License-Identifier: Apache-2.0
#include "hilo/device/device_assignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <set>

namespace hilo {

DeviceAssignment DeviceAssignment::replicas(int64_t count) {
  std::vector<int> devices(count);
  std::iota(devices.begin(), devices.end(), 0);
  return {count, std::move(devices)};
}

StatusOr<DeviceAssignment> DeviceAssignment::make(int64_t replica_count, int64_t partition_count,
                                                  std::vector<int> devices) {
  int64_t wanted = 0;
  const bool fits = replica_count > 0 && partition_count > 0 &&
                    !__builtin_mul_overflow(replica_count, partition_count, &wanted) && wanted == std::ssize(devices);
  if (!fits) {
    return invalid_argument(fmt::format(
        "device assignment: got {} devices for {} replicas of {} partitions; wanted one device per partition",
        devices.size(), replica_count, partition_count));
  }
  std::set<int> seen;
  for (const int device : devices) {
    if (seen.insert(device).second) continue;
    return invalid_argument(
        fmt::format("device assignment: device {} occurs twice; wanted one partition per device", device));
  }
  return DeviceAssignment(replica_count, std::move(devices));
}

std::string DeviceAssignment::to_string() const {
  return fmt::format("{}x{} {{{}}}", replica_count(), partition_count(), fmt::join(devices_, ", "));
}

}  // namespace hilo
