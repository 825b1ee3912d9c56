// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/propagation.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/stablehlo/devices/mesh_axes.h"

namespace hilo::stablehlo {
namespace {

using Stated = std::vector<std::optional<Sharding>>;

StatusOr<Stated> stated_in(const ModuleTree& tree, const Attribute* list, size_t count) {
  Stated stated(count);
  if (list == nullptr) return stated;
  for (size_t i = 0; i < std::min(count, list->elements.size()); ++i) {
    for (const auto& [name, id] : tree.attributes[list->elements[i]].entries) {
      if (name != "sdy.sharding") continue;
      HILO_ASSIGN_OR_RETURN(stated[i], sharding_of(tree, tree.attributes[id]));
    }
  }
  return stated;
}

StatusOr<Mesh> mesh_for(const ModuleTree& tree, const Stated& parameters, const Stated& results) {
  for (const Stated* list : {&parameters, &results}) {
    for (const std::optional<Sharding>& sharding : *list) {
      if (sharding && sharding->mesh.device_count() > 1) return sharding->mesh;
    }
  }
  for (const Operation& operation : tree.operations) {
    const Attribute* const mesh = operation.name == "sdy.mesh" ? tree.find(operation, "mesh") : nullptr;
    if (mesh == nullptr) continue;
    HILO_ASSIGN_OR_RETURN(const Mesh found, mesh_of(tree, *mesh));
    if (found.device_count() > 1) return found;
  }
  return Mesh();
}

void drop_other_meshes(const Mesh& mesh, Stated& stated, std::vector<bool>& free) {
  for (size_t i = 0; i < stated.size(); ++i) {
    if (!stated[i]) continue;
    free[i] = false;
    if (stated[i]->mesh != mesh) stated[i].reset();
  }
}

/// The value of `xla.sdy.sharding` among frontend attributes, without its quotes; "" if it isn't there.
std::string frontend_sharding(std::string_view attributes) {
  constexpr std::string_view kKey = "xla.sdy.sharding=\"";
  const size_t found = attributes.find(kKey);
  std::string text;
  if (found == std::string_view::npos) return text;
  for (size_t i = found + kKey.size(); i < attributes.size() && attributes[i] != '"'; ++i) {
    if (attributes[i] == '\\' && i + 1 < attributes.size()) ++i;
    text += attributes[i];
  }
  return text;
}

/// `#sdy.sharding<...>` or `#sdy.sharding_per_value<[<...>, ...]>`; bytecode has the first without its name.
StatusOr<std::vector<Sharding>> read_shardings(const ModuleTree& tree, std::string_view text) {
  constexpr std::string_view kOne = "#sdy.sharding", kMany = "_per_value<";
  if (text.starts_with(kOne)) text.remove_prefix(kOne.size());
  const bool many = text.starts_with(kMany) && text.ends_with('>');
  if (many) text = text.substr(kMany.size(), text.size() - kMany.size() - 1);
  HILO_ASSIGN_OR_RETURN(std::vector<Sharding> shardings,
                        parse_shardings(many ? std::string(text) : fmt::format("[{}]", text)));
  for (Sharding& sharding : shardings) {
    if (sharding.mesh_name.empty()) continue;
    HILO_ASSIGN_OR_RETURN(sharding.mesh, find_mesh(tree, sharding.mesh_name));
  }
  return shardings;
}

}  // namespace

const Operation* entry_function(const ModuleTree& tree) {
  const Operation* found = nullptr;
  for (const Operation& operation : tree.operations) {
    if (operation.name != "func.func") continue;
    const Attribute* const name = tree.find(operation, "sym_name");
    if (name != nullptr && name->text == "main") return &operation;
    const Attribute* const visibility = tree.find(operation, "sym_visibility");
    if (visibility == nullptr || visibility->text != "private") found = &operation;
  }
  return found;
}

StatusOr<Sharding> sharding_of(const ModuleTree& tree, const Attribute& attribute) {
  HILO_ASSIGN_OR_RETURN(std::vector<Sharding> shardings, read_shardings(tree, attribute.text));
  if (shardings.size() != 1) return invalid_argument("wanted one sharding");
  return std::move(shardings[0]);
}

StatusOr<hlo::PropagationRequest> propagation_request(const ModuleTree& tree, std::vector<bool> free_parameters,
                                                      std::vector<bool> free_results) {
  const Operation* const entry = entry_function(tree);
  if (entry == nullptr) return invalid_argument("the module has no function to call");
  hlo::PropagationRequest request;
  HILO_ASSIGN_OR_RETURN(request.parameters, stated_in(tree, tree.find(*entry, "arg_attrs"), free_parameters.size()));
  HILO_ASSIGN_OR_RETURN(request.results, stated_in(tree, tree.find(*entry, "res_attrs"), free_results.size()));
  HILO_ASSIGN_OR_RETURN(request.mesh, mesh_for(tree, request.parameters, request.results));
  drop_other_meshes(request.mesh, request.parameters, free_parameters);
  drop_other_meshes(request.mesh, request.results, free_results);
  request.free_parameters = std::move(free_parameters);
  request.free_results = std::move(free_results);
  request.stated = [&tree,
                    mesh = request.mesh](const hlo::Instruction& instruction) -> StatusOr<std::vector<Sharding>> {
    const std::string text = frontend_sharding(instruction.annotations->frontend_attributes);
    if (text.empty()) return std::vector<Sharding>();
    HILO_ASSIGN_OR_RETURN(std::vector<Sharding> shardings, read_shardings(tree, text));
    const bool all_here = std::ranges::all_of(shardings, [&](const Sharding& s) { return s.mesh == mesh; });
    return all_here ? std::move(shardings) : std::vector<Sharding>();
  };
  return request;
}

}  // namespace hilo::stablehlo
