// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/node_key.h"

namespace hilo::engine {

ValueId node_key(const Graph& graph, uint32_t node) {
  for (size_t n = node; n < graph.nodes.size(); ++n) {
    if (!graph.nodes[n].results.empty()) return graph.nodes[n].results[0];
  }
  return static_cast<ValueId>(graph.values.size());
}

}  // namespace hilo::engine
