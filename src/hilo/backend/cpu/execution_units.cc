// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/execution_units.h"

#include <algorithm>

#include "hilo/backend/cpu/emit/region.h"

namespace hilo::cpu {
namespace {

double elements_of_domain(const Region& region) {
  double count = 1;
  for (int64_t extent : region.extents) count *= static_cast<double>(extent);
  return count;
}

double bytes_of(const Graph& graph, ValueId v) { return static_cast<double>(graph.values[v].shape.byte_size()); }

/// Bytes that the loads of one input can touch.
double bytes_loaded(const Graph& graph, const Region& region, size_t input) {
  const double element = static_cast<double>(element_size_bytes(region.inputs[input].type));
  const auto loads = std::ranges::count_if(
      region.nodes, [&](const RegionNode& n) { return n.kind == NodeKind::kLoad && n.input == input; });
  return std::min(bytes_of(graph, region.inputs[input].value),
                  static_cast<double>(loads) * elements_of_domain(region) * element);
}

double bytes_written(const Graph& graph, const Region& region, const RegionOutput& output) {
  if (region.updated == kNoValue) return bytes_of(graph, output.value);
  return elements_of_domain(region) * static_cast<double>(element_size_bytes(output.type));
}

std::string_view form_of(const Region& region, Isa isa) {
  if (!region.has_row()) return "map";
  if (region.row_begin == 0) return "full";
  return shape_of_region(region, isa).vector_dimension < region.row_begin ? "col" : "row";
}

}  // namespace

ExecutionUnit unit_of(const Graph& graph, const Region& region, Isa isa) {
  ExecutionUnit unit{"kernel", {}, 0, std::string(form_of(region, isa))};
  const auto add = [&](const hlo::Instruction* i) {
    if (i != nullptr && std::ranges::find(unit.instructions, i) == unit.instructions.end())
      unit.instructions.push_back(i);
  };
  for (const RegionNode& node : region.nodes) add(node.instruction);
  for (const RegionOutput& output : region.outputs) {
    const uint32_t node = graph.values[output.value].node;
    if (node != ~0u) add(graph.nodes[node].instruction);
    unit.bytes += bytes_written(graph, region, output);
  }
  for (size_t k = 0; k < region.inputs.size(); ++k) unit.bytes += bytes_loaded(graph, region, k);
  return unit;
}

ExecutionUnit unit_of(const Graph& graph, const Node& node, std::string_view kind) {
  ExecutionUnit unit{std::string(kind), {node.instruction}, 0};
  for (ValueId v : node.operands) unit.bytes += bytes_of(graph, v);
  for (ValueId v : node.results) unit.bytes += bytes_of(graph, v);
  return unit;
}

}  // namespace hilo::cpu
