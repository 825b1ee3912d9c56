// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "hilo/engine/region_former.h"
#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/gather.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::engine {

using hlo::attributes_of;
using hlo::Opcode;

namespace {

constexpr size_t kMaxJoinedOperands = 8;  // a concatenation of more is cheaper in memory than as nested selects

/// Does the op look at its position, so that a linear index isn't enough?
bool needs_dimensions(Opcode opcode) {
  return !is_lanewise(opcode) && opcode != Opcode::kReshape && opcode != Opcode::kConstant &&
         opcode != Opcode::kBitcastConvert;
}

/// An integer scalar constant's value.
std::optional<int64_t> constant_integer(const Graph& graph, ValueId v) {
  if (graph.values[v].node == ~0u) return std::nullopt;
  const hlo::Instruction& i = *graph.nodes[graph.values[v].node].instruction;
  if (i.opcode != Opcode::kConstant || !is_integer(i.shape.element_type())) return std::nullopt;
  const std::optional<uint64_t> bits = splat_bits(attributes_of<hlo::ConstantAttributes>(i).value);
  if (!bits) return std::nullopt;
  const int width = element_type_info(i.shape.element_type()).bits;
  if (is_signed_integer(i.shape.element_type())) return static_cast<int64_t>(*bits << (64 - width)) >> (64 - width);
  return static_cast<int64_t>(std::min<uint64_t>(*bits, static_cast<uint64_t>(INT64_MAX)));
}

}  // namespace

uint32_t RegionFormer::request(ValueId value, uint32_t region, AccessMap map) {
  std::vector<Request>& requests = requests_[value];
  const auto latest = latest_.try_emplace(uint64_t{value} << 32 | region, kNoRequest).first;
  for (uint32_t k = latest->second; k != kNoRequest; k = requests[k].previous) {
    if (requests[k].map == map) return requests[k].node;
  }
  const uint32_t node = static_cast<uint32_t>(regions_[region].nodes.size());
  regions_[region].nodes.push_back({});
  forwards_[region].push_back(kNoNode);
  requests.push_back({region, node, std::move(map), latest->second});
  latest->second = static_cast<uint32_t>(requests.size() - 1);
  return node;
}

void RegionFormer::forward(uint32_t region, uint32_t node, uint32_t to) { forwards_[region][node] = to; }

std::optional<AccessMap> RegionFormer::dimensions_map(const Node& node, const Request& r) const {
  return split_dimensions(r.map, shape(node.results[0]), regions_[r.region].extents);
}

/// Is it one number in many places, which is the same wherever it is read?
bool RegionFormer::is_scalar_broadcast(const Node& node) const {
  return node.instruction->opcode == Opcode::kBroadcast && shape(node.operands[0]).rank() == 0;
}

bool RegionFormer::can_expand(const Node& node, const Request& r) const {
  const Opcode opcode = node.instruction->opcode;
  if (is_scalar_broadcast(node)) return true;
  if (needs_dimensions(opcode) && !dimensions_map(node, r)) return false;
  if (opcode == Opcode::kConcatenate) return node.operands.size() <= kMaxJoinedOperands;
  return true;
}

IndexExpr RegionFormer::clamped_start(ValueId value, AccessMap map, int64_t limit, uint32_t region) {
  IndexExpr start;
  if (limit <= 0) return start;
  if (const std::optional<int64_t> constant = constant_integer(graph_, value)) {
    start.constant = std::clamp<int64_t>(*constant, 0, limit);
    return start;
  }
  const uint32_t index = request(value, region, std::move(map));
  std::vector<RegionNode>& nodes = regions_[region].nodes;
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].kind == NodeKind::kClampedIndex && nodes[n].limit == limit && !nodes[n].operands.empty() &&
        nodes[n].operands[0] == index) {
      start.terms.push_back({n, 1});
      return start;
    }
  }
  RegionNode clamp;
  clamp.kind = NodeKind::kClampedIndex;
  clamp.type = ElementType::kS64;
  clamp.operands = {index};
  clamp.limit = limit;
  start.terms.push_back({static_cast<uint32_t>(nodes.size()), 1});
  nodes.push_back(std::move(clamp));
  forwards_[region].push_back(kNoNode);
  return start;
}

