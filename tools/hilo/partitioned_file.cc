// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/partitioned_file.h"

#include <fmt/format.h>

#include "hilo/hlo/ops/collective.h"
#include "hilo/import/program.h"
#include "hilo/inspect/graph/dot.h"
#include "hilo/inspect/graph/html.h"
#include "hilo/inspect/graph/svg.h"
#include "hilo/stablehlo/devices/mesh_axes.h"
#include "hilo/stablehlo/devices/propagation.h"
#include "hilo/stablehlo/jax_export.h"
#include "hilo/stablehlo/reader.h"
#include "hilo/stablehlo/translate/translate.h"
#include "tools/hilo/command.h"

namespace hilo::tool {
namespace {

StatusOr<std::string> module_bytes(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, read_program_bytes(path));
  if (stablehlo::is_mlir(bytes)) return bytes;
  if (!stablehlo::is_jax_export(bytes))
    return invalid_argument(path + ": the file has no shardings; wanted MLIR of StableHLO, or a file of jax.export");
  HILO_ASSIGN_OR_RETURN(const stablehlo::JaxExport exported, stablehlo::read_jax_export(bytes, path));
  return std::string(exported.module);
}

bool does_by_hand(const stablehlo::Operation& operation) {
  return operation.name == "sdy.manual_computation" || operation.name == "stablehlo.replica_id" ||
         operation.name == "stablehlo.partition_id";
}

/// Returns the mesh with another size of its first axis.
StatusOr<std::string> resized(const hlo::Mesh& mesh, int64_t devices) {
  const int64_t others = mesh.axes.empty() ? 0 : mesh.device_count() / mesh.axes[0].size;
  if (others == 0 || devices < others || devices % others != 0)
    return invalid_argument(
        fmt::format("--devices: got {}; wanted a multiple of {}, the product of the mesh's axes without the first",
                    devices, others));
  std::string text = "<[";
  for (size_t i = 0; i < mesh.axes.size(); ++i)
    text += fmt::format("{}\"{}\"={}", i == 0 ? "" : ", ", mesh.axes[i].name,
                        i == 0 ? devices / others : mesh.axes[i].size);
  return text + "]>";
}

/// Resizes all meshes of the program that have several devices.
Status resize(PartitionedFile& file, int64_t devices) {
  for (const stablehlo::Operation& operation : file.tree->operations) {
    if (does_by_hand(operation))
      return unimplemented("--devices: the program has manual computations for its own mesh");
    if (operation.name != "sdy.mesh") continue;
    for (const auto& [name, id] : file.tree->attributes_of(operation)) {
      if (name != "mesh") continue;
      stablehlo::Attribute& attribute = file.tree->attributes[id];
      HILO_ASSIGN_OR_RETURN(const hlo::Mesh mesh, stablehlo::mesh_of(*file.tree, attribute));
      if (mesh.device_count() < 2) continue;
      HILO_ASSIGN_OR_RETURN(std::string text, resized(mesh, devices));
      attribute = {};
      attribute.kind = stablehlo::AttributeKind::kOther;
      attribute.text = file.meshes.emplace_back(std::move(text));
    }
  }
  return ok_status();
}

std::string text_of(const hlo::Mesh& mesh) {
  std::string text;
  for (const hlo::MeshAxis& axis : mesh.axes)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", axis.name, axis.size);
  return text;
}

std::string text_of(const hlo::Sharding& sharding) {
  std::string text = "[";
  for (const hlo::DimensionSharding& dimension : sharding.dimensions) {
    std::string axes;
    for (const hlo::AxisReference& axis : dimension.axes) axes += (axes.empty() ? "" : ",") + axis.name;
    text += fmt::format("{}{{{}}}", text == "[" ? "" : ",", axes);
  }
  return text + "]";
}

void append_values(std::string_view what, const std::vector<Shape>& wholes, const std::vector<Shape>& parts,
                   const std::vector<hlo::Sharding>& shardings, std::string& text) {
  for (size_t i = 0; i < wholes.size(); ++i) {
    if (!wholes[i].is_array()) continue;
    text += fmt::format("{} {} {}: {}, {} bytes per device of {}\n", what, i, wholes[i].to_string(),
                        text_of(shardings[i]), parts[i].byte_size(), wholes[i].byte_size());
  }
}

std::vector<Shape> parameter_leaves(const hlo::Module& module) {
  std::vector<Shape> leaves;
  for (const Shape& shape : module.entry->parameter_shapes()) {
    const std::vector<Shape> own = shape.leaves();
    leaves.insert(leaves.end(), own.begin(), own.end());
  }
  return leaves;
}

int64_t members_of(const hlo::Instruction& collective, int64_t devices) {
  if (collective.opcode == hlo::Opcode::kCollectivePermute) return 2;
  const auto& groups = static_cast<const hlo::CollectiveAttributes&>(*collective.attributes).replica_groups;
  return groups.empty() ? devices : std::ssize(groups[0]);
}

}  // namespace

