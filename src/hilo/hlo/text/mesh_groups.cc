// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/mesh_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "hilo/base/text.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/text/fields.h"
#include "hilo/types/checked.h"

namespace hilo::hlo::text {
namespace {

constexpr int64_t kMaxDevices = 1 << 20;  // so that a short text can't allocate much memory

struct Axis {
  std::string name;
  int64_t size;
};

/// A part of an axis: the axis reshaped to [before, size, rest], of which the middle dimension is used.
struct AxisPart {
  size_t axis;
  int64_t before, size;
};

struct Mesh {
  std::vector<Axis> axes;
  Int64List ids;  ///< device ids; the last axis varies fastest
};

StatusOr<std::vector<Axis>> read_axes(Cursor& cursor, std::string_view what) {
  std::vector<Axis> axes;
  HILO_RETURN_IF_ERROR(cursor.expect('[', "before the axes of", what));
  do {
    HILO_ASSIGN_OR_RETURN(std::string name, cursor.quoted(what));
    HILO_RETURN_IF_ERROR(cursor.expect('=', "after the name of an axis"));
    const size_t position = cursor.position();
    HILO_ASSIGN_OR_RETURN(const int64_t size, cursor.integer("the size of an axis"));
    if (size < 1) return cursor.error(position, fmt::format("{}: an axis of size {}; wanted one above 0", what, size));
    axes.push_back({std::move(name), size});
  } while (cursor.accept(','));
  HILO_RETURN_IF_ERROR(cursor.expect(']', "after the axes of", what));
  return axes;
}

StatusOr<Int64List> read_numbers(Cursor& cursor, std::string_view what, char end) {
  Int64List numbers;
  do {
    HILO_ASSIGN_OR_RETURN(const int64_t number, cursor.integer(what));
    numbers.push_back(number);
  } while (cursor.accept(','));
  HILO_RETURN_IF_ERROR(cursor.expect(end, "after", what));
  return numbers;
}

/// Reads `([4,2]T(1,0))` or `(3,1,0,2)`.
StatusOr<Int64List> read_device_ids(Cursor& cursor, int64_t count) {
  constexpr std::string_view kWhat = "device_ids";
  HILO_RETURN_IF_ERROR(cursor.expect('(', "before", kWhat));
  const size_t position = cursor.position();
  Int64List ids;
  if (cursor.accept('[')) {
    HILO_ASSIGN_OR_RETURN(const Int64List sizes, read_numbers(cursor, kWhat, ']'));
    Int64List permutation(sizes.size());
    std::iota(permutation.begin(), permutation.end(), int64_t{0});
    if (cursor.accept_word("T")) {
      HILO_RETURN_IF_ERROR(cursor.expect('(', "after T of", kWhat));
      HILO_ASSIGN_OR_RETURN(permutation, read_numbers(cursor, kWhat, ')'));
    }
    const int64_t rows[] = {1, count};
    StatusOr<Int64Lists> lists = iota_lists(rows, sizes, permutation);
    if (!lists.ok()) return cursor.error(position, fmt::format("{}: {}", kWhat, lists.status().message()));
    ids = std::move((*lists)[0]);
    HILO_RETURN_IF_ERROR(cursor.expect(')', "after", kWhat));
  } else {
    HILO_ASSIGN_OR_RETURN(ids, read_numbers(cursor, kWhat, ')'));
  }
  if (std::ssize(ids) == count) return ids;
  return cursor.error(position, fmt::format("{}: got {} devices, the mesh has {}", kWhat, ids.size(), count));
}

StatusOr<Mesh> read_mesh(Cursor& cursor, std::string_view what) {
  const size_t position = cursor.position();
  cursor.accept_word("mesh");
  Mesh mesh;
  HILO_ASSIGN_OR_RETURN(mesh.axes, read_axes(cursor, what));
  int64_t count = 1;
  for (const Axis& axis : mesh.axes)
    count = std::min(checked_mul(count, axis.size).value_or(INT64_MAX), kMaxDevices + 1);
  if (count > kMaxDevices) return cursor.error(position, fmt::format("{}: more than {} devices", what, kMaxDevices));
  mesh.ids.resize(count);
  std::iota(mesh.ids.begin(), mesh.ids.end(), int64_t{0});
  const size_t end = cursor.last_position();
  if (cursor.accept(',') && cursor.accept_word("device_ids")) {
    HILO_RETURN_IF_ERROR(cursor.expect('=', "after device_ids"));
    HILO_ASSIGN_OR_RETURN(mesh.ids, read_device_ids(cursor, count));
  } else {
    cursor.set_position(end);
  }
  return mesh;
}

/// Reads `'y'`, `'1'` or `'y':(2)4`.
StatusOr<AxisPart> read_part(Cursor& cursor, std::string_view what, const std::vector<Axis>& axes) {
  const size_t position = cursor.position();
  HILO_ASSIGN_OR_RETURN(const std::string name, cursor.quoted(what));
  auto axis = std::ranges::find(axes, name, &Axis::name);
  size_t number = axes.size();
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (axis == axes.end() && error == std::errc() && stop == name.data() + name.size() && number < axes.size())
    axis = axes.begin() + number;
  if (axis == axes.end()) return cursor.error(position, fmt::format("{}: the mesh has no axis {}", what, quote(name)));
  AxisPart part{static_cast<size_t>(axis - axes.begin()), 1, axis->size};
  if (!cursor.accept(':')) return part;
  HILO_RETURN_IF_ERROR(cursor.expect('(', "before the outer size of a part of an axis"));
  HILO_ASSIGN_OR_RETURN(part.before, cursor.integer("the outer size of a part of an axis"));
  HILO_RETURN_IF_ERROR(cursor.expect(')', "after the outer size of a part of an axis"));
  HILO_ASSIGN_OR_RETURN(part.size, cursor.integer("the size of a part of an axis"));
  const bool fits = part.before > 0 && part.size > 0 && part.before <= axis->size && part.size <= axis->size &&
                    axis->size % (part.before * part.size) == 0;
  if (fits) return part;
  return cursor.error(position, fmt::format("{}: no part ({}){} divides axis {} of size {}", what, part.before,
                                            part.size, quote(axis->name), axis->size));
}

/// The mesh, reshaped so that each part is a dimension; parts of size 1 are omitted.
struct Cut {
  Int64List sizes;
  Int64List chosen;  ///< the dimensions that are parts, in the order of the parts
};

/// Splits the mesh into the dimensions of the parts.
/// Errors    INVALID_ARGUMENT if parts overlap
StatusOr<Cut> cut_mesh(const Mesh& mesh, const std::vector<AxisPart>& parts) {
  Cut cut;
  std::vector<int64_t> dimension_of(parts.size(), -1);
  for (size_t a = 0; a < mesh.axes.size(); ++a) {
    Int64List ends = {1, mesh.axes[a].size};
    for (const AxisPart& part : parts) {
      if (part.axis == a) ends.insert(ends.end(), {part.before, part.before * part.size});
    }
    std::ranges::sort(ends);
    ends.erase(std::ranges::unique(ends).begin(), ends.end());
    for (size_t k = 0; k + 1 < ends.size(); ++k) {
      if (ends[k + 1] % ends[k] != 0) return invalid_argument("parts of an axis overlap");
      for (size_t p = 0; p < parts.size(); ++p) {
        const bool here = parts[p].axis == a && parts[p].before == ends[k];
        if (here && parts[p].before * parts[p].size == ends[k + 1]) dimension_of[p] = std::ssize(cut.sizes);
      }
      cut.sizes.push_back(ends[k + 1] / ends[k]);
    }
  }
  for (size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].size == 1) continue;
    if (dimension_of[p] < 0 || std::ranges::find(cut.chosen, dimension_of[p]) != cut.chosen.end())
      return invalid_argument("parts of an axis overlap");
    cut.chosen.push_back(dimension_of[p]);
  }
  return cut;
}

}  // namespace