/// Where a data movement with one array operand reads it.
AccessMap RegionFormer::operand_map(const Node& node, size_t operand, const AccessMap& map) const {
  const hlo::Instruction& i = *node.instruction;
  const size_t rank = static_cast<size_t>(shape(node.operands[operand]).rank());
  AccessMap to;
  to.guards = map.guards;
  to.index.resize(rank);
  switch (i.opcode) {  // NOLINT: only data movement gets here
    case Opcode::kBroadcast: {
      const hlo::Int64List& dimensions = attributes_of<hlo::BroadcastAttributes>(i).dimensions;
      for (size_t d = 0; d < rank; ++d) to.index[d] = map.index[static_cast<size_t>(dimensions[d])];
      return to;
    }
    case Opcode::kTranspose: {
      const hlo::Int64List& permutation = attributes_of<hlo::TransposeAttributes>(i).permutation;
      for (size_t d = 0; d < rank; ++d) to.index[static_cast<size_t>(permutation[d])] = map.index[d];
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
        to.index[static_cast<size_t>(d)] =
            plus(map.index[static_cast<size_t>(d)] * -1, shape(node.operands[0]).dimension(d) - 1);
      }
      return to;
    }
    case Opcode::kPad: {
      const std::vector<hlo::PaddingDimension>& padding = attributes_of<hlo::PadAttributes>(i).padding;
      for (size_t d = 0; d < rank; ++d) {
        to.index[d] = plus(map.index[d], -padding[d].low);
        if (padding[d].low > 0 || padding[d].high > 0) {
          to.guards.push_back({to.index[d], 0, shape(node.operands[0]).dimension(static_cast<int64_t>(d))});
        }
      }
      return to;
    }
    default: return to;
  }
}

void RegionFormer::expand(const Node& node, const Request& r) {
  const hlo::Instruction& i = *node.instruction;
  const uint32_t region = r.region;
  const ElementType type = shape(node.results[0]).element_type();
  if (is_lanewise(i.opcode) || i.opcode == Opcode::kBitcastConvert) {
    std::vector<uint32_t> operands;
    for (ValueId v : node.operands) {
      AccessMap map = r.map;
      if (shape(v).rank() == 0 && shape(node.results[0]).rank() != 0) {
        map.linear = false;
        map.index.clear();
      }
      operands.push_back(request(v, region, std::move(map)));
    }
    RegionNode& n = at(r);
    n.kind = NodeKind::kOp;
    n.type = type;
    n.instruction = &i;
    n.operands = std::move(operands);
    return;
  }
  if (i.opcode == Opcode::kConstant) {
    RegionNode& n = at(r);
    n.kind = NodeKind::kConstant;
    n.type = type;
    n.bits = *splat_bits(attributes_of<hlo::ConstantAttributes>(i).value);
    return;
  }
  if (i.opcode == Opcode::kReshape) {
    forward(region, r.node,
            request(node.operands[0], region,
                    reshaped_map(r.map, shape(node.results[0]), shape(node.operands[0]), regions_[region].extents)));
    return;
  }
  if (is_scalar_broadcast(node)) {
    AccessMap scalar;
    scalar.guards = r.map.guards;
    return forward(region, r.node, request(node.operands[0], region, std::move(scalar)));
  }
  const AccessMap map = *dimensions_map(node, r);
  switch (i.opcode) {  // NOLINT: the structural ops of regions
    case Opcode::kIota: {
      RegionNode& n = at(r);
      n.kind = NodeKind::kIndex;
      n.type = type;
      n.index = map.index[static_cast<size_t>(attributes_of<hlo::IotaAttributes>(i).dimension)];
      return;
    }
    case Opcode::kPad: {
      AccessMap inner = operand_map(node, 0, map);
      const std::vector<Guard> guards(inner.guards.begin() + static_cast<std::ptrdiff_t>(map.guards.size()),
                                      inner.guards.end());
      AccessMap scalar;
      scalar.guards = map.guards;
      const uint32_t inside = request(node.operands[0], region, std::move(inner));
      const uint32_t outside = request(node.operands[1], region, std::move(scalar));
      if (guards.empty()) return forward(region, r.node, inside);
      RegionNode& n = at(r);
      n.kind = NodeKind::kGuarded;
      n.type = type;
      n.operands = {inside, outside};
      n.guards = guards;
      return;
    }
    case Opcode::kConcatenate: return expand_concatenate(node, r, map);
    case Opcode::kDynamicSlice: return expand_dynamic_slice(node, r, map);
    case Opcode::kDynamicUpdateSlice: return expand_dynamic_update_slice(node, r, map);
    case Opcode::kGather: return expand_gather(node, r, map);
    default: return forward(region, r.node, request(node.operands[0], region, operand_map(node, 0, map)));
  }
}

