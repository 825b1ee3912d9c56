// SPDX-License-Identifier: Apache-2.0
// hlo/sharding/sharding.h -- meshes and shardings: which part of an array each device has. The model is Shardy's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::hlo {

struct MeshAxis {
  std::string name;
  int64_t size = 1;
  bool operator==(const MeshAxis&) const = default;
};

/// Devices in a box. Places are counted row-major; device_ids says which device stands at each, empty: the place itself. A
/// sole device counts as the first, whichever it is.
struct Mesh {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> device_ids;
  int64_t device_count() const;
  /// Errors    INVALID_ARGUMENT for sizes below 1, more than 65536 devices, and ids that aren't each device once
  Status add_axis(std::string name, int64_t size);
  Status set_device_ids(std::vector<int64_t> ids);
  int64_t device_at(int64_t place) const { return device_ids.size() < 2 ? place : device_ids[place]; }
  bool operator==(const Mesh&) const = default;
};

/// An axis, or the part `"x":(before)size` of one: the axis taken as [before, size, rest], and of that the middle.
struct AxisReference {
  std::string name;
  int64_t before = 1, size = 0;  ///< size 0: the whole axis
  bool operator==(const AxisReference&) const = default;
};

struct DimensionSharding {
  std::vector<AxisReference> axes;  ///< major first
  bool open = false;                ///< propagation may add axes behind these
  int64_t priority = 0;             ///< whose shardings propagate first: small numbers
  bool operator==(const DimensionSharding&) const = default;
};

struct Sharding {
  std::string mesh_name;  ///< empty: `mesh` is written in place
  Mesh mesh;
  std::vector<DimensionSharding> dimensions;
  std::vector<AxisReference> replicated;  ///< axes that no dimension may take
  std::vector<AxisReference> unreduced;   ///< the array is the sum of what devices along these axes have
  bool operator==(const Sharding&) const = default;
};

/// How the devices of a mesh share one dimension of an array.
struct DimensionSplit {
  int64_t parts = 1;
  std::vector<int64_t> part_of_device;       ///< by device
  std::vector<std::vector<int64_t>> groups;  ///< devices that have one whole dimension together, in the order of parts
};

/// Errors    INVALID_ARGUMENT for axes that the mesh lacks, or parts that don't divide them
StatusOr<DimensionSplit> split_dimension(const Mesh& mesh, const std::vector<AxisReference>& axes);

}  // namespace hilo::hlo
