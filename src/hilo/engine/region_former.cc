// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_former.h"

#include <algorithm>

#include "hilo/engine/node_key.h"
#include "hilo/hlo/ops/reduce.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::engine {

using hlo::Opcode;

namespace {

constexpr size_t kMaxRegionNodes = 256;  // bounds compile time and register pressure of one kernel
constexpr int64_t kMaxSerialRow = 4096;  // elements; a longer reduction to one value is split over threads
constexpr ValueId kNever = kNoValue;

std::vector<int64_t> to_vector(std::span<const int64_t> s) { return {s.begin(), s.end()}; }

/// In ascending order, as the row has them; a program may list them in any.
hlo::Int64List reduced_dimensions(const hlo::Instruction& reduce) {
  hlo::Int64List dimensions = hlo::attributes_of<hlo::ReduceAttributes>(reduce).dimensions;
  std::ranges::sort(dimensions);
  return dimensions;
}

}  // namespace

RegionFormer::RegionFormer(const Graph& graph, const Costs& costs)
    : graph_(graph), costs_(costs), requests_(graph.values.size()), needed_before_(graph.values.size(), kNever) {}

RegionGraph RegionFormer::run() && {
  // kNever - 1: needed in memory, but only at the end.
  for (ValueId v : graph_.results) needed_before_[v] = kNever - 1;
  for (uint32_t n = static_cast<uint32_t>(graph_.nodes.size()); n-- > 0;) visit(n);
  for (ValueId v : graph_.parameters) {
    for (const Request& r : requests_[v]) load(v, r);
  }
  RegionGraph result;
  for (size_t r = 0; r < regions_.size(); ++r)
    result.regions.push_back(finished_region(std::move(regions_[r]), forwards_[r]));
  std::ranges::stable_sort(result.regions, {}, &Region::root);
  std::ranges::sort(others_);
  result.other_nodes = std::move(others_);
  return result;
}

void RegionFormer::visit(uint32_t n) {
  const Node& node = graph_.nodes[n];
  const bool effect = hlo::is_kept_when_unused(node.instruction->opcode, node.instruction->attributes);
  const bool used = effect || std::ranges::any_of(node.results, [&](ValueId v) {
                      return !requests_[v].empty() || needed_before_[v] != kNever;
                    });
  if (!used) return;
  const RegionOp op = region_op_of(graph_, node, costs_);
  if (op == RegionOp::kNone) {
    others_.push_back(n);
    for (ValueId v : node.results) {
      for (const Request& r : requests_[v]) load(v, r);
    }
    for (ValueId v : node.operands) needed_before_[v] = std::min(needed_before_[v], node_key(graph_, n));
    return;
  }
  if (!try_join(n, op)) materialise(n);
}

void RegionFormer::load(ValueId value, const Request& r) {
  Region& region = regions_[r.region];
  RegionNode& node = region.nodes[r.node];
  node.type = shape(value).element_type();
  if (shape(value).element_count() == 0) {
    // Nothing is ever read; a guard keeps everybody away.
    node.kind = NodeKind::kConstant;
    return;
  }
  node.kind = NodeKind::kLoad;
  node.index = linear_index(r.map, shape(value));
  node.guards = r.map.guards;
  const auto same = std::ranges::find(region.inputs, value, &RegionInput::value);
  node.input = static_cast<uint32_t>(same - region.inputs.begin());
  if (same == region.inputs.end()) region.inputs.push_back({value, node.type});
}

