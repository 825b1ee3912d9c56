// SPDX-License-Identifier: Apache-2.0
// stablehlo/devices/device_grid.h -- the devices that run a program together, and which of them meet in a collective.
#pragma once

#include "hilo/base/status.h"
#include "hilo/hlo/ir/instruction.h"

namespace hilo::stablehlo {

/// Replicas, each of so many partitions. HLO as hilo runs it has replicas only: device (r, p) is replica r * partitions + p.
struct DeviceGrid {
  int64_t replicas = 1, partitions = 1;
  int64_t count() const { return replicas * partitions; }
  int64_t device(int64_t replica, int64_t partition) const { return replica * partitions + partition; }
};

/// What the ids of a collective's groups count: StableHLO's process groups.
enum class GroupMode : uint8_t { kCrossReplica, kCrossPartition, kCrossReplicaAndPartition, kFlattenedIds };

/// The groups of devices. Without groups there is one, of all that the ids count.
/// Errors    INVALID_ARGUMENT for ids that the grid doesn't have
StatusOr<hlo::Int64Lists> device_groups(const hlo::Int64Lists& groups, GroupMode mode, const DeviceGrid& grid);

/// The pairs of devices of a permutation.
StatusOr<hlo::Int64Pairs> device_pairs(const hlo::Int64Pairs& pairs, GroupMode mode, const DeviceGrid& grid);

}  // namespace hilo::stablehlo
