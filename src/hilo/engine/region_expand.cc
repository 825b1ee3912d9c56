// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_former.h"

#include <algorithm>

#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::engine {

using hlo::attributes_of;
using hlo::Opcode;

namespace {

constexpr size_t kMaxJoinedOperands = 8;  // nested selects of more operands would cost more than memory

/// Whether the op depends on the index in each dimension, so that a linear index isn't enough.
bool needs_dimensions(Opcode opcode) {
  return !is_lanewise(opcode) && opcode != Opcode::kReshape && opcode != Opcode::kConstant &&
         opcode != Opcode::kBitcastConvert;
}

std::optional<AccessMap> dimensions_map(const RegionState& state, const Node& node, const Request& r) {
  return split_dimensions(r.map, state.shape(node.results[0]), state.regions[r.region].extents);
}

/// Returns the map of a scalar, with the guards of `map`.
AccessMap scalar_map(const AccessMap& map) {
  AccessMap scalar;
  scalar.guards = map.guards;
  return scalar;
}

/// Lets node `to` stand for the requested node.
void forward(RegionState& state, const Request& r, uint32_t to) { state.forwards[r.region][r.node] = to; }

/// Returns the value of an integer scalar constant.
std::optional<int64_t> constant_integer(const RegionState& state, ValueId v) {
  if (state.maker(v) == nullptr) return std::nullopt;
  const hlo::Instruction& i = *state.maker(v)->instruction;
  if (i.opcode != Opcode::kConstant || !is_integer(i.shape.element_type())) return std::nullopt;
  const std::optional<uint64_t> bits = splat_bits(attributes_of<hlo::ConstantAttributes>(i).value);
  if (!bits) return std::nullopt;
  const int width = element_type_info(i.shape.element_type()).bits;
  if (is_signed_integer(i.shape.element_type())) return static_cast<int64_t>(*bits << (64 - width)) >> (64 - width);
  return static_cast<int64_t>(std::min<uint64_t>(*bits, static_cast<uint64_t>(INT64_MAX)));
}

/// Returns the map under which an op that moves data reads its operand.
AccessMap operand_map(const RegionState& state, const Node& node, const AccessMap& map) {
  const hlo::Instruction& i = *node.instruction;
  const Shape& operand = state.shape(node.operands[0]);
  const size_t rank = operand.rank();
  AccessMap to = scalar_map(map);
  to.index.resize(rank);
  switch (i.opcode) {  // NOLINT: only ops that move data
    case Opcode::kBroadcast: {
      const hlo::Int64List& dimensions = attributes_of<hlo::BroadcastAttributes>(i).dimensions;
      for (size_t d = 0; d < rank; ++d) to.index[d] = map.index[dimensions[d]];
      return to;
    }
    case Opcode::kTranspose: {
      const hlo::Int64List& permutation = attributes_of<hlo::TransposeAttributes>(i).permutation;
      for (size_t d = 0; d < rank; ++d) to.index[permutation[d]] = map.index[d];
      return to;
    }
    case Opcode::kSlice: {
      const std::vector<hlo::SliceRange>& ranges = attributes_of<hlo::SliceAttributes>(i).ranges;
      for (size_t d = 0; d < rank; ++d) to.index[d] = plus(map.index[d] * ranges[d].stride, ranges[d].start);
      return to;
    }
    case Opcode::kReverse: {
      to.index = map.index;
      for (int64_t d : attributes_of<hlo::ReverseAttributes>(i).dimensions) {
        IndexExpr& index = to.index[d];
        index = plus(index * -1, operand.dimension(d) - 1);
      }
      return to;
    }
    default: return to;
  }
}

void expand_lanewise(RegionState& state, const Node& node, const Request& r) {
  RegionNode op{
      .kind = NodeKind::kOp, .type = state.shape(node.results[0]).element_type(), .instruction = node.instruction};
  for (ValueId v : node.operands) {
    const bool is_scalar = state.shape(v).rank() == 0 && state.shape(node.results[0]).rank() != 0;
    op.operands.push_back(request(state, v, r.region, is_scalar ? scalar_map(r.map) : r.map));
  }
  state.at(r) = std::move(op);
}

void expand_pad(RegionState& state, const Node& node, const Request& r, const AccessMap& map) {
  const std::vector<hlo::PaddingDimension>& padding = attributes_of<hlo::PadAttributes>(*node.instruction).padding;
  const Shape& operand = state.shape(node.operands[0]);
  AccessMap inner = map;
  std::vector<Guard> guards;
  for (size_t d = 0; d < padding.size(); ++d) {
    inner.index[d] = plus(map.index[d], -padding[d].low);
    if (padding[d].low > 0 || padding[d].high > 0) guards.push_back({inner.index[d], 0, operand.dimension(d)});
  }
  for (size_t d = 0; d < padding.size(); ++d) {
    if (operand.dimension(d) == 1) inner.index[d] = {};
  }
  inner.guards.insert(inner.guards.end(), guards.begin(), guards.end());
  const uint32_t inside = request(state, node.operands[0], r.region, std::move(inner));
  const uint32_t outside = request(state, node.operands[1], r.region, scalar_map(map));
  if (guards.empty()) return forward(state, r, inside);
  state.at(r) = {.kind = NodeKind::kGuarded,
                 .type = operand.element_type(),
                 .operands = {inside, outside},
                 .guards = std::move(guards)};
}

void expand_concatenate(RegionState& state, const Node& node, const Request& r, const AccessMap& map) {
  const size_t axis = attributes_of<hlo::ConcatenateAttributes>(*node.instruction).dimension;
  const ElementType type = state.shape(node.results[0]).element_type();
  if (is_interleaving(state, node)) state.interleaves[r.region] = true;
  std::vector<std::pair<uint32_t, Guard>> parts;
  int64_t offset = 0;
  for (ValueId v : node.operands) {
    const int64_t extent = state.shape(v).dimensions()[axis];
    if (extent == 0) continue;
    AccessMap inner = map;
    inner.index[axis] = plus(inner.index[axis], -offset);
    const Guard guard{inner.index[axis], 0, extent};
    // A single index needs no guard. Without it, a value that several operands read is one value.
    if (extent == 1) inner.index[axis] = {};
    else inner.guards.push_back(guard);
    offset += extent;
    parts.emplace_back(request(state, v, r.region, std::move(inner)), guard);
  }
  // Builds from the last part to the first: part or (the next part or (...)).
  uint32_t rest = parts.back().first;
  for (size_t k = parts.size() - 1; k-- > 0;)
    rest = add_node(
        state, r.region,
        {.kind = NodeKind::kGuarded, .type = type, .operands = {parts[k].first, rest}, .guards = {parts[k].second}});
  forward(state, r, rest);
}

void expand_dynamic_slice(RegionState& state, const Node& node, const Request& r, AccessMap map) {
  const hlo::Int64List& sizes = attributes_of<hlo::DynamicSliceAttributes>(*node.instruction).sizes;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t limit = state.shape(node.operands[0]).dimensions()[d] - sizes[d];
    map.index[d] = map.index[d] + clamped_start(state, node.operands[1 + d], {}, limit, r.region);
  }
  forward(state, r, request(state, node.operands[0], r.region, std::move(map)));
}