/// Does joining compute elements more often than once each?
bool RegionFormer::repeats_work(ValueId value, RegionOp op, const Request& r) const {
  if (op == RegionOp::kFree || op == RegionOp::kMovement || op == RegionOp::kReduce) return false;
  const Region& region = regions_[r.region];
  size_t inner = 0;  // one past the innermost dimension that the element depends on
  for (const IndexExpr& e : r.map.index) {
    for (size_t k = 0; k < e.coefficients.size(); ++k) {
      if (e.coefficients[k] != 0 && region.extents[k] != 1) inner = std::max(inner, k + 1);
    }
    if (!e.terms.empty()) inner = region.extents.size();
  }
  int64_t evaluations = 1;
  for (size_t k = 0; k < inner; ++k) evaluations *= region.extents[k];
  const int64_t once = std::max<int64_t>(shape(value).element_count(), 1);
  if (op == RegionOp::kCheap) return evaluations > 2 * once;
  // In short rows a few elements more can be twice as many vectors.
  constexpr int64_t kLongRow = 64;
  if (region.extents.empty() || region.extents.back() < kLongRow) return evaluations > once;
  const ElementType type = shape(value).element_type();
  const double in_memory = once > costs_.cache_bytes / element_size_bytes(type) ? costs_.uncached : costs_.cached;
  return static_cast<double>(evaluations - once) * costs_.ops_of(type).transcendental >
         static_cast<double>(once) * in_memory;
}

bool RegionFormer::may_join(ValueId value, RegionOp op, const Request& r) {
  const Node& node = graph_.nodes[graph_.values[value].node];
  if (regions_[r.region].nodes.size() + node.operands.size() > kMaxRegionNodes && op != RegionOp::kFree) return false;
  if (op == RegionOp::kReduce) return row_accepts(node, r, false);
  return can_expand(node, r) && !repeats_work(value, op, r);
}

bool RegionFormer::try_join(uint32_t n, RegionOp op) {
  const Node& node = graph_.nodes[n];
  if (node.instruction->opcode == Opcode::kDot) {
    const ValueId v = node.results[0];
    if (needed_before_[v] != kNever || requests_[v].size() != 1 || !dot_accepts(requests_[v][0])) return false;
    const Request r = requests_[v][0];
    expand_dot(node, r.region, r.node, r.map.index);
    return true;
  }
  if (op == RegionOp::kReduce) {
    // All results in use are asked for by one region, at one place.
    const Request* first = nullptr;
    for (ValueId v : node.results) {
      if (needed_before_[v] != kNever || requests_[v].size() > 1) return false;
      if (requests_[v].empty()) continue;
      const Request& r = requests_[v][0];
      if (first != nullptr && (first->region != r.region || !(first->map == r.map))) return false;
      first = &r;
    }
    if (first == nullptr || !may_join(node.results[0], op, *first)) return false;
    return row_accepts(node, *first, true);
  }
  const ValueId value = node.results[0];
  std::vector<Request>& requests = requests_[value];
  const bool needed = needed_before_[value] != kNever;
  if (op == RegionOp::kFree || (op == RegionOp::kMovement && !needed)) {
    // Everybody gets a copy of their own where that is possible; the others load.
    if (needed || !std::ranges::all_of(requests, [&](const Request& r) { return may_join(value, op, r); })) {
      if (op != RegionOp::kFree ||
          !std::ranges::all_of(requests, [&](const Request& r) { return may_join(value, op, r); }))
        return false;
      const std::vector<Request> copies = std::move(requests);
      requests.clear();
      for (const Request& r : copies) expand(node, r);
      return false;  // and a region that puts it into memory
    }
    for (const Request& r : std::vector<Request>(requests)) expand(node, r);
    return true;
  }
  if (requests.empty()) return false;
  if (requests.size() == 1 && !needed) {
    if (!may_join(value, op, requests[0])) return false;
    expand(node, Request(requests[0]));
    return true;
  }
  if (!needed && op == RegionOp::kCheap && is_lanewise(node.instruction->opcode)) {
    // Whoever computes it again reads no more than its memory would be, but for what is small and repeated.
    const auto arrays = std::ranges::count_if(node.operands, [&](ValueId v) {
      const hlo::Instruction* from = producer(v);
      return shape(v).element_count() != 1 && (from == nullptr || from->opcode != Opcode::kBroadcast);
    });
    if (arrays <= 1 && std::ranges::all_of(requests, [&](const Request& r) { return may_join(value, op, r); })) {
      for (const Request& r : std::vector<Request>(requests)) expand(node, r);
      return true;
    }
  }
  return try_become_output(value);
}

