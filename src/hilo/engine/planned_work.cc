// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/planned_work.h"

#include <algorithm>
#include <functional>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ops/element_access.h"

namespace hilo::engine {
namespace {

double elements_of_domain(const Region& region) { return static_cast<double>(hlo::count_of(region.extents)); }

double bytes_of(const Graph& graph, ValueId v) { return static_cast<double>(graph.values[v].shape.byte_size()); }

/// Returns the number of bytes that the loads of one input can touch.
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

std::string_view form_of(const Region& region, const Target& target) {
  if (!region.has_row()) return "map";
  if (region.row_begin == 0) return "full";
  return target.shape_of(region).vector_dimension < region.row_begin ? "col" : "row";
}

}  // namespace

InstructionPlaces::InstructionPlaces(const hlo::Module& module) {
  for (const hlo::ComputationPtr& computation : hlo::computations_of(module))
    entries_.push_back({computation->instructions().data(), size32(entries_)});
  std::ranges::sort(entries_, std::less<>(), &Entry::begin);
}

InstructionPlace InstructionPlaces::operator()(const hlo::Instruction& instruction) const {
  const auto behind = std::ranges::upper_bound(entries_, &instruction, std::less<>(), &Entry::begin);
  return {std::prev(behind)->computation, instruction.id};
}

PlannedWork work_of(const InstructionPlaces& places, const Graph& graph, const Region& region, const Target& target) {
  PlannedWork work{.kind = "kernel", .form = std::string(form_of(region, target))};
  const auto add = [&](const hlo::Instruction* i) {
    if (i == nullptr) return;
    const InstructionPlace place = places(*i);
    if (std::ranges::find(work.instructions, place) == work.instructions.end()) work.instructions.push_back(place);
  };
  for (const RegionNode& node : region.nodes) add(node.instruction);
  for (const RegionOutput& output : region.outputs) {
    const uint32_t node = graph.values[output.value].node;
    if (node != ~0u) add(graph.nodes[node].instruction);
    work.bytes += bytes_written(graph, region, output);
  }
  for (size_t k = 0; k < region.inputs.size(); ++k) work.bytes += bytes_loaded(graph, region, k);
  return work;
}

PlannedWork work_of(const InstructionPlaces& places, const Graph& graph, const Node& node, std::string_view kind) {
  PlannedWork work{.kind = std::string(kind), .instructions = {places(*node.instruction)}};
  for (ValueId v : node.operands) work.bytes += bytes_of(graph, v);
  for (ValueId v : node.results) work.bytes += bytes_of(graph, v);
  return work;
}

}  // namespace hilo::engine
