// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hilo/base/text.h"
#include "hilo/stablehlo/text/cursor.h"

namespace hilo::stablehlo {
namespace {

constexpr int64_t kMostDevices = 65536;

/// Items up to `close`, divided by commas.
template <typename Item>
Status read_list(Cursor& cursor, std::string_view close, std::string_view where, const Item& item) {
  if (cursor.accept(close)) return ok_status();
  while (true) {
    HILO_RETURN_IF_ERROR(item());
    if (cursor.accept(close)) return ok_status();
    HILO_RETURN_IF_ERROR(cursor.expect(",", where));
  }
}

/// Every device once; a sole device has any id.
Status check_device_ids(const Mesh& mesh) {
  std::vector<int64_t> sorted = mesh.device_ids;
  std::sort(sorted.begin(), sorted.end());
  bool each_once = static_cast<int64_t>(sorted.size()) == mesh.device_count();
  for (size_t i = 0; i < sorted.size(); ++i) each_once &= sorted[i] == static_cast<int64_t>(i);
  const bool one_device = mesh.axes.empty() && sorted.size() == 1;
  if (each_once || one_device) return ok_status();
  return invalid_argument("device_ids of a mesh aren't each of its devices once");
}

StatusOr<Mesh> read_mesh(Cursor& cursor) {
  Mesh mesh;
  HILO_RETURN_IF_ERROR(cursor.expect("<", "before a mesh"));
  HILO_RETURN_IF_ERROR(cursor.expect("[", "before a mesh's axes"));
  HILO_RETURN_IF_ERROR(read_list(cursor, "]", "between axes", [&]() -> Status {
    HILO_ASSIGN_OR_RETURN(std::string name, cursor.quoted("an axis"));
    HILO_RETURN_IF_ERROR(cursor.expect("=", "after an axis"));
    HILO_ASSIGN_OR_RETURN(const int64_t size, cursor.integer("an axis's size"));
    return mesh.add_axis(std::move(name), size);
  }));
  if (cursor.accept(",")) {
    if (!cursor.accept_word("device_ids")) return cursor.unexpected("'device_ids'", "in a mesh");
    HILO_RETURN_IF_ERROR(cursor.expect("=", "after 'device_ids'"));
    HILO_RETURN_IF_ERROR(cursor.expect("[", "before device ids"));
    std::vector<int64_t> ids;
    HILO_RETURN_IF_ERROR(read_list(cursor, "]", "between device ids", [&]() -> Status {
      HILO_ASSIGN_OR_RETURN(const int64_t id, cursor.integer("a device id"));
      ids.push_back(id);
      return ok_status();
    }));
    HILO_RETURN_IF_ERROR(mesh.set_device_ids(std::move(ids)));
  }
  HILO_RETURN_IF_ERROR(cursor.expect(">", "after a mesh"));
  return mesh;
}

StatusOr<AxisReference> read_axis(Cursor& cursor) {
  AxisReference axis;
  HILO_ASSIGN_OR_RETURN(axis.name, cursor.quoted("an axis"));
  if (!cursor.accept(":")) return axis;
  HILO_RETURN_IF_ERROR(cursor.expect("(", "in a part of an axis"));
  HILO_ASSIGN_OR_RETURN(axis.before, cursor.integer("the size before a part of an axis"));
  HILO_RETURN_IF_ERROR(cursor.expect(")", "in a part of an axis"));
  HILO_ASSIGN_OR_RETURN(axis.size, cursor.integer("the size of a part of an axis"));
  if (axis.before < 1 || axis.size < 1) return invalid_argument("a part of an axis has no size");
  return axis;
}

Status read_dimension(Cursor& cursor, std::vector<AxisReference>& axes) {
  HILO_RETURN_IF_ERROR(cursor.expect("{", "before a dimension's axes"));
  HILO_RETURN_IF_ERROR(read_list(cursor, "}", "between axes", [&]() -> Status {
    if (cursor.accept("?")) return ok_status();
    HILO_ASSIGN_OR_RETURN(AxisReference axis, read_axis(cursor));
    axes.push_back(std::move(axis));
    return ok_status();
  }));
  (void)cursor.word();  // a priority: p1
  return ok_status();
}

StatusOr<Sharding> read_sharding(Cursor& cursor) {
  Sharding sharding;
  HILO_RETURN_IF_ERROR(cursor.expect("<", "before a sharding"));
  if (cursor.accept_word("mesh")) {
    HILO_ASSIGN_OR_RETURN(sharding.mesh, read_mesh(cursor));
  } else {
    HILO_ASSIGN_OR_RETURN(sharding.mesh_name, cursor.symbol("a mesh"));
  }
  HILO_RETURN_IF_ERROR(cursor.expect(",", "after a mesh"));
  HILO_RETURN_IF_ERROR(cursor.expect("[", "before dimensions"));
  HILO_RETURN_IF_ERROR(read_list(cursor, "]", "between dimensions",
                                 [&] { return read_dimension(cursor, sharding.dimensions.emplace_back()); }));
  while (cursor.accept(",")) {  // replicated={...}, unreduced={...}
    const std::string_view word = cursor.word();
    if (word != "replicated" && word != "unreduced") return cursor.unexpected("a list of axes", "in a sharding");
    HILO_RETURN_IF_ERROR(cursor.expect("=", "in a sharding"));
    std::vector<AxisReference> axes;
    HILO_RETURN_IF_ERROR(read_dimension(cursor, axes));
    if (word == "unreduced") sharding.unreduced = std::move(axes);
  }
  HILO_RETURN_IF_ERROR(cursor.expect(">", "after a sharding"));
  return sharding;
}

}  // namespace

int64_t Mesh::device_count() const {
  int64_t count = 1;
  for (const MeshAxis& axis : axes) count *= axis.size;
  return count;
}

Status Mesh::add_axis(std::string name, int64_t size) {
  if (size < 1 || size > kMostDevices / device_count())
    return invalid_argument(fmt::format("mesh axis {} has size {}", quote(name), size));
  axes.push_back({std::move(name), size});
  return ok_status();
}

Status Mesh::set_device_ids(std::vector<int64_t> ids) {
  device_ids = std::move(ids);
  return check_device_ids(*this);
}

StatusOr<Mesh> parse_mesh(std::string_view text) {
  Cursor cursor(text, "a mesh");
  return read_mesh(cursor);
}

StatusOr<std::vector<Sharding>> parse_shardings(std::string_view text) {
  Cursor cursor(text, "shardings");
  std::vector<Sharding> shardings;
  HILO_RETURN_IF_ERROR(cursor.expect("[", "before shardings"));
  HILO_RETURN_IF_ERROR(read_list(cursor, "]", "between shardings", [&]() -> Status {
    HILO_ASSIGN_OR_RETURN(Sharding sharding, read_sharding(cursor));
    shardings.push_back(std::move(sharding));
    return ok_status();
  }));
  return shardings;
}

StatusOr<std::vector<std::string>> parse_axis_names(std::string_view text) {
  Cursor cursor(text, "manual axes");
  std::vector<std::string> names;
  HILO_RETURN_IF_ERROR(cursor.expect("{", "before axes"));
  HILO_RETURN_IF_ERROR(read_list(cursor, "}", "between axes", [&]() -> Status {
    HILO_ASSIGN_OR_RETURN(std::string name, cursor.quoted("an axis"));
    names.push_back(std::move(name));
    return ok_status();
  }));
  return names;
}

StatusOr<DimensionSplit> split_dimension(const Mesh& mesh, const std::vector<AxisReference>& axes) {
  struct Digit {
    size_t axis;
    int64_t size, rest;  // what the place's coordinate on that axis is divided by
  };
  DimensionSplit split;
  std::vector<Digit> digits;
  for (const AxisReference& reference : axes) {
    const auto found = std::find_if(mesh.axes.begin(), mesh.axes.end(),
                                    [&](const MeshAxis& axis) { return axis.name == reference.name; });
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
  split.part_of_device.resize(static_cast<size_t>(devices));
  std::map<std::vector<int64_t>, std::vector<int64_t>> groups;  // by what the devices of one have in common
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
    group.resize(static_cast<size_t>(split.parts));
    group[static_cast<size_t>(part)] = mesh.device_at(place);
    split.part_of_device[static_cast<size_t>(mesh.device_at(place))] = part;
  }
  for (auto& group : groups) split.groups.push_back(std::move(group.second));
  return split;
}

}  // namespace hilo::stablehlo
