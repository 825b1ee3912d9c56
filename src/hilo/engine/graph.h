// SPDX-License-Identifier: Apache-2.0
// engine/graph.h -- a computation without tuples and calls: array values and the nodes that compute them.
#pragma once

#include <vector>

#include "hilo/hlo/ir/module.h"

namespace hilo::engine {

using ValueId = uint32_t;
inline constexpr ValueId kNoValue = ~ValueId{0};

/// One instruction with its tuples flattened. `results` are consecutive ids.
struct Node {
  const hlo::Instruction* instruction;
  const hlo::Computation* computation;  ///< the computation that contains the instruction
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
};

struct GraphValue {
  Shape shape;
  uint32_t node = ~0u;  ///< ~0 for a parameter, and for memory whose initial contents are unused
  uint32_t result = 0;  ///< index among the node's results
};

/// Values are in topological order: a node's operands have smaller ids than its results. Calls are inlined. Tuples,
/// copies and barriers are other names for their operands. An array that a counted loop fills starts as a value that no
/// node computes. The computation owns the instructions and must outlive the graph.
struct Graph {
  std::vector<Node> nodes;
  std::vector<GraphValue> values;
  std::vector<ValueId> parameters;  ///< leaves of the parameters, in order
  std::vector<ValueId> results;     ///< leaves of the root, in order
};

/// Returns the id of the node's first result. For a node without results (a call with effects only), returns the first
/// result of a later node. The node's operands have smaller ids.
ValueId node_key(const Graph& graph, uint32_t node);

/// Flattens tuples and inlines calls.
/// Errors    UNIMPLEMENTED for calls nested more than 256 deep, RESOURCE_EXHAUSTED for over 2^22 inlined instructions
StatusOr<Graph> build_graph(const hlo::Computation& computation);

}  // namespace hilo::engine