void expand_dynamic_update_slice(RegionState& state, const Node& node, const Request& r, const AccessMap& map) {
  AccessMap inner = map;
  std::vector<Guard> guards;
  for (size_t d = 0; d < map.index.size(); ++d) {
    const int64_t size = state.shape(node.operands[1]).dimensions()[d];
    const int64_t limit = state.shape(node.operands[0]).dimensions()[d] - size;
    if (limit == 0) continue;
    inner.index[d] = map.index[d] + clamped_start(state, node.operands[2 + d], {}, limit, r.region) * -1;
    guards.push_back({inner.index[d], 0, size});
    if (size == 1) inner.index[d] = {};
  }
  inner.guards.insert(inner.guards.end(), guards.begin(), guards.end());
  const uint32_t update = request(state, node.operands[1], r.region, std::move(inner));
  if (guards.empty()) return forward(state, r, update);
  const uint32_t old = request(state, node.operands[0], r.region, map);
  state.at(r) = {.kind = NodeKind::kGuarded,
                 .type = state.shape(node.results[0]).element_type(),
                 .operands = {update, old},
                 .guards = std::move(guards)};
}

void expand_gather(RegionState& state, const Node& node, const Request& r, const AccessMap& map) {
  const auto& a = attributes_of<hlo::GatherAttributes>(*node.instruction);
  const Shape& array = state.shape(node.operands[0]);
  std::vector<IndexExpr> batch;
  for (size_t d = 0; d < map.index.size(); ++d) {
    if (!hlo::contains(a.offset_dims, d)) batch.push_back(map.index[d]);
  }
  AccessMap inner = scalar_map(map);
  inner.index.resize(array.rank());
  size_t next_offset = 0;
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (hlo::contains(a.collapsed_slice_dims, d) || hlo::contains(a.operand_batching_dims, d)) continue;
    inner.index[d] = map.index[a.offset_dims[next_offset++]];
  }
  for (size_t k = 0; k < a.operand_batching_dims.size(); ++k) {
    int64_t d = a.start_indices_batching_dims[k];
    if (d > a.index_vector_dim) --d;  // batch counts the dimensions of the indices except that of the index vector
    inner.index[a.operand_batching_dims[k]] = batch[d];
  }
  for (size_t k = 0; k < a.start_index_map.size(); ++k) {
    AccessMap where = scalar_map(map);
    where.index = batch;
    if (a.index_vector_dim < state.shape(node.operands[1]).rank())
      where.index.insert(where.index.begin() + a.index_vector_dim, plus({}, k));
    const size_t d = a.start_index_map[k];
    const int64_t limit = array.dimensions()[d] - a.slice_sizes[d];
    inner.index[d] = inner.index[d] + clamped_start(state, node.operands[1], std::move(where), limit, r.region);
  }
  forward(state, r, request(state, node.operands[0], r.region, std::move(inner)));
}