/// The region that runs first computes the value and also writes it; later ones load it.
bool RegionFormer::try_become_output(ValueId value) {
  std::vector<Request>& requests = requests_[value];
  const Request* earliest = nullptr;
  for (const Request& r : requests) {
    if (earliest == nullptr || regions_[r.region].root < regions_[earliest->region].root) earliest = &r;
  }
  const Request chosen = *earliest;
  Region& region = regions_[chosen.region];
  if (needed_before_[value] <= region.root || region.updated != kNoValue || !chosen.map.guards.empty()) return false;
  for (const Request& r : requests) {
    if (&r != earliest && regions_[r.region].root == region.root) return false;
  }
  // The map must be the identity on all outer dimensions, and on the row's if there is one in it.
  size_t next = 0;
  if (chosen.map.linear) return false;
  for (size_t k = 0; k < chosen.map.index.size(); ++k) {
    const std::optional<int64_t> d = as_dimension(chosen.map.index[k]);
    // All of the value, not a slice of it.
    const int64_t extent = shape(value).dimension(static_cast<int64_t>(k));
    if (!d || extent != (*d < 0 ? 1 : region.extents[static_cast<size_t>(*d)])) return false;
    if (*d < 0) continue;
    while (next < static_cast<size_t>(*d) && region.extents[next] == 1) ++next;
    if (next++ != static_cast<size_t>(*d)) return false;
  }
  while (next < region.extents.size() && next != region.row_begin && region.extents[next] == 1) ++next;
  const bool covers_outer = region.has_row() && next == region.row_begin;
  while (next < region.extents.size() && region.extents[next] == 1) ++next;
  if ((next != region.extents.size() && !covers_outer) || shape(value).element_count() == 0) return false;
  const Node& node = graph_.nodes[graph_.values[value].node];
  const RegionOp op = region_op_of(graph_, node, costs_);
  if (!may_join(value, op, chosen)) return false;
  const std::vector<Request> all = std::move(requests);
  requests.clear();
  for (const Request& r : all) {
    if (r.region != chosen.region || r.node != chosen.node) load(value, r);
  }
  region.outputs.push_back({value, chosen.node, linear_index(chosen.map, shape(value)), shape(value).element_type()});
  expand(node, chosen);
  return true;
}

uint32_t RegionFormer::new_region(ValueId root, std::vector<int64_t> extents) {
  Region region;
  region.row_begin = extents.size();
  region.extents = std::move(extents);
  region.root = root;
  regions_.push_back(std::move(region));
  forwards_.emplace_back();
  return static_cast<uint32_t>(regions_.size() - 1);
}

void RegionFormer::materialise(uint32_t n) {
  const Node& node = graph_.nodes[n];
  for (ValueId v : node.results) {
    for (const Request& r : requests_[v]) load(v, r);
    requests_[v].clear();
  }
  if (node.instruction->opcode == Opcode::kConstant) others_.push_back(n);  // memory that is there already
  else start_root(n);
}

const hlo::Instruction* RegionFormer::producer(ValueId value) const {
  const uint32_t node = graph_.values[value].node;
  return node == ~0u ? nullptr : graph_.nodes[node].instruction;
}

namespace {

/// Are these dimensions the others, some of them cut in several? [4,6] is cut to [4,3,2], and to [2,2,6].
bool refines(std::span<const int64_t> fine, std::span<const int64_t> coarse) {
  size_t k = 0;
  for (int64_t whole : coarse) {
    int64_t product = 1;
    while (product < whole && k < fine.size()) product *= fine[k++];
    if (product != whole) return false;
  }
  while (k < fine.size() && fine[k] == 1) ++k;
  return k == fine.size();
}

}  // namespace