bool at_mesh_groups(Cursor& cursor) {
  const size_t begin = cursor.position();
  const bool found = cursor.accept_word("mesh");
  cursor.set_position(begin);
  return found;
}

Status read_mesh_groups(Cursor& cursor, std::string_view what, Int64Lists& groups) {
  const size_t position = cursor.position();
  HILO_ASSIGN_OR_RETURN(const Mesh mesh, read_mesh(cursor, what));
  std::vector<AxisPart> parts;
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before the axes of", what));
  do {
    HILO_ASSIGN_OR_RETURN(const AxisPart part, read_part(cursor, what, mesh.axes));
    parts.push_back(part);
  } while (cursor.accept(','));
  HILO_RETURN_IF_ERROR(cursor.expect('}', "after the axes of", what));
  const StatusOr<Cut> cut = cut_mesh(mesh, parts);
  if (!cut.ok()) return cursor.error(position, fmt::format("{}: {}", what, cut.status().message()));
  Int64List order;
  int64_t members = 1;
  for (int64_t d = 0; d < std::ssize(cut->sizes); ++d) {
    if (std::ranges::find(cut->chosen, d) == cut->chosen.end()) order.push_back(d);
  }
  for (const int64_t d : cut->chosen) {
    order.push_back(d);
    members *= cut->sizes[d];
  }
  HILO_ASSIGN_OR_RETURN(const Shape shape, Shape::make_array(ElementType::kS64, cut->sizes));
  const Int64List places = offsets_over(shape, order);
  for (size_t begin = 0; begin < places.size(); begin += static_cast<size_t>(members)) {
    Int64List& group = groups.emplace_back();
    for (int64_t k = 0; k < members; ++k) group.push_back(mesh.ids[places[begin + static_cast<size_t>(k)]]);
  }
  return ok_status();
}

}  // namespace hilo::hlo::text
