// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_former.h"

#include <algorithm>

#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::engine {

using hlo::Opcode;

namespace {

/// Creates a region over the dimensions of `source` that writes it into a part of the node's result.
void write_part(RegionState& state, const Node& node, uint32_t region, ValueId source, const AccessMap& place) {
  const uint32_t from = request(state, source, region, identity_map(place.index.size()));
  state.regions[region].outputs.push_back(
      {node.results[0], from, linear_index(place, state.shape(node.results[0])), state.shape(source).element_type()});
}

/// Creates one region per operand. Each writes its part of the result.
void start_concatenate(RegionState& state, const Node& node) {
  const size_t axis = hlo::attributes_of<hlo::ConcatenateAttributes>(*node.instruction).dimension;
  int64_t offset = 0;
  for (ValueId operand : node.operands) {
    const Shape& shape = state.shape(operand);
    AccessMap place = identity_map(shape.rank());
    place.index[axis].constant = offset;
    offset += shape.dimensions()[axis];
    if (shape.element_count() == 0) continue;
    write_part(state, node, add_region(state, node.results[0], shape.dimensions()), operand, place);
  }
}

/// Creates a region that writes the update into the memory of its target.
void start_update(RegionState& state, const Node& node) {
  const ValueId result = node.results[0], updated = node.operands[0], update = node.operands[1];
  const uint32_t region = add_region(state, result, state.shape(update).dimensions());
  AccessMap place = identity_map(state.shape(update).rank());
  for (size_t d = 0; d < place.index.size(); ++d) {
    const int64_t limit = state.shape(result).dimensions()[d] - state.shape(update).dimensions()[d];
    place.index[d] = place.index[d] + clamped_start(state, node.operands[2 + d], {}, limit, region);
  }
  write_part(state, node, region, update, place);
  state.regions[region].updated = updated;
  state.needed_before[updated] = std::min(state.needed_before[updated], result);
}

/// Creates a region over the dimensions of another value.
void start_over(RegionState& state, const Node& node, const Shape& over) {
  const AccessMap identity = identity_map(over.rank());
  const ValueId result = node.results[0];
  const uint32_t region = add_region(state, result, over.dimensions());
  const uint32_t root = add_node(state, region, {});
  state.regions[region].outputs.push_back(
      {result, root, linear_index(identity, over), state.shape(result).element_type()});
  expand(state, node, {region, root, reshaped_map(identity, over, state.shape(result), state.regions[region].extents)});
}

/// Returns the map of the operands of a reduction whose row follows `rank` dimensions.
AccessMap reduced_map(const RegionState& state, const Node& node, size_t rank) {
  const hlo::Int64List reduced = reduced_dimensions(*node.instruction);
  AccessMap input;
  size_t outer = 0, row = rank;
  for (int64_t d = 0; d < state.shape(node.operands[0]).rank(); ++d)
    input.index.push_back(IndexExpr::dimension(hlo::contains(reduced, d) ? row++ : outer++));
  return input;
}

}  // namespace

void start_root(RegionState& state, const Node& node) {
  const Opcode opcode = node.instruction->opcode;
  if (opcode == Opcode::kConcatenate && node.operands.size() > 1 && !is_interleaving(state, node))
    return start_concatenate(state, node);
  if (opcode == Opcode::kDynamicUpdateSlice) return start_update(state, node);
  if (const ValueId domain = domain_value(state, node); domain != kNoValue)
    return start_over(state, node, state.shape(domain));
  const uint32_t region = add_region(state, node.results[0], state.shape(node.results[0]).dimensions());
  const size_t rank = state.regions[region].row_begin;
  const AccessMap identity = identity_map(rank);
  if (opcode == Opcode::kReduce) {
    for (int64_t d : reduced_dimensions(*node.instruction))
      state.regions[region].extents.push_back(state.shape(node.operands[0]).dimension(d));
  }
  std::vector<uint32_t> nodes;
  for (ValueId v : node.results) {
    nodes.push_back(add_node(state, region, {}));
    state.regions[region].outputs.push_back(
        {v, nodes.back(), linear_index(identity, state.shape(v)), state.shape(v).element_type()});
  }
  if (opcode == Opcode::kDot) return expand_dot(state, node, region, nodes[0], identity.index);
  if (opcode != Opcode::kReduce) return expand(state, node, {region, nodes[0], identity});
  expand_reduce(state, node, region, nodes, reduced_map(state, node, rank));
}

}  // namespace hilo::engine
