// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/sharding/sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hilo/base/text.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kMaxDevices = 65536;

/// Checks that each device appears once. A single device may have any id.
Status check_device_ids(const Mesh& mesh) {
  std::vector<int64_t> sorted = mesh.device_ids;
  std::ranges::sort(sorted);
  bool each_once = std::ssize(sorted) == mesh.device_count();
  for (size_t i = 0; i < sorted.size(); ++i) each_once &= sorted[i] == static_cast<int64_t>(i);
  const bool one_device = mesh.axes.empty() && sorted.size() == 1;
  if (each_once || one_device) return ok_status();
  return invalid_argument("device_ids of a mesh aren't each of its devices once");
}

}  // namespace

int64_t Mesh::device_count() const {
  int64_t count = 1;
  for (const MeshAxis& axis : axes) count *= axis.size;
  return count;
}

Status Mesh::add_axis(std::string name, int64_t size) {
  if (size < 1 || size > kMaxDevices / device_count())
    return invalid_argument(fmt::format("mesh axis {} has size {}", quote(name), size));
  axes.push_back({std::move(name), size});
  return ok_status();
}

Status Mesh::set_device_ids(std::vector<int64_t> ids) {
  device_ids = std::move(ids);
  return check_device_ids(*this);
}

StatusOr<DimensionSplit> split_dimension(const Mesh& mesh, const std::vector<AxisReference>& axes) {
  struct Digit {
    size_t axis;
    int64_t size, rest;  // parts of the axis that are minor to this one; divides the place's coordinate on that axis
  };
  DimensionSplit split;
  std::vector<Digit> digits;
  for (const AxisReference& reference : axes) {
    const auto found =
        std::ranges::find_if(mesh.axes, [&](const MeshAxis& axis) { return axis.name == reference.name; });
    if (found == mesh.axes.end())
      return invalid_argument(fmt::format("the mesh has no axis {}", quote(reference.name)));
    const int64_t size = reference.size == 0 ? found->size : reference.size;
    if (reference.before > found->size || size > found->size || found->size % (reference.before * size) != 0)
      return invalid_argument(fmt::format("axis {} of size {} has no such part", quote(found->name), found->size));
    digits.push_back({static_cast<size_t>(found - mesh.axes.begin()), size, found->size / (reference.before * size)});
    split.parts *= size;
    if (split.parts > mesh.device_count()) return invalid_argument("a dimension names an axis twice");
  }
  const int64_t devices = mesh.device_count();
  split.part_of_device.resize(devices);
  std::map<std::vector<int64_t>, std::vector<int64_t>> groups;  // by the shard numbers of the other dimensions
  for (int64_t place = 0; place < devices; ++place) {
    std::vector<int64_t> coordinates(mesh.axes.size());
    int64_t left = place;
    for (size_t axis = mesh.axes.size(); axis-- > 0; left /= mesh.axes[axis].size)
      coordinates[axis] = left % mesh.axes[axis].size;
    int64_t part = 0;
    for (const Digit& digit : digits) {
      const int64_t value = coordinates[digit.axis] / digit.rest % digit.size;
      part = part * digit.size + value;
      coordinates[digit.axis] -= value * digit.rest;
    }
    std::vector<int64_t>& group = groups[coordinates];
    group.resize(split.parts);
    group[part] = mesh.device_at(place);
    split.part_of_device[mesh.device_at(place)] = part;
  }
  for (auto& group : groups) split.groups.push_back(std::move(group.second));
  return split;
}

}  // namespace hilo::hlo