StatusOr<PartitionedFile> partition_file(const std::string& path, std::optional<int64_t> devices) {
  PartitionedFile file;
  HILO_ASSIGN_OR_RETURN(const std::string bytes, module_bytes(path));
  HILO_ASSIGN_OR_RETURN(stablehlo::ModuleTree tree, stablehlo::read_tree(bytes, path));
  file.tree = std::make_unique<stablehlo::ModuleTree>(std::move(tree));
  if (devices) HILO_RETURN_IF_ERROR(resize(file, *devices));
  HILO_ASSIGN_OR_RETURN(file.module, stablehlo::translate(*file.tree));
  stablehlo::EntryValues parameters, results;
  parameters.shapes = parameter_leaves(file.module);
  results.shapes = file.module.entry->result_shape().leaves();
  parameters.free.assign(parameters.shapes.size(), false);
  results.free.assign(results.shapes.size(), true);
  HILO_ASSIGN_OR_RETURN(file.request,
                        stablehlo::propagation_request(*file.tree, std::move(parameters), std::move(results)));
  if (file.request.mesh.device_count() < 2)
    return invalid_argument(path + ": the program has no mesh of several devices");
  HILO_ASSIGN_OR_RETURN(file.program, hlo::partition(file.module, file.request));
  return file;
}

std::string explained(const PartitionedFile& file) {
  const hlo::Mesh& mesh = file.request.mesh;
  std::string text = fmt::format("mesh {}: {} devices\n", text_of(mesh), mesh.device_count());
  append_values("parameter", parameter_leaves(file.module), parameter_leaves(file.program.module),
                file.program.parameters, text);
  append_values("result", file.module.entry->result_shape().leaves(),
                file.program.module.entry->result_shape().leaves(), file.program.results, text);
  return text + hlo::to_string(file.program.report);
}

Status draw(const PartitionedFile& file, const std::string& path) {
  const hlo::Module& module = file.program.module;
  std::vector<hlo::InstructionGroup> groups;
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module)) {
    for (const hlo::Instruction& i : computation->instructions()) {
      if (!hlo::is_collective(i.opcode)) continue;
      const int64_t members = members_of(i, file.request.mesh.device_count());
      const double bytes = hlo::link_bytes(i.opcode, members, static_cast<double>(i.shape.byte_size()));
      groups.push_back(
          {fmt::format("{} of {}: {:.0f} bytes on links", hlo::opcode_name(i.opcode), members, bytes), {&i}});
    }
  }
  if (path.ends_with(".dot")) return write_result(path, hlo::dot_graph(module, groups));
  if (path.ends_with(".svg")) return write_result(path, hlo::svg_graph(module, groups));
  if (path.ends_with(".html")) return write_result(path, hlo::html_graph(module, module.name, groups));
  return invalid_argument("--graph: got '" + path + "'; wanted a path that ends with .html, .svg or .dot");
}

}  // namespace hilo::tool
