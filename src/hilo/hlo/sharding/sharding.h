// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/sharding.h -- meshes and shardings: which shard of an array each device has. The model is Shardy's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hilo/base/status.h"
#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

struct MeshAxis {
  std::string name;
  int64_t size = 1;
  bool operator==(const MeshAxis&) const = default;
};

/// A named grid of devices. Places are counted row-major. device_ids maps each place to its device; empty: device i is
/// at place i. A single device counts as device 0, whatever its id.
struct Mesh {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> device_ids;
  int64_t device_count() const;
  /// Appends an axis.
  /// Errors    INVALID_ARGUMENT for sizes below 1, more than 65536 devices, and device ids that aren't a permutation
  Status add_axis(std::string name, int64_t size);
  Status set_device_ids(std::vector<int64_t> ids);
  int64_t device_at(int64_t place) const { return device_ids.size() < 2 ? place : device_ids[place]; }
  bool operator==(const Mesh&) const = default;
};

/// An axis, or the part `"x":(before)size` of one: the axis reshaped to [before, size, rest], of which the middle
/// dimension is used.
struct AxisReference {
  std::string name;
  int64_t before = 1, size = 0;  ///< size 0: the whole axis
  bool operator==(const AxisReference&) const = default;
};

struct DimensionSharding {
  std::vector<AxisReference> axes;  ///< major first
  bool open = false;                ///< propagation may add minor axes
  int64_t priority = 0;             ///< smaller numbers propagate first
  bool operator==(const DimensionSharding&) const = default;
};

struct Sharding {
  std::string mesh_name;  ///< empty: `mesh` is written inline
  Mesh mesh;
  std::vector<DimensionSharding> dimensions;
  std::vector<AxisReference> replicated;      ///< axes that no dimension may use
  std::vector<AxisReference> unreduced;       ///< the array is a reduction over the devices along these axes
  ReducerKind reduction = ReducerKind::kAdd;  ///< of `unreduced`: kAdd, kMaximum or kMinimum
  bool operator==(const Sharding&) const = default;
};

/// How the devices of a mesh shard one dimension of an array.
struct DimensionSplit {
  int64_t parts = 1;
  std::vector<int64_t> part_of_device;       ///< by device
  std::vector<std::vector<int64_t>> groups;  ///< groups of devices that have one whole dimension, in shard order
};

/// Returns the split of a dimension by a list of axes.
/// Errors    INVALID_ARGUMENT for axes that the mesh lacks, or parts that don't divide them
StatusOr<DimensionSplit> split_dimension(const Mesh& mesh, const std::vector<AxisReference>& axes);

}  // namespace hilo::hlo