/// Are elements of the value, of several dimensions, computed from what is elsewhere, so that nobody can compute one by a linear
/// index? Those of x - row, or of x backwards. Its rows must be long enough for vectors, or as long as those of `own`.
bool RegionFormer::moves_elements(ValueId value, const Shape& own) const {
  constexpr size_t kMostNodes = 16;
  constexpr int64_t kShortestRow = 16;
  if (own.rank() == 0 || shape(value).rank() == 0) return false;
  if (shape(value).dimensions().back() < std::min(own.dimensions().back(), kShortestRow)) return false;
  std::vector<ValueId> ahead = {value};
  for (size_t k = 0; k < ahead.size() && k < kMostNodes; ++k) {
    const hlo::Instruction* from = producer(ahead[k]);
    if (from == nullptr) continue;
    const Node& node = graph_.nodes[graph_.values[ahead[k]].node];
    if (is_lanewise(from->opcode)) ahead.insert(ahead.end(), node.operands.begin(), node.operands.end());
    if (from->opcode == Opcode::kReverse || from->opcode == Opcode::kSlice || from->opcode == Opcode::kGather)
      return true;
    if (from->opcode == Opcode::kBroadcast && !is_scalar_broadcast(node)) return true;
  }
  return false;
}

/// Of an op on elements: what was reshaped on the way to it and repeats or moves elements, so that nobody can read it by a linear
/// index. Each element of s32[n,63] twice is such an s32[n,63,2]. kNoValue if there is none, or if a reduction wants the op's own
/// dimensions; what is moved alone doesn't count beside guards, which are for one dimension each.
ValueId RegionFormer::finer_value(const Node& node) const {
  constexpr size_t kMostNodes = 32;
  const Shape& own = shape(node.results[0]);
  std::vector<const Node*> ahead = {&node};
  ValueId repeated = kNoValue, moved = kNoValue;
  bool is_guarded = false;
  for (size_t k = 0; k < ahead.size() && k < kMostNodes; ++k) {
    for (ValueId v : ahead[k]->operands) {
      const hlo::Instruction* from = producer(v);
      if (from == nullptr) continue;
      if (from->opcode == Opcode::kReduce || from->opcode == Opcode::kDot) return kNoValue;
      is_guarded |= from->opcode == Opcode::kPad || from->opcode == Opcode::kConcatenate ||
                    from->opcode == Opcode::kDynamicUpdateSlice;
      const Node& operand = graph_.nodes[graph_.values[v].node];
      if (is_lanewise(from->opcode)) ahead.push_back(&operand);
      if (from->opcode != Opcode::kReshape) continue;
      const ValueId source = operand.operands[0];
      const hlo::Instruction* const made = producer(source);
      if (made == nullptr || !refines(shape(source).dimensions(), own.dimensions())) continue;
      if (made->opcode == Opcode::kBroadcast && repeated == kNoValue) repeated = source;
      if (moved == kNoValue && moves_elements(source, own)) moved = source;
    }
  }
  return repeated != kNoValue || is_guarded ? repeated : moved;
}

/// The value over whose dimensions a region of the node loops, if they are not its own. A reshape has those of what it reshapes: ops
/// in there may look at their position, and in row-major order elements come in the same order either way.
ValueId RegionFormer::domain_value(const Node& node) const {
  if (shape(node.results[0]).element_count() == 0) return kNoValue;
  if (is_lanewise(node.instruction->opcode)) return finer_value(node);
  if (node.instruction->opcode != Opcode::kReshape) return kNoValue;
  ValueId source = node.operands[0];
  for (const hlo::Instruction* i = producer(source); i != nullptr && i->opcode == Opcode::kReshape;
       i = producer(source))
    source = graph_.nodes[graph_.values[source].node].operands[0];
  return source;
}

void RegionFormer::start_over(const Node& node, ValueId domain) {
  const Shape over = shape(domain);
  const AccessMap identity = identity_map(static_cast<size_t>(over.rank()));
  const ValueId result = node.results[0];
  const uint32_t region = new_region(result, to_vector(over.dimensions()));
  regions_[region].nodes.push_back({});
  forwards_[region].push_back(kNoNode);
  regions_[region].outputs.push_back({result, 0, linear_index(identity, over), shape(result).element_type()});
  expand(node, {region, 0, reshaped_map(identity, over, shape(result), regions_[region].extents)});
}

