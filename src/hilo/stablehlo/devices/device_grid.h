// SPDX-License-Identifier: Apache-2.0
// stablehlo/devices/device_grid.h -- the devices that run a program together, and the groups of their collectives.
#pragma once

#include "hilo/base/status.h"
#include "hilo/hlo/ir/instruction.h"

namespace hilo::stablehlo {

/// The numbers of replicas and of partitions per replica. hilo's HLO only has replicas: device (r, p) is replica r *
/// partitions + p.
struct DeviceGrid {
  int64_t replicas = 1, partitions = 1;
  int64_t count() const { return replicas * partitions; }
  int64_t device(int64_t replica, int64_t partition) const { return replica * partitions + partition; }
};

/// Meaning of the ids in a collective's groups: StableHLO's process groups.
enum class GroupMode : uint8_t { kCrossReplica, kCrossPartition, kCrossReplicaAndPartition, kFlattenedIds };

/// Converts groups of ids to groups of devices. Without groups the result is one group of all devices that the ids can
/// name.
/// Errors    INVALID_ARGUMENT for ids outside of the grid
StatusOr<hlo::Int64Lists> device_groups(const hlo::Int64Lists& groups, GroupMode mode, const DeviceGrid& grid);

/// Converts the pairs of ids of a permutation to pairs of devices.
StatusOr<hlo::Int64Pairs> device_pairs(const hlo::Int64Pairs& pairs, GroupMode mode, const DeviceGrid& grid);

}  // namespace hilo::stablehlo
