// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/device_grid.h"

#include <fmt/format.h>

#include <numeric>

namespace hilo::stablehlo {
namespace {

/// Returns the number of valid ids.
int64_t id_count(GroupMode mode, const DeviceGrid& grid) {
  switch (mode) {
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition: return grid.replicas;
    case GroupMode::kCrossPartition: return grid.partitions;
    case GroupMode::kFlattenedIds: return grid.count();
  }
  return 0;
}

Status check_id(int64_t id, GroupMode mode, const DeviceGrid& grid) {
  if (id >= 0 && id < id_count(mode, grid)) return ok_status();
  return invalid_argument(fmt::format("a group contains device {}; wanted 0 to {}", id, id_count(mode, grid) - 1));
}

}  // namespace

StatusOr<hlo::Int64Lists> device_groups(const hlo::Int64Lists& groups, GroupMode mode, const DeviceGrid& grid) {
  hlo::Int64Lists named = groups;
  if (named.empty()) {
    named.emplace_back(static_cast<size_t>(id_count(mode, grid)));
    std::iota(named[0].begin(), named[0].end(), int64_t{0});
  }
  for (const hlo::Int64List& group : named) {
    for (int64_t id : group) HILO_RETURN_IF_ERROR(check_id(id, mode, grid));
  }
  hlo::Int64Lists devices;
  switch (mode) {
    case GroupMode::kCrossReplica:
      for (const hlo::Int64List& group : named) {
        for (int64_t p = 0; p < grid.partitions; ++p) {
          hlo::Int64List& made = devices.emplace_back();
          for (int64_t r : group) made.push_back(grid.device(r, p));
        }
      }
      break;
    case GroupMode::kCrossPartition:
      for (const hlo::Int64List& group : named) {
        for (int64_t r = 0; r < grid.replicas; ++r) {
          hlo::Int64List& made = devices.emplace_back();
          for (int64_t p : group) made.push_back(grid.device(r, p));
        }
      }
      break;
    case GroupMode::kCrossReplicaAndPartition:
      for (const hlo::Int64List& group : named) {
        hlo::Int64List& made = devices.emplace_back();
        for (int64_t p = 0; p < grid.partitions; ++p) {
          for (int64_t r : group) made.push_back(grid.device(r, p));
        }
      }
      break;
    case GroupMode::kFlattenedIds: devices = std::move(named); break;
  }
  return devices;
}

StatusOr<hlo::Int64Pairs> device_pairs(const hlo::Int64Pairs& pairs, GroupMode mode, const DeviceGrid& grid) {
  hlo::Int64Pairs devices;
  for (const auto& [source, target] : pairs) {
    HILO_ASSIGN_OR_RETURN(const hlo::Int64Lists groups, device_groups({{source, target}}, mode, grid));
    for (const hlo::Int64List& pair : groups) devices.emplace_back(pair[0], pair[1]);
  }
  return devices;
}

}  // namespace hilo::stablehlo