/// A region of its own for the node.
void RegionFormer::start_root(uint32_t n) {
  const Node& node = graph_.nodes[n];
  const hlo::Instruction& i = *node.instruction;
  if (i.opcode == Opcode::kConcatenate && node.operands.size() > 1) {
    // One region per operand, each into its part of the result.
    const size_t axis = static_cast<size_t>(hlo::attributes_of<hlo::ConcatenateAttributes>(i).dimension);
    int64_t offset = 0;
    for (ValueId operand : node.operands) {
      const std::span<const int64_t> dimensions = shape(operand).dimensions();
      AccessMap place = identity_map(dimensions.size());
      place.index[axis].constant = offset;
      offset += dimensions[axis];
      if (shape(operand).element_count() == 0) continue;
      const uint32_t region = new_region(node.results[0], to_vector(dimensions));
      const uint32_t source = request(operand, region, identity_map(dimensions.size()));
      regions_[region].outputs.push_back(
          {node.results[0], source, linear_index(place, shape(node.results[0])), shape(operand).element_type()});
    }
    return;
  }
  if (i.opcode == Opcode::kDynamicUpdateSlice) {
    const ValueId update = node.operands[1];
    const uint32_t region = new_region(node.results[0], to_vector(shape(update).dimensions()));
    AccessMap place = identity_map(static_cast<size_t>(shape(update).rank()));
    for (size_t d = 0; d < place.index.size(); ++d) {
      const int64_t limit =
          shape(node.results[0]).dimension(static_cast<int64_t>(d)) - shape(update).dimension(static_cast<int64_t>(d));
      place.index[d] = place.index[d] + clamped_start(node.operands[2 + d], {}, limit, region);
    }
    const uint32_t source = request(update, region, identity_map(place.index.size()));
    regions_[region].outputs.push_back(
        {node.results[0], source, linear_index(place, shape(node.results[0])), shape(update).element_type()});
    regions_[region].updated = node.operands[0];
    needed_before_[node.operands[0]] = std::min(needed_before_[node.operands[0]], node.results[0]);
    return;
  }
  if (const ValueId domain = domain_value(node); domain != kNoValue) return start_over(node, domain);
  std::vector<int64_t> extents = to_vector(shape(node.results[0]).dimensions());
  const size_t rank = extents.size();
  if (i.opcode == Opcode::kReduce) {
    for (int64_t d : reduced_dimensions(i)) extents.push_back(shape(node.operands[0]).dimension(d));
  }
  const uint32_t region = new_region(node.results[0], std::move(extents));
  regions_[region].row_begin = rank;
  std::vector<uint32_t> nodes;
  for (ValueId v : node.results) {
    nodes.push_back(static_cast<uint32_t>(regions_[region].nodes.size()));
    regions_[region].nodes.push_back({});
    forwards_[region].push_back(kNoNode);
    regions_[region].outputs.push_back(
        {v, nodes.back(), linear_index(identity_map(rank), shape(v)), shape(v).element_type()});
  }
  if (i.opcode == Opcode::kDot) return expand_dot(node, region, nodes[0], identity_map(rank).index);
  if (i.opcode != Opcode::kReduce) {
    expand(node, {region, nodes[0], identity_map(rank)});
    return;
  }
  AccessMap input;
  input.index.resize(static_cast<size_t>(shape(node.operands[0]).rank()));
  const hlo::Int64List reduced = reduced_dimensions(i);
  size_t kept = 0;
  for (size_t d = 0; d < input.index.size(); ++d) {
    const auto it = std::ranges::find(reduced, static_cast<int64_t>(d));
    input.index[d] =
        IndexExpr::dimension(it == reduced.end() ? kept++ : rank + static_cast<size_t>(it - reduced.begin()));
  }
  expand_reduce(n, region, nodes, std::move(input));
}

/// Can a dot be computed where the request wants it? Only element by element of a region without a row.
bool RegionFormer::dot_accepts(const Request& r) const {
  const Region& region = regions_[r.region];
  if (r.map.linear || !r.map.guards.empty() || region.updated != kNoValue || region.has_row()) return false;
  if (region.nodes.size() + 8 > kMaxRegionNodes) return false;
  size_t next = 0;
  for (const IndexExpr& e : r.map.index) {
    const std::optional<int64_t> d = as_dimension(e);
    if (!d) return false;
    if (*d < 0) continue;
    while (next < static_cast<size_t>(*d) && region.extents[next] == 1) ++next;
    if (next++ != static_cast<size_t>(*d)) return false;
  }
  while (next < region.extents.size() && region.extents[next] == 1) ++next;
  return next == region.extents.size();
}

