// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "hilo/base/text.h"
#include "hilo/stablehlo/text/cursor.h"
#include "hilo/stablehlo/tree/print_attribute.h"

namespace hilo::stablehlo {
namespace {

/// Reads items separated by commas up to `close`.
template <typename Item>
Status read_list(Cursor& cursor, std::string_view close, std::string_view where, const Item& item) {
  if (cursor.accept(close)) return ok_status();
  while (true) {
    HILO_RETURN_IF_ERROR(item());
    if (cursor.accept(close)) return ok_status();
    HILO_RETURN_IF_ERROR(cursor.expect(",", where));
  }
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

Status read_axes(Cursor& cursor, DimensionSharding& dimension) {
  HILO_RETURN_IF_ERROR(cursor.expect("{", "before a dimension's axes"));
  return read_list(cursor, "}", "between axes", [&]() -> Status {
    if (cursor.accept("?")) {
      dimension.open = true;
      return ok_status();
    }
    HILO_ASSIGN_OR_RETURN(AxisReference axis, read_axis(cursor));
    dimension.axes.push_back(std::move(axis));
    return ok_status();
  });
}

/// `{"x", ?}p1`
Status read_dimension(Cursor& cursor, DimensionSharding& dimension) {
  HILO_RETURN_IF_ERROR(read_axes(cursor, dimension));
  const std::string_view priority = cursor.word();
  if (priority.empty()) return ok_status();
  const char* const end = priority.data() + priority.size();
  const auto [stop, error] = std::from_chars(priority.data() + 1, end, dimension.priority);
  if (priority[0] == 'p' && error == std::errc() && stop == end && dimension.priority >= 0) return ok_status();
  return invalid_argument(fmt::format("the priority of a dimension: got '{}'; wanted p0, p1, ...", priority));
}

/// Returns the reduction of `unreduced=max{"x"}`; without a word it is a sum.
StatusOr<hlo::ReducerKind> reduction_of(std::string_view word) {
  if (word.empty() || word == "sum") return hlo::ReducerKind::kAdd;
  if (word == "max") return hlo::ReducerKind::kMaximum;
  if (word == "min") return hlo::ReducerKind::kMinimum;
  return unimplemented(fmt::format("a sharding with partial results of a reduction by '{}'", word));
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
    const bool bare = word == "unreduced" && cursor.next_is("{");  // an old form
    if (!bare) HILO_RETURN_IF_ERROR(cursor.expect("=", "in a sharding"));
    if (word == "unreduced") {
      HILO_ASSIGN_OR_RETURN(sharding.reduction, reduction_of(cursor.word()));
    }
    DimensionSharding list;
    HILO_RETURN_IF_ERROR(read_axes(cursor, list));
    (word == "unreduced" ? sharding.unreduced : sharding.replicated) = std::move(list.axes);
  }
  HILO_RETURN_IF_ERROR(cursor.expect(">", "after a sharding"));
  return sharding;
}

}  // namespace

StatusOr<Mesh> parse_mesh(std::string_view text) {
  Cursor cursor(text, "a mesh");
  cursor.accept("#sdy.mesh");
  return read_mesh(cursor);
}

StatusOr<std::vector<Sharding>> parse_shardings(std::string_view text) {
  Cursor cursor(text, "shardings");
  std::vector<Sharding> shardings;
  const auto read = [&]() -> Status {
    cursor.accept("#sdy.sharding");
    HILO_ASSIGN_OR_RETURN(Sharding sharding, read_sharding(cursor));
    shardings.push_back(std::move(sharding));
    return ok_status();
  };
  // The generic form has the complete attribute: #sdy.sharding_per_value<[...]>, or #sdy.sharding<...> for a single
  // value.
  const bool wrapped = cursor.accept("#sdy.sharding_per_value");
  if (!wrapped && !cursor.next_is("[")) {
    HILO_RETURN_IF_ERROR(read());
    return shardings;
  }
  if (wrapped) HILO_RETURN_IF_ERROR(cursor.expect("<", "before shardings"));
  HILO_RETURN_IF_ERROR(cursor.expect("[", "before shardings"));
  HILO_RETURN_IF_ERROR(read_list(cursor, "]", "between shardings", read));
  return shardings;
}

namespace {

std::string axes_text(const std::vector<AxisReference>& axes, bool open) {
  std::string text = "{";
  for (const AxisReference& axis : axes) {
    text += fmt::format("{}\"{}\"", text.size() == 1 ? "" : ", ", axis.name);
    if (axis.size != 0) text += fmt::format(":({}){}", axis.before, axis.size);
  }
  if (open) text += axes.empty() ? "?" : ", ?";
  return text + "}";
}

std::string mesh_text(const Mesh& mesh) {
  std::string text = "mesh<[";
  for (const MeshAxis& axis : mesh.axes)
    text += fmt::format("{}\"{}\"={}", text.back() == '[' ? "" : ", ", axis.name, axis.size);
  text += "]";
  if (!mesh.device_ids.empty()) text += fmt::format(", device_ids=[{}]", fmt::join(mesh.device_ids, ", "));
  return text + ">";
}

}  // namespace

std::string to_string(const Sharding& sharding) {
  std::string text =
      sharding.mesh_name.empty() ? "<" + mesh_text(sharding.mesh) : "<" + print_symbol(sharding.mesh_name);
  text += ", [";
  for (const DimensionSharding& dimension : sharding.dimensions) {
    if (text.back() != '[') text += ", ";
    text += axes_text(dimension.axes, dimension.open);
    if (dimension.priority != 0) text += fmt::format("p{}", dimension.priority);
  }
  text += "]";
  if (!sharding.replicated.empty()) text += ", replicated=" + axes_text(sharding.replicated, false);
  if (sharding.unreduced.empty()) return text + ">";
  const bool is_sum = sharding.reduction == hlo::ReducerKind::kAdd;
  text += is_sum                                             ? ", unreduced="
          : sharding.reduction == hlo::ReducerKind::kMaximum ? ", unreduced=max"
                                                             : ", unreduced=min";
  text += axes_text(sharding.unreduced, false);
  return text + ">";
}

StatusOr<std::vector<std::string>> parse_axis_names(std::string_view text) {
  Cursor cursor(text, "manual axes");
  cursor.accept("#sdy<manual_axes");  // in the generic form
  std::vector<std::string> names;
  HILO_RETURN_IF_ERROR(cursor.expect("{", "before axes"));
  HILO_RETURN_IF_ERROR(read_list(cursor, "}", "between axes", [&]() -> Status {
    HILO_ASSIGN_OR_RETURN(std::string name, cursor.quoted("an axis"));
    names.push_back(std::move(name));
    return ok_status();
  }));
  return names;
}

}  // namespace hilo::stablehlo