/// Expands ops that depend on the index.
void expand_positioned(RegionState& state, const Node& node, const Request& r) {
  const AccessMap map = *dimensions_map(state, node, r);
  const hlo::Instruction& i = *node.instruction;
  switch (i.opcode) {  // NOLINT: the structural ops of regions
    case Opcode::kIota: {
      const size_t d = attributes_of<hlo::IotaAttributes>(i).dimension;
      state.at(r) = {.kind = NodeKind::kIndex, .type = i.shape.element_type(), .index = map.index[d]};
      return;
    }
    case Opcode::kPad: return expand_pad(state, node, r, map);
    case Opcode::kConcatenate: return expand_concatenate(state, node, r, map);
    case Opcode::kDynamicSlice: return expand_dynamic_slice(state, node, r, map);
    case Opcode::kDynamicUpdateSlice: return expand_dynamic_update_slice(state, node, r, map);
    case Opcode::kGather: return expand_gather(state, node, r, map);
    default: return forward(state, r, request(state, node.operands[0], r.region, operand_map(state, node, map)));
  }
}

/// Whether the operands of a concatenation are single columns of many rows, and a map over more dimensions reads them.
/// Its loop would be cut at each column.
bool reads_single_columns(const RegionState& state, const Node& node, const Request& r) {
  constexpr int64_t kManyRows = 64;
  const Shape& shape = state.shape(node.results[0]);
  const auto columns = static_cast<int64_t>(node.operands.size());
  if (attributes_of<hlo::ConcatenateAttributes>(*node.instruction).dimension != shape.rank() - 1) return false;
  return shape.dimensions().back() == columns && shape.element_count() >= kManyRows * columns &&
         !state.regions[r.region].has_row();
}

}  // namespace

bool can_expand(const RegionState& state, const Node& node, const Request& r) {
  const Opcode opcode = node.instruction->opcode;
  if (is_scalar_broadcast(state.graph, node)) return true;
  if (needs_dimensions(opcode) && !dimensions_map(state, node, r)) return false;
  if (opcode != Opcode::kConcatenate) return true;
  if (is_interleaving(state, node) && may_write_columns(state.regions[r.region])) return true;
  return node.operands.size() <= kMaxJoinedOperands && !reads_single_columns(state, node, r);
}

void expand(RegionState& state, const Node& node, const Request& r) {
  const hlo::Instruction& i = *node.instruction;
  const Shape& result = state.shape(node.results[0]);
  if (is_lanewise(i.opcode) || i.opcode == Opcode::kBitcastConvert) return expand_lanewise(state, node, r);
  if (i.opcode == Opcode::kConstant) {
    state.at(r) = {.kind = NodeKind::kConstant,
                   .type = result.element_type(),
                   .bits = *splat_bits(attributes_of<hlo::ConstantAttributes>(i).value)};
  } else if (i.opcode == Opcode::kReshape) {
    AccessMap map = reshaped_map(r.map, result, state.shape(node.operands[0]), state.regions[r.region].extents);
    forward(state, r, request(state, node.operands[0], r.region, std::move(map)));
  } else if (is_scalar_broadcast(state.graph, node)) {
    forward(state, r, request(state, node.operands[0], r.region, scalar_map(r.map)));
  } else {
    expand_positioned(state, node, r);
  }
}

IndexExpr clamped_start(RegionState& state, ValueId value, AccessMap map, int64_t limit, uint32_t region) {
  IndexExpr start;
  if (limit <= 0) return start;
  if (const std::optional<int64_t> constant = constant_integer(state, value))
    return plus(start, std::clamp<int64_t>(*constant, 0, limit));
  const uint32_t index = request(state, value, region, std::move(map));
  const std::vector<RegionNode>& nodes = state.regions[region].nodes;
  const auto known = std::ranges::find_if(nodes, [&](const RegionNode& n) {
    return n.kind == NodeKind::kClampedIndex && n.limit == limit && !n.operands.empty() && n.operands[0] == index;
  });
  const auto place = static_cast<uint32_t>(known - nodes.begin());
  if (known == nodes.end())
    add_node(state, region,
             {.kind = NodeKind::kClampedIndex, .type = ElementType::kS64, .operands = {index}, .limit = limit});
  start.terms.push_back({place, 1});
  return start;
}

}  // namespace hilo::engine