/// Can the reduction run as a stage of the region's row? `apply`: then do it.
bool RegionFormer::row_accepts(const Node& node, const Request& r, bool apply) {
  Region& region = regions_[r.region];
  if (r.map.linear || !r.map.guards.empty() || region.updated != kNoValue) return false;
  const hlo::Int64List reduced = reduced_dimensions(*node.instruction);
  std::vector<int64_t> row;  // extents other than one
  for (int64_t d : reduced) {
    if (shape(node.operands[0]).dimension(d) != 1) row.push_back(shape(node.operands[0]).dimension(d));
  }
  // The result's dimensions must be the first domain dimensions, in order.
  size_t next = 0;
  std::vector<IndexExpr> kept;
  for (const IndexExpr& e : r.map.index) {
    const std::optional<int64_t> d = as_dimension(e);
    if (!d) return false;
    kept.push_back(e);
    if (*d < 0) continue;
    while (next < static_cast<size_t>(*d) && region.extents[next] == 1) ++next;
    if (next++ != static_cast<size_t>(*d)) return false;
  }
  const auto skip_ones = [&](size_t k) {
    while (k < region.extents.size() && region.extents[k] == 1) ++k;
    return k;
  };
  bool append = false;
  size_t row_begin = region.row_begin;
  if (region.has_row()) {
    if (skip_ones(next) < row_begin || next > row_begin) return false;
  } else if (skip_ones(next) == region.extents.size()) {
    append = true;
    row_begin = region.extents.size();
  } else {
    row_begin = next;
  }
  std::vector<size_t> row_dimensions;
  if (!append) {
    for (size_t k = skip_ones(row_begin); k < region.extents.size(); k = skip_ones(k + 1)) row_dimensions.push_back(k);
    if (row_dimensions.size() != row.size()) return false;
    for (size_t k = 0; k < row.size(); ++k) {
      if (region.extents[row_dimensions[k]] != row[k]) return false;
    }
  }
  int64_t outer_count = 1, row_count = 1;
  for (size_t k = 0; k < row_begin; ++k) outer_count *= region.extents[k];
  for (int64_t e : row) row_count *= e;
  if (row_count == 0 || (outer_count < 4 && row_count > kMaxSerialRow)) return false;
  // Outputs written so far must not depend on what is about to become the row, unless it covers them.
  if (!apply) return true;
  region.row_begin = row_begin;
  if (append) {
    for (int64_t e : row) {
      row_dimensions.push_back(region.extents.size());
      region.extents.push_back(e);
    }
    if (row.empty()) region.extents.push_back(1);
  }
  AccessMap input;
  size_t next_kept = 0, next_row = 0;
  for (size_t d = 0; d < static_cast<size_t>(shape(node.operands[0]).rank()); ++d) {
    const bool is_reduced = std::ranges::find(reduced, static_cast<int64_t>(d)) != reduced.end();
    if (!is_reduced) input.index.push_back(kept[next_kept++]);
    else if (shape(node.operands[0]).dimension(static_cast<int64_t>(d)) == 1) input.index.push_back({});
    else input.index.push_back(IndexExpr::dimension(row_dimensions[next_row++]));
  }
  std::vector<uint32_t> nodes;
  for (ValueId v : node.results) {
    if (!requests_[v].empty()) {
      nodes.push_back(requests_[v][0].node);
      continue;
    }
    nodes.push_back(static_cast<uint32_t>(region.nodes.size()));
    region.nodes.push_back({});
    forwards_[r.region].push_back(kNoNode);
  }
  expand_reduce(graph_.values[node.results[0]].node, r.region, nodes, std::move(input));
  return true;
}

StatusOr<RegionGraph> form_regions(const Graph& graph, const Costs& costs) { return RegionFormer(graph, costs).run(); }

}  // namespace hilo::engine