void RegionFormer::expand_concatenate(const Node& node, const Request& r, AccessMap map) {
  const size_t axis = static_cast<size_t>(attributes_of<hlo::ConcatenateAttributes>(*node.instruction).dimension);
  const ElementType type = shape(node.results[0]).element_type();
  std::vector<std::pair<uint32_t, Guard>> parts;
  int64_t offset = 0;
  for (ValueId v : node.operands) {
    const int64_t extent = shape(v).dimensions()[axis];
    if (extent == 0) continue;
    AccessMap inner = map;
    inner.index[axis] = plus(inner.index[axis], -offset);
    const Guard guard{inner.index[axis], 0, extent};
    inner.guards.push_back(guard);
    offset += extent;
    parts.emplace_back(request(v, r.region, std::move(inner)), guard);
  }
  // From the last part backwards: part or (the next part or (...)).
  uint32_t rest = parts.back().first;
  for (size_t k = parts.size() - 1; k-- > 0;) {
    RegionNode select;
    select.kind = NodeKind::kGuarded;
    select.type = type;
    select.operands = {parts[k].first, rest};
    select.guards = {parts[k].second};
    rest = static_cast<uint32_t>(regions_[r.region].nodes.size());
    regions_[r.region].nodes.push_back(std::move(select));
    forwards_[r.region].push_back(kNoNode);
  }
  forward(r.region, r.node, rest);
}

void RegionFormer::expand_dynamic_slice(const Node& node, const Request& r, AccessMap map) {
  const hlo::Int64List& sizes = attributes_of<hlo::DynamicSliceAttributes>(*node.instruction).sizes;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t limit = shape(node.operands[0]).dimensions()[d] - sizes[d];
    map.index[d] = map.index[d] + clamped_start(node.operands[1 + d], {}, limit, r.region);
  }
  forward(r.region, r.node, request(node.operands[0], r.region, std::move(map)));
}

void RegionFormer::expand_dynamic_update_slice(const Node& node, const Request& r, AccessMap map) {
  AccessMap inner = map;
  std::vector<Guard> guards;
  for (size_t d = 0; d < map.index.size(); ++d) {
    const int64_t size = shape(node.operands[1]).dimensions()[d];
    const int64_t limit = shape(node.operands[0]).dimensions()[d] - size;
    if (limit == 0) continue;
    inner.index[d] = map.index[d] + clamped_start(node.operands[2 + d], {}, limit, r.region) * -1;
    guards.push_back({inner.index[d], 0, size});
  }
  inner.guards.insert(inner.guards.end(), guards.begin(), guards.end());
  const uint32_t update = request(node.operands[1], r.region, std::move(inner));
  if (guards.empty()) return forward(r.region, r.node, update);
  const uint32_t old = request(node.operands[0], r.region, std::move(map));
  RegionNode& n = at(r);
  n.kind = NodeKind::kGuarded;
  n.type = shape(node.results[0]).element_type();
  n.operands = {update, old};
  n.guards = std::move(guards);
}

void RegionFormer::expand_gather(const Node& node, const Request& r, AccessMap map) {
  const hlo::GatherAttributes& a = attributes_of<hlo::GatherAttributes>(*node.instruction);
  const Shape& array = shape(node.operands[0]);
  const Shape& indices = shape(node.operands[1]);
  const auto has = [](const hlo::Int64List& list, int64_t d) { return std::ranges::find(list, d) != list.end(); };
  std::vector<IndexExpr> batch;
  for (int64_t d = 0; d < static_cast<int64_t>(map.index.size()); ++d) {
    if (!has(a.offset_dims, d)) batch.push_back(map.index[static_cast<size_t>(d)]);
  }
  AccessMap inner;
  inner.guards = map.guards;
  inner.index.resize(static_cast<size_t>(array.rank()));
  size_t next_offset = 0;
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (has(a.collapsed_slice_dims, d) || has(a.operand_batching_dims, d)) continue;
    inner.index[static_cast<size_t>(d)] = map.index[static_cast<size_t>(a.offset_dims[next_offset++])];
  }
  for (size_t k = 0; k < a.operand_batching_dims.size(); ++k) {
    int64_t d = a.start_indices_batching_dims[k];
    if (d > a.index_vector_dim) --d;  // batch counts the dimensions of the indices without the vector's
    inner.index[static_cast<size_t>(a.operand_batching_dims[k])] = batch[static_cast<size_t>(d)];
  }
  for (size_t k = 0; k < a.start_index_map.size(); ++k) {
    AccessMap where;
    where.guards = map.guards;
    where.index = batch;
    if (a.index_vector_dim < indices.rank()) {
      IndexExpr component;
      component.constant = static_cast<int64_t>(k);
      where.index.insert(where.index.begin() + a.index_vector_dim, component);
    }
    const size_t d = static_cast<size_t>(a.start_index_map[k]);
    const int64_t limit = array.dimensions()[d] - a.slice_sizes[d];
    inner.index[d] = inner.index[d] + clamped_start(node.operands[1], std::move(where), limit, r.region);
  }
  forward(r.region, r.node, request(node.operands[0], r.region, std::move(inner)));
}

