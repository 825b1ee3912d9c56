// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/layout.h"

#include <algorithm>

namespace hilo::hlo::graph {
namespace {

/// Returns the length of the longest path that ends at each node.
std::vector<int64_t> longest_paths(const std::vector<Node>& nodes) {
  std::vector<int64_t> layer(nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (const Source& operand : nodes[n].operands) layer[n] = std::max(layer[n], layer[operand.node] + 1);
  }
  return layer;
}

/// Moves constants and parameters down to their users; otherwise the first layer would hold all of them.
void lower_sources(const std::vector<Node>& nodes, std::vector<int64_t>& layer) {
  std::vector<int64_t> first_use(nodes.size(), -1);
  for (size_t n = 0; n < nodes.size(); ++n) {
    for (const Source& operand : nodes[n].operands) {
      int64_t& first = first_use[operand.node];
      first = first < 0 ? layer[n] : std::min(first, layer[n]);
    }
  }
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].operands.empty() && first_use[n] > 0) layer[n] = first_use[n] - 1;
  }
}

/// Returns the mean column of the operands; sources keep their order because they are placed at the far left.
double target_column(const Node& node, const std::vector<Place>& places) {
  if (node.operands.empty()) return -1;
  double sum = 0;
  for (const Source& operand : node.operands) sum += static_cast<double>(places[operand.node].column);
  return sum / static_cast<double>(node.operands.size());
}

}  // namespace

Layout layered_layout(const Sheet& sheet) {
  std::vector<int64_t> layer = longest_paths(sheet.nodes);
  lower_sources(sheet.nodes, layer);
  Layout layout;
  layout.places.resize(sheet.nodes.size());
  for (const int64_t l : layer) layout.layers = std::max(layout.layers, l + 1);
  std::vector<std::vector<std::pair<double, size_t>>> rows(layout.layers);
  for (size_t n = 0; n < sheet.nodes.size(); ++n) rows[layer[n]].emplace_back(0, n);
  for (auto& row : rows) {
    for (auto& [column, n] : row) column = target_column(sheet.nodes[n], layout.places);
    std::sort(row.begin(), row.end());
    for (size_t i = 0; i < row.size(); ++i) {
      layout.places[row[i].second] = {layer[row[i].second], static_cast<int64_t>(i)};
    }
    layout.columns = std::max(layout.columns, std::ssize(row));
  }
  return layout;
}

}  // namespace hilo::hlo::graph
