// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/graph/dot.h"

#include <unordered_map>

#include "hilo/hlo/graph/labels.h"

namespace hilo::hlo {
namespace {

/// `text` inside a double-quoted DOT string; control bytes become spaces.
std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out;
}

std::string node_name(size_t computation, InstructionId id) {
  return "c" + std::to_string(computation) + "_" + std::to_string(id);
}

void append_node(const Instruction& instruction, const Cost& cost, size_t computation, bool is_root, std::string& out) {
  const graph::NodeLabel label = graph::label_of(instruction, cost);
  out += "    " + node_name(computation, instruction.id) + " [label=\"" + escaped(label.title);
  for (const std::string* line : {&label.shape, &label.source, &label.calls, &label.cost}) {
    if (!line->empty()) out += "\\n" + escaped(*line);
  }
  out += is_root ? "\", penwidth=2];\n" : "\"];\n";
  for (const InstructionId operand : instruction.operands) {
    out += "    " + node_name(computation, operand) + " -> " + node_name(computation, instruction.id) + ";\n";
  }
}

}  // namespace

std::string dot_graph(const Module& module) {
  const std::vector<ComputationPtr> computations = computations_of(module);
  const CostAnalysis costs(module.entry);
  std::unordered_map<const Computation*, size_t> numbers;
  std::string out = "digraph \"" + escaped(module.name) + "\" {\n  node [shape=box, fontname=monospace];\n";
  std::string calls;
  for (size_t i = 0; i < computations.size(); ++i) {
    const Computation& computation = *computations[i];
    numbers.emplace(&computation, i);
    out += "  subgraph cluster_" + std::to_string(i) + " {\n    label=\"" + escaped(computation.name()) + "\";\n";
    for (const Instruction& instruction : computation.instructions()) {
      append_node(instruction, costs.of(instruction, computation), i, instruction.id == computation.root_id(), out);
      for (const ComputationPtr& called : called_computations(instruction)) {
        calls += "  " + node_name(numbers.at(called.get()), called->root_id()) + " -> " + node_name(i, instruction.id) +
                 " [style=dashed];\n";
      }
    }
    out += "  }\n";
  }
  return out + calls + "}\n";
}

}  // namespace hilo::hlo
