// SPDX-License-Identifier: Apache-2.0
// stablehlo/devices/sharding.h -- Shardy's meshes and shardings: which part of an array each device has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::stablehlo {

struct MeshAxis {
  std::string name;
  int64_t size = 1;
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
  int64_t device_at(int64_t place) const {
    return device_ids.size() < 2 ? place : device_ids[static_cast<size_t>(place)];
  }
};

/// An axis, or the part `"x":(before)size` of one: the axis taken as [before, size, rest], and of that the middle.
struct AxisReference {
  std::string name;
  int64_t before = 1, size = 0;  ///< size 0: the whole axis
};

/// One list of axes a dimension, major first.
struct Sharding {
  std::string mesh_name;  ///< empty: `mesh` is written in place
  Mesh mesh;
  std::vector<std::vector<AxisReference>> dimensions;
  std::vector<AxisReference> unreduced;  ///< the array is the sum of what devices along these axes have
};

/// `<["x"=2, "y"=4], device_ids=[...]>`
/// Errors    INVALID_ARGUMENT, also for sizes below 1, more than 65536 devices, and ids that aren't each device once
StatusOr<Mesh> parse_mesh(std::string_view text);

/// `[<@mesh, [{"x"}, {}]>, ...]`. That a dimension is open, priorities and replicated axes are passed over.
StatusOr<std::vector<Sharding>> parse_shardings(std::string_view text);

/// `{"x", "y"}`
StatusOr<std::vector<std::string>> parse_axis_names(std::string_view text);

/// How the devices of a mesh share one dimension of an array.
struct DimensionSplit {
  int64_t parts = 1;
  std::vector<int64_t> part_of_device;       ///< by device
  std::vector<std::vector<int64_t>> groups;  ///< devices that have one whole dimension together, in the order of parts
};

/// Errors    INVALID_ARGUMENT for axes that the mesh lacks, or parts that don't divide them
StatusOr<DimensionSplit> split_dimension(const Mesh& mesh, const std::vector<AxisReference>& axes);

}  // namespace hilo::stablehlo
