// SPDX-License-Identifier: Apache-2.0
// engine/node_key.h -- where a node stands among the values of its graph, by which steps are ordered.
#pragma once

#include "hilo/engine/graph.h"

namespace hilo::engine {

/// The node's first result. Of a node without results, such as a call that is there for what it does, the first result of a
/// later node; what it reads is below that.
ValueId node_key(const Graph& graph, uint32_t node);

}  // namespace hilo::engine
