// SPDX-License-Identifier: Apache-2.0
// engine/graph.h -- a computation without tuples and calls: array values and the nodes that make them.
#pragma once

#include <vector>

#include "hilo/hlo/ir/module.h"

namespace hilo::engine {

using ValueId = uint32_t;
inline constexpr ValueId kNoValue = ~ValueId{0};

/// One instruction with its tuples flattened. `results` are consecutive ids.
struct Node {
  const hlo::Instruction* instruction;
  const hlo::Computation* computation;  ///< that has the instruction
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
};

struct GraphValue {
  Shape shape;
  uint32_t node = ~0u;  ///< ~0 for a parameter, and for memory whose contents nobody reads
  uint32_t result = 0;  ///< which of the node's results
};

/// Values are in topological order: a node's operands have smaller ids than its results. Calls are inlined and tuples,
/// copies and barriers are names for other values. What a counted loop fills starts as a value that nobody makes.
/// Instructions belong to the computation, which must outlive the graph.
struct Graph {
  std::vector<Node> nodes;
  std::vector<GraphValue> values;
  std::vector<ValueId> parameters;  ///< leaves of the parameters, in order
  std::vector<ValueId> results;     ///< leaves of the root, in order
};

/// The node's first result. Of a node without results, such as a call that is there for what it does, the first result
/// of a later node; what it reads is below that.
ValueId node_key(const Graph& graph, uint32_t node);

/// Errors    UNIMPLEMENTED for calls nested more than 256 deep, RESOURCE_EXHAUSTED for over 2^22 inlined instructions
StatusOr<Graph> build_graph(const hlo::Computation& computation);

}  // namespace hilo::engine
