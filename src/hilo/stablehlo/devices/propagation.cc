// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/devices/propagation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "hilo/hlo/ir/frontend_attribute.h"
#include "hilo/hlo/sharding/over_mesh.h"
#include "hilo/stablehlo/devices/mesh_axes.h"
#include "hilo/stablehlo/devices/op_sharding.h"
#include "hilo/stablehlo/devices/sharding_rule.h"

namespace hilo::stablehlo {
namespace {

using OptionalShardings = std::vector<std::optional<Sharding>>;

StatusOr<OptionalShardings> read_stated(const ModuleTree& tree, const Attribute* list, std::span<const Shape> shapes) {
  OptionalShardings stated(shapes.size());
  if (list == nullptr) return stated;
  for (size_t i = 0; i < std::min(shapes.size(), list->elements.size()); ++i) {
    for (const auto& [name, id] : tree.attributes[list->elements[i]].entries) {
      if (!shapes[i].is_array()) continue;
      HILO_ASSIGN_OR_RETURN(std::optional<Sharding> sharding,
                            sharding_of(tree, name, tree.attributes[id], shapes[i].rank()));
      if (sharding) stated[i] = *std::move(sharding);
    }
  }
  return stated;
}

StatusOr<Mesh> mesh_for(const ModuleTree& tree, const OptionalShardings& parameters, const OptionalShardings& results) {
  for (const OptionalShardings* list : {&parameters, &results}) {
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
  for (const Operation& operation : tree.operations) {  // GSPMD's @Sharding
    const Attribute* const sharding = tree.find(operation, kOpSharding);
    if (sharding == nullptr || operation.results.count != 1) continue;
    HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(tree, tree.values[operation.results.begin].type));
    if (!shape.is_array()) continue;
    HILO_ASSIGN_OR_RETURN(const OpSharding found, read_op_sharding(sharding->text, shape.rank()));
    if (found.sharding.mesh.device_count() > 1) return found.sharding.mesh;
  }
  return Mesh();
}

/// Converts a sharding to the axes of `mesh`. If that is impossible, the value has no sharding and
/// doesn't take part in propagation.
Status express_in(const Mesh& mesh, OptionalShardings& stated, std::vector<bool>& free) {
  for (size_t i = 0; i < stated.size(); ++i) {
    if (!stated[i]) continue;
    free[i] = false;
    HILO_ASSIGN_OR_RETURN(stated[i], hlo::over_mesh(*stated[i], mesh));
  }
  return ok_status();
}

/// Reads `#sdy.sharding<...>` or `#sdy.sharding_per_value<[<...>, ...]>`. Bytecode has the first one without its name.
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

namespace {

StatusOr<std::optional<hlo::ShardingRule>> own_rule(const hlo::Instruction& instruction,
                                                    const std::vector<Shape>& operands) {
  if (instruction.opcode != hlo::Opcode::kCustomCall) return std::optional<hlo::ShardingRule>();
  const std::string text =
      hlo::frontend_attribute(instruction.annotations->frontend_attributes, "xla.sdy.sharding_rule");
  if (text.empty()) return std::optional<hlo::ShardingRule>();
  HILO_ASSIGN_OR_RETURN(hlo::ShardingRule rule, parse_sharding_rule(text));
  const Status fits = check_sharding_rule(rule, operands, instruction.shape.leaves());
  if (!fits.ok()) return fits.with_context(describe(instruction));
  return std::optional(std::move(rule));
}

std::optional<int64_t> group_of(const hlo::Instruction& instruction) {
  return hlo::frontend_number(instruction, "hilo.group");
}

/// Reads the note of an edge: `in <@mesh, [{"x"}]>` for the instruction that cuts, `out 2 <@mesh, [{"x"}]>` for the
/// last one of those that join.
StatusOr<std::optional<hlo::ManualEdge>> manual_edge(const ModuleTree& tree, const Mesh& mesh,
                                                     const hlo::Instruction& instruction) {
  if (instruction.annotations == nullptr) return std::optional<hlo::ManualEdge>();
  const std::string text = hlo::frontend_attribute(instruction.annotations->frontend_attributes, "hilo.manual");
  const size_t begin = text.find('<');
  if (text.empty() || begin == std::string::npos) return std::optional<hlo::ManualEdge>();
  hlo::ManualEdge edge;
  edge.enters = text.starts_with("in ");
  if (!edge.enters) std::from_chars(text.data() + std::string_view("out ").size(), text.data() + begin, edge.joins);
  HILO_ASSIGN_OR_RETURN(std::vector<Sharding> shardings, read_shardings(tree, text.substr(begin)));
  if (shardings.size() != 1) return invalid_argument("hilo.manual: wanted one sharding");
  Sharding others;
  others.mesh = shardings[0].mesh;
  others.replicated = std::exchange(shardings[0].replicated, {});
  HILO_ASSIGN_OR_RETURN(std::optional<Sharding> sharding, hlo::over_mesh(shardings[0], mesh));
  if (!sharding) return unimplemented("a manual computation over a mesh that the program's mesh can't express");
  edge.sharding = *std::move(sharding);
  HILO_ASSIGN_OR_RETURN(sharding, hlo::over_mesh(others, mesh));
  if (sharding) edge.others = std::move(sharding->replicated);
  return std::optional(std::move(edge));
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

StatusOr<std::optional<Sharding>> sharding_of(const ModuleTree& tree, std::string_view name, const Attribute& attribute,
                                              int64_t rank) {
  if (name == kOpSharding) {
    HILO_ASSIGN_OR_RETURN(OpSharding sharding, read_op_sharding(attribute.text, rank));
    return std::optional(std::move(sharding.sharding));
  }
  if (name != "sdy.sharding") return std::optional<Sharding>();
  HILO_ASSIGN_OR_RETURN(std::vector<Sharding> shardings, read_shardings(tree, attribute.text));
  if (shardings.size() != 1) return invalid_argument("wanted one sharding");
  return std::optional(std::move(shardings[0]));
}

StatusOr<hlo::PropagationRequest> propagation_request(const ModuleTree& tree, EntryValues parameters,
                                                      EntryValues results) {
  const Operation* const entry = entry_function(tree);
  if (entry == nullptr) return invalid_argument("the module has no public function");
  hlo::PropagationRequest request;
  HILO_ASSIGN_OR_RETURN(request.parameters, read_stated(tree, tree.find(*entry, "arg_attrs"), parameters.shapes));
  HILO_ASSIGN_OR_RETURN(request.results, read_stated(tree, tree.find(*entry, "res_attrs"), results.shapes));
  HILO_ASSIGN_OR_RETURN(request.mesh, mesh_for(tree, request.parameters, request.results));
  HILO_RETURN_IF_ERROR(express_in(request.mesh, request.parameters, parameters.free));
  HILO_RETURN_IF_ERROR(express_in(request.mesh, request.results, results.free));
  request.free_parameters = std::move(parameters.free);
  request.free_results = std::move(results.free);
  request.stated = [&tree,
                    mesh = request.mesh](const hlo::Instruction& instruction) -> StatusOr<std::vector<Sharding>> {
    const std::string text = hlo::frontend_attribute(instruction.annotations->frontend_attributes, "xla.sdy.sharding");
    if (text.empty()) return std::vector<Sharding>();
    HILO_ASSIGN_OR_RETURN(std::vector<Sharding> shardings, read_shardings(tree, text));
    for (Sharding& sharding : shardings) {
      HILO_ASSIGN_OR_RETURN(std::optional<Sharding> converted, hlo::over_mesh(sharding, mesh));
      if (!converted) return std::vector<Sharding>();
      sharding = *std::move(converted);
    }
    return shardings;
  };
  request.manual = [&tree, mesh = request.mesh](const hlo::Instruction& instruction) {
    return manual_edge(tree, mesh, instruction);
  };
  request.rule = own_rule;
  request.group = group_of;
  return request;
}

namespace {

constexpr std::string_view kLook = "hilo.look";

bool is_look(const hlo::Instruction& instruction) {
  return instruction.annotations != nullptr &&
         !hlo::frontend_attribute(instruction.annotations->frontend_attributes, kLook).empty();
}

}  // namespace

StatusOr<std::vector<ShardingLook>> sharding_looks(const hlo::Module& module, const hlo::PropagationRequest& request) {
  std::vector<ShardingLook> looks;
  const auto looks_in = [](const hlo::ComputationPtr& computation) {
    return std::ranges::any_of(computation->instructions(), is_look);
  };
  if (std::ranges::none_of(hlo::computations_of(module), looks_in)) return looks;
  HILO_ASSIGN_OR_RETURN(hlo::PropagatedShardings propagated, hlo::propagate_shardings(module, request));
  for (hlo::NotedSharding& noted : propagated.noted) {
    const std::string digits = hlo::frontend_attribute(noted.frontend_attributes, kLook);
    if (digits.empty()) continue;
    ShardingLook& look = looks.emplace_back("", std::move(noted.shape), std::move(noted.sharding), noted.is_manual);
    for (size_t i = 0; i + 1 < digits.size(); i += 2) {
      uint8_t byte = 0;
      std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
      look.who += static_cast<char>(byte);
    }
  }
  return looks;
}

std::optional<OperationId> operation_of(const hlo::Instruction& instruction) {
  if (instruction.opcode != hlo::Opcode::kCustomCall) return std::nullopt;
  const std::optional<int64_t> id = hlo::frontend_number(instruction, "hilo.operation");
  return id ? std::optional(static_cast<OperationId>(*id)) : std::nullopt;
}

StatusOr<std::vector<PartitionedCall>> partitioned_calls(const hlo::Module& module,
                                                         const hlo::PropagationRequest& request) {
  HILO_ASSIGN_OR_RETURN(const hlo::PropagatedProgram program, hlo::propagate_program(module, request));
  const hlo::PropagatedFlow& propagated = program.propagated;
  const hlo::MeshAtoms atoms(request.mesh);
  std::map<OperationId, PartitionedCall> calls;
  const auto add = [&](PartitionedCall& call, const std::vector<hlo::FlowArrayId>& arrays, std::vector<Shape>& shapes,
                       std::vector<Sharding>& shardings) {
    for (const hlo::FlowArrayId id : arrays) {
      const hlo::FlowArray& array = propagated.flow.arrays[id];
      shapes.push_back(array.shape);
      shardings.push_back(hlo::sharding_of(propagated.splits[id], request.mesh, atoms));
      call.is_manual |= array.manual_depth != 0;
    }
  };
  for (const hlo::FlowFrame& frame : propagated.flow.frames) {
    for (const hlo::Instruction& i : frame.computation->instructions()) {
      const std::optional<OperationId> id = operation_of(i);
      if (!id || calls.contains(*id)) continue;
      PartitionedCall& call = calls[*id];
      call.operation = *id;
      for (const hlo::InstructionId operand : i.operands)
        add(call, frame.values[operand], call.operand_shapes, call.operands);
      add(call, frame.values[i.id], call.result_shapes, call.results);
    }
  }
  std::vector<PartitionedCall> list;
  for (auto& [id, call] : calls) list.push_back(std::move(call));
  return list;
}

}  // namespace hilo::stablehlo
