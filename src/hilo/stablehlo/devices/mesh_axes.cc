// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/mesh_axes.h"

#include <fmt/format.h>

namespace hilo::stablehlo {
namespace {

/// Returns the field of a dictionary; null if it is absent.
const Attribute* field(const ModuleTree& tree, const Attribute& dictionary, std::string_view name) {
  for (const NamedAttribute& entry : dictionary.entries) {
    if (entry.name == name) return &tree.attributes[entry.value];
  }
  return nullptr;
}

/// Returns a required field.
StatusOr<const Attribute*> required_field(const ModuleTree& tree, const Attribute& dictionary, std::string_view name) {
  if (const Attribute* const found = field(tree, dictionary, name)) return found;
  return invalid_argument(fmt::format("{} has no field '{}'", dictionary.text, name));
}

StatusOr<int64_t> number(const ModuleTree& tree, const Attribute& dictionary, std::string_view name) {
  HILO_ASSIGN_OR_RETURN(const Attribute* const found, required_field(tree, dictionary, name));
  if (found->kind == AttributeKind::kInteger) return found->integer;
  return invalid_argument(fmt::format("field '{}' of {} is not a number", name, dictionary.text));
}

StatusOr<AxisReference> axis_of(const ModuleTree& tree, const Attribute& reference) {
  if (reference.text != "stablehlo.axis_ref")
    return invalid_argument("wanted #stablehlo.axis_ref<...> for the axes of a mesh");
  AxisReference axis;
  HILO_ASSIGN_OR_RETURN(const Attribute* const name, required_field(tree, reference, "name"));
  axis.name = name->text;
  const Attribute* const part = field(tree, reference, "sub_axis_info");
  if (part == nullptr) return axis;
  HILO_ASSIGN_OR_RETURN(axis.before, number(tree, *part, "pre_size"));
  HILO_ASSIGN_OR_RETURN(axis.size, number(tree, *part, "size"));
  if (axis.before < 1 || axis.size < 1) return invalid_argument("a part of an axis has no size");
  return axis;
}

}  // namespace

StatusOr<Mesh> mesh_of(const ModuleTree& tree, const Attribute& attribute) {
  if (attribute.kind == AttributeKind::kOther) return parse_mesh(attribute.text);
  if (attribute.text != "stablehlo.mesh") return invalid_argument("wanted a mesh: #stablehlo.mesh<...> or its name");
  Mesh mesh;
  HILO_ASSIGN_OR_RETURN(const Attribute* const axes, required_field(tree, attribute, "axes"));
  for (const AttributeId id : axes->elements) {
    const Attribute& axis = tree.attributes[id];
    HILO_ASSIGN_OR_RETURN(const Attribute* const name, required_field(tree, axis, "name"));
    HILO_ASSIGN_OR_RETURN(const int64_t size, number(tree, axis, "size"));
    HILO_RETURN_IF_ERROR(mesh.add_axis(std::string(name->text), size));
  }
  if (const Attribute* const ids = field(tree, attribute, "device_ids"); ids != nullptr) {
    HILO_ASSIGN_OR_RETURN(std::vector<int64_t> values, integers_of(tree, *ids));
    HILO_RETURN_IF_ERROR(mesh.set_device_ids(std::move(values)));
  }
  return mesh;
}

StatusOr<Mesh> find_mesh(const ModuleTree& tree, std::string_view name) {
  for (const Operation& operation : tree.operations) {
    const Attribute* const symbol = tree.find(operation, "sym_name");
    if (symbol == nullptr || symbol->text != name) continue;
    for (const std::string_view key : {"mesh", "stablehlo.mesh"}) {
      if (const Attribute* const mesh = tree.find(operation, key)) return mesh_of(tree, *mesh);
    }
  }
  return not_found(fmt::format("mesh @{} doesn't exist", name));
}

bool is_mesh_axes(const Attribute& attribute) { return attribute.text == "stablehlo.replica_group_mesh_axes"; }

StatusOr<std::vector<std::vector<int64_t>>> mesh_groups(const ModuleTree& tree, const Attribute& attribute) {
  HILO_ASSIGN_OR_RETURN(const Attribute* const named, required_field(tree, attribute, "mesh"));
  HILO_ASSIGN_OR_RETURN(const Attribute* const references, required_field(tree, attribute, "axes"));
  const bool by_name = named->kind == AttributeKind::kSymbol || named->kind == AttributeKind::kString;
  HILO_ASSIGN_OR_RETURN(const Mesh mesh, by_name ? find_mesh(tree, named->text) : mesh_of(tree, *named));
  std::vector<AxisReference> axes;
  for (const AttributeId id : references->elements) {
    HILO_ASSIGN_OR_RETURN(AxisReference axis, axis_of(tree, tree.attributes[id]));
    axes.push_back(std::move(axis));
  }
  HILO_ASSIGN_OR_RETURN(DimensionSplit split, split_dimension(mesh, axes));
  return std::move(split.groups);
}

}  // namespace hilo::stablehlo
