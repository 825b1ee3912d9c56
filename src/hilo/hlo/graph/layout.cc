// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/graph/layout.h"

#include <algorithm>

namespace hilo::hlo::graph {
namespace {

/// The longest path that ends at each instruction.
std::vector<int64_t> longest_paths(const Computation& computation) {
  std::vector<int64_t> layer(computation.size());
  for (const Instruction& instruction : computation.instructions()) {
    for (const InstructionId operand : instruction.operands) {
      layer[instruction.id] = std::max(layer[instruction.id], layer[operand] + 1);
    }
  }
  return layer;
}

/// Constants and parameters go down to where they are used: the first layer would else hold them all.
void lower_sources(const Computation& computation, std::vector<int64_t>& layer) {
  std::vector<int64_t> first_use(computation.size(), -1);
  for (const Instruction& instruction : computation.instructions()) {
    for (const InstructionId operand : instruction.operands) {
      int64_t& first = first_use[operand];
      first = first < 0 ? layer[instruction.id] : std::min(first, layer[instruction.id]);
    }
  }
  for (const Instruction& instruction : computation.instructions()) {
    if (instruction.operands.empty() && first_use[instruction.id] > 0) {
      layer[instruction.id] = first_use[instruction.id] - 1;
    }
  }
}

/// The mean column of the operands; a source keeps its turn by standing at the far left.
double wanted_column(const Instruction& instruction, const std::vector<Place>& places) {
  if (instruction.operands.empty()) return -1;
  double sum = 0;
  for (const InstructionId operand : instruction.operands) sum += static_cast<double>(places[operand].column);
  return sum / static_cast<double>(instruction.operands.size());
}

}  // namespace

Layout layered_layout(const Computation& computation) {
  std::vector<int64_t> layer = longest_paths(computation);
  lower_sources(computation, layer);
  Layout layout;
  layout.places.resize(computation.size());
  for (const int64_t l : layer) layout.layers = std::max(layout.layers, l + 1);
  std::vector<std::vector<std::pair<double, InstructionId>>> rows(static_cast<size_t>(layout.layers));
  for (InstructionId id = 0; id < computation.size(); ++id) rows[static_cast<size_t>(layer[id])].emplace_back(0, id);
  for (auto& row : rows) {
    for (auto& [column, id] : row) column = wanted_column(computation.instruction(id), layout.places);
    std::sort(row.begin(), row.end());
    for (size_t i = 0; i < row.size(); ++i) {
      layout.places[row[i].second] = {layer[row[i].second], static_cast<int64_t>(i)};
    }
    layout.columns = std::max(layout.columns, static_cast<int64_t>(row.size()));
  }
  return layout;
}

}  // namespace hilo::hlo::graph
