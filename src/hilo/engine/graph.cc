// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/graph.h"

#include <fmt/format.h>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/passes/overwritten_carry.h"

namespace hilo::engine {
namespace {

constexpr int kMaxCallDepth = 256;
constexpr size_t kMaxValues = size_t{1} << 22;

using Leaves = std::vector<ValueId>;

int64_t leaf_count(const Shape& shape) { return shape.is_tuple() ? std::ssize(shape.leaves()) : 1; }

class GraphBuilder {
 public:
  StatusOr<Graph> run(const hlo::Computation& computation) {
    std::vector<Leaves> arguments;
    for (hlo::InstructionId id : computation.parameters()) {
      arguments.emplace_back();
      for (const Shape& leaf : computation.instruction(id).shape.leaves()) {
        arguments.back().push_back(add_value(leaf));
        graph_.parameters.push_back(arguments.back().back());
      }
    }
    HILO_ASSIGN_OR_RETURN(graph_.results, inline_computation(computation, arguments, 0));
    return std::move(graph_);
  }

 private:
  ValueId add_value(const Shape& shape) {
    graph_.values.push_back({shape});
    return static_cast<ValueId>(graph_.values.size() - 1);
  }

  /// Recursion is over call depth, which is bounded; the size of the program doesn't matter.
  StatusOr<Leaves> inline_computation(const hlo::Computation& computation, const std::vector<Leaves>& arguments,
                                      int depth) {
    if (depth > kMaxCallDepth) {
      return unimplemented(
          fmt::format("computation '{}': calls are nested more than {} deep", computation.name(), kMaxCallDepth));
    }
    std::vector<Leaves> leaves(computation.size());
    for (const hlo::Instruction& i : computation.instructions()) {
      if (!i.shape.has_default_layout())
        return internal_error(fmt::format("{} in '{}': its shape is {}; normalize_layouts must run before planning",
                                          describe(i), computation.name(), i.shape.to_string_with_layout()));
      HILO_ASSIGN_OR_RETURN(leaves[i.id], leaves_of_instruction(computation, i, leaves, arguments, depth));
      if (graph_.values.size() > kMaxValues) {
        return resource_exhausted(
            fmt::format("computation '{}': more than {} instructions after inlining", computation.name(), kMaxValues));
      }
    }
    return leaves[computation.root_id()];
  }

  StatusOr<Leaves> leaves_of_instruction(const hlo::Computation& computation, const hlo::Instruction& i,
                                         const std::vector<Leaves>& leaves, const std::vector<Leaves>& arguments,
                                         int depth) {
    Leaves operands;
    for (hlo::InstructionId id : i.operands) operands.insert(operands.end(), leaves[id].begin(), leaves[id].end());
    if (i.opcode == hlo::Opcode::kParameter) return arguments[hlo::attributes_of<hlo::ParameterAttributes>(i).number];
    if (i.opcode == hlo::Opcode::kTuple || i.opcode == hlo::Opcode::kOptimizationBarrier ||
        i.opcode == hlo::Opcode::kCopy)
      return operands;
    if (i.opcode == hlo::Opcode::kGetTupleElement)
      return element_of(computation.instruction(i.operands[0]).shape,
                        hlo::attributes_of<hlo::GetTupleElementAttributes>(i).index, operands);
    if (i.opcode == hlo::Opcode::kCall) {
      std::vector<Leaves> inner;
      for (hlo::InstructionId id : i.operands) inner.push_back(leaves[id]);
      return inline_computation(*hlo::attributes_of<hlo::CallAttributes>(i).to_apply, inner, depth + 1);
    }
    if (i.opcode == hlo::Opcode::kWhile) {
      const std::vector<bool> overwritten = hlo::overwritten_elements(i, computation);
      // Each leaf is one element unless tuples are nested. A carry with nested tuples stays unchanged.
      for (size_t k = 0; k < overwritten.size() && overwritten.size() == operands.size(); ++k) {
        if (overwritten[k]) operands[k] = add_value(graph_.values[operands[k]].shape);
      }
    }
    Node node{&i, &computation, std::move(operands), {}};
    const uint32_t id = size32(graph_.nodes);
    for (const Shape& leaf : i.shape.leaves()) {
      const ValueId value = add_value(leaf);
      graph_.values[value].node = id;
      graph_.values[value].result = size32(node.results);
      node.results.push_back(value);
    }
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.back().results;
  }

  static Leaves element_of(const Shape& tuple, int64_t index, const Leaves& operand) {
    int64_t begin = 0;
    for (int64_t k = 0; k < index; ++k) begin += leaf_count(tuple.tuple_element(k));
    return Leaves(operand.begin() + begin, operand.begin() + begin + leaf_count(tuple.tuple_element(index)));
  }

  Graph graph_;
};

}  // namespace

StatusOr<Graph> build_graph(const hlo::Computation& computation) { return GraphBuilder().run(computation); }

ValueId node_key(const Graph& graph, uint32_t node) {
  for (size_t n = node; n < graph.nodes.size(); ++n) {
    if (!graph.nodes[n].results.empty()) return graph.nodes[n].results[0];
  }
  return static_cast<ValueId>(graph.values.size());
}

}  // namespace hilo::engine