void RegionFormer::expand_reduce(uint32_t n, uint32_t region, const std::vector<uint32_t>& result_nodes,
                                 AccessMap input_map) {
  const Node& node = graph_.nodes[n];
  const size_t count = node.operands.size() / 2;
  RegionNode reduce;
  reduce.kind = NodeKind::kReduce;
  reduce.instruction = node.instruction;
  reduce.count = static_cast<uint32_t>(count);
  reduce.body = attributes_of<hlo::ReduceAttributes>(*node.instruction).to_apply.get();
  reduce.type = shape(node.results[0]).element_type();
  for (size_t k = 0; k < count; ++k) reduce.operands.push_back(request(node.operands[k], region, input_map));
  for (size_t k = 0; k < count; ++k) reduce.operands.push_back(request(node.operands[count + k], region, {}));
  const uint32_t id = static_cast<uint32_t>(regions_[region].nodes.size());
  regions_[region].nodes.push_back(std::move(reduce));
  forwards_[region].push_back(kNoNode);
  for (size_t k = 0; k < count; ++k) {
    RegionNode& result = regions_[region].nodes[result_nodes[k]];
    result.kind = NodeKind::kReduceResult;
    result.type = shape(node.results[k]).element_type();
    result.operands = {id};
    result.result = static_cast<uint32_t>(k);
  }
}

/// A small dot: the contracting dimensions become the row. `result` has one expression per dimension of the result.
void RegionFormer::expand_dot(const Node& node, uint32_t region, uint32_t result_node,
                              const std::vector<IndexExpr>& result) {
  const auto& a = attributes_of<hlo::DotAttributes>(*node.instruction);
  const Shape& lhs = shape(node.operands[0]);
  const Shape& rhs = shape(node.operands[1]);
  AccessMap left, right;
  left.index.resize(static_cast<size_t>(lhs.rank()));
  right.index.resize(static_cast<size_t>(rhs.rank()));
  size_t next = 0;
  for (size_t k = 0; k < a.lhs_batch_dimensions.size(); ++k, ++next) {
    left.index[static_cast<size_t>(a.lhs_batch_dimensions[k])] = result[next];
    right.index[static_cast<size_t>(a.rhs_batch_dimensions[k])] = result[next];
  }
  const auto has = [](const hlo::Int64List& list, size_t d) {
    return std::ranges::find(list, static_cast<int64_t>(d)) != list.end();
  };
  for (size_t d = 0; d < left.index.size(); ++d) {
    if (!has(a.lhs_batch_dimensions, d) && !has(a.lhs_contracting_dimensions, d)) left.index[d] = result[next++];
  }
  for (size_t d = 0; d < right.index.size(); ++d) {
    if (!has(a.rhs_batch_dimensions, d) && !has(a.rhs_contracting_dimensions, d)) right.index[d] = result[next++];
  }
  Region& r = regions_[region];
  r.row_begin = r.extents.size();
  for (size_t k = 0; k < a.lhs_contracting_dimensions.size(); ++k) {
    left.index[static_cast<size_t>(a.lhs_contracting_dimensions[k])] = IndexExpr::dimension(r.extents.size());
    right.index[static_cast<size_t>(a.rhs_contracting_dimensions[k])] = IndexExpr::dimension(r.extents.size());
    r.extents.push_back(lhs.dimension(a.lhs_contracting_dimensions[k]));
  }
  if (r.row_begin == r.extents.size()) r.extents.push_back(1);
  RegionNode dot;
  dot.kind = NodeKind::kReduce;
  dot.instruction = node.instruction;
  dot.is_dot = true;
  dot.count = 1;
  dot.type = shape(node.results[0]).element_type();
  dot.operands = {request(node.operands[0], region, std::move(left)),
                  request(node.operands[1], region, std::move(right))};
  RegionNode zero;
  zero.kind = NodeKind::kConstant;
  // The accumulator's: f8e8m0fnu has no zero.
  zero.type = is_floating(dot.type) && element_type_info(dot.type).bits < 32 ? ElementType::kF32 : dot.type;
  const auto append = [&](RegionNode n) {
    r.nodes.push_back(std::move(n));
    forwards_[region].push_back(kNoNode);
    return static_cast<uint32_t>(r.nodes.size() - 1);
  };
  dot.operands.push_back(append(std::move(zero)));
  const ElementType type = dot.type;
  const uint32_t id = append(std::move(dot));
  RegionNode& n = r.nodes[result_node];
  n.kind = NodeKind::kReduceResult;
  n.type = type;
  n.operands = {id};
  n.result = 0;
}

}  // namespace hilo::engine
