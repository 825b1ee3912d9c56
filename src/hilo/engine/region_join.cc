// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_former.h"

#include <algorithm>
#include <set>

#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::engine {

using hlo::Opcode;

namespace {

constexpr size_t kMaxWrittenNodes = 256;  // operations of a region whose columns are written out

/// Returns how many indices of the dimension the region visits under the map: the loops of a map are cut where guards
/// change. Vectors along the last dimension are longer than some of their parts.
int64_t visited(const Region& region, size_t k, const AccessMap& map) {
  int64_t count = region.extents[k];
  if (region.has_row() || k + 1 == region.extents.size()) return count;
  for (const Guard& g : map.guards) {
    const std::optional<GuardRange> range = range_of(g, region.extents);
    if (range && range->dimension == k) count = std::min(count, range->end - range->first);
  }
  return count;
}

/// Returns how many elements the region computes under the map.
int64_t evaluations_under(const Region& region, const AccessMap& map) {
  size_t inner = 0;  // one past the innermost dimension on which the element depends
  for (const IndexExpr& e : map.index) {
    for (size_t k = 0; k < e.coefficients.size(); ++k) {
      if (e.coefficients[k] != 0 && region.extents[k] != 1) inner = std::max(inner, k + 1);
    }
    if (!e.terms.empty()) inner = region.extents.size();
  }
  int64_t count = 1;
  for (size_t k = 0; k < inner; ++k) count *= visited(region, k, map);
  return count;
}

/// Returns how many elements of the value the region computes under all of its requests.
int64_t evaluations_in(const RegionState& state, ValueId value, uint32_t region) {
  int64_t sum = 0;
  for (const AccessMap& map : read_maps(state, value, region)) sum += evaluations_under(state.regions[region], map);
  return sum;
}

/// Counts the loops over a region's row that use a node. A reduction's loop comes after those of the reductions that it
/// depends on. Operands are defined anywhere in the region, which isn't finished.
class RowUses {
 public:
  RowUses(const RegionState& state, uint32_t region)
      : region_(state.regions[region]), forwards_(state.forwards[region]), loops_(region_.nodes.size(), kUnknown) {}

  int64_t count(uint32_t node) {
    std::vector<int64_t> loops;
    for (uint32_t n = 0; n < region_.nodes.size(); ++n) {
      if (region_.nodes[n].kind == NodeKind::kReduce && uses(n, node)) loops.push_back(loop_of(n));
    }
    for (const RegionOutput& o : region_.outputs) {
      if (uses(o.node, node)) loops.push_back(loop_of(o.node));
    }
    std::ranges::sort(loops);
    return std::ranges::unique(loops).begin() - loops.begin();
  }

 private:
  static constexpr int64_t kUnknown = -1;

  /// Returns the loop that computes the node, if that is as early as its reductions allow.
  int64_t loop_of(uint32_t n) {
    if (forwards_[n] != kNoNode) return loop_of(forwards_[n]);
    if (loops_[n] != kUnknown) return loops_[n];
    const RegionNode& node = region_.nodes[n];
    int64_t loop = 0;
    for (uint32_t o : node.operands) loop = std::max(loop, loop_of(o));
    return loops_[n] = loop + (node.kind == NodeKind::kReduceResult ? 1 : 0);
  }

  /// Whether the loop that computes node n needs `node`.
  bool uses(uint32_t n, uint32_t node) {
    std::vector<bool> seen(region_.nodes.size(), false);
    std::vector<uint32_t> left = {n};
    while (!left.empty()) {
      const uint32_t at = left.back();
      left.pop_back();
      if (at == node) return true;
      if (forwards_[at] != kNoNode) left.push_back(forwards_[at]);
      if (seen[at] || region_.nodes[at].kind == NodeKind::kReduceResult) continue;
      seen[at] = true;
      left.insert(left.end(), region_.nodes[at].operands.begin(), region_.nodes[at].operands.end());
    }
    return false;
  }

  const Region& region_;
  const std::vector<uint32_t>& forwards_;
  std::vector<int64_t> loops_;
};

/// Returns how often the region computes each element of its node: once for each loop over a row too long to be kept.
int64_t loops_with(const RegionState& state, const Request& r) {
  const Region& region = state.regions[r.region];
  const int64_t row = region.has_row() ? hlo::count_of(std::span(region.extents).subspan(region.row_begin)) : 0;
  if (row * element_size_bytes(ElementType::kF32) <= kMaxKeptBytes) return 1;
  return std::max<int64_t>(RowUses(state, r.region).count(r.node), 1);
}

/// Whether joining computes an element more than once.
bool repeats_work(const RegionState& state, ValueId value, RegionOp op, const Request& r) {
  if (op == RegionOp::kFree || op == RegionOp::kMovement || op == RegionOp::kReduce) return false;
  const Region& region = state.regions[r.region];
  const int64_t evaluations =
      has_columns(state, r.region) ? evaluations_in(state, value, r.region) : evaluations_under(region, r.map);
  const int64_t once = std::max<int64_t>(state.shape(value).element_count(), 1);
  if (op == RegionOp::kCheap) return evaluations > 2 * once;
  // In short rows, a few more elements can double the number of vectors.
  constexpr int64_t kLongRow = 64;
  if (region.extents.empty() || region.extents.back() < kLongRow) return evaluations > once;
  const Costs& costs = state.costs;
  const ElementType type = state.shape(value).element_type();
  const double in_memory = once > costs.cache_bytes / element_size_bytes(type) ? costs.uncached : costs.cached;
  return static_cast<double>(evaluations * loops_with(state, r) - once) * costs.ops_of(type).transcendental >
         static_cast<double>(once) * in_memory;
}

bool may_join(const RegionState& state, const Node& node, RegionOp op, const Request& r) {
  // A moved value is loaded, as it would be from memory.
  const bool grows = op != RegionOp::kFree && op != RegionOp::kMovement;
  const size_t nodes = state.regions[r.region].nodes.size() + node.operands.size();
  if (grows && (nodes > kMaxRegionNodes || state.written_nodes[r.region] > kMaxWrittenNodes)) return false;
  return can_expand(state, node, r) && !repeats_work(state, node.results[0], op, r);
}

bool all_may_join(const RegionState& state, const Node& node, RegionOp op) {
  return std::ranges::all_of(state.requests[node.results[0]],
                             [&](const Request& r) { return may_join(state, node, op, r); });
}

/// Gives each reader its own copy. Returns true.
bool expand_all(RegionState& state, const Node& node) {
  const ValueId value = node.results[0];
  for (const Request& r : state.requests[value]) {
    const bool is_first = state.requests[value].data() == &r || r.region != (&r - 1)->region;
    if (is_first && has_columns(state, r.region))
      state.written_nodes[r.region] += read_maps(state, value, r.region).size();
  }
  const std::vector<Request> copies = std::move(state.requests[value]);
  state.requests[value].clear();
  for (const Request& r : copies) expand(state, node, r);
  return true;
}

/// Whether each element of the value is read once, by the whole domain of a region, by its outer dimensions or by its
/// rows of columns.
bool is_read_whole(const RegionState& state, ValueId value, const Request& r) {
  const Region& region = state.regions[r.region];
  const Shape& shape = state.shape(value);
  if (r.map.linear || shape.element_count() == 0) return false;
  for (size_t k = 0; k < r.map.index.size(); ++k) {  // the whole value, not a slice
    const std::optional<int64_t> d = as_dimension(r.map.index[k]);
    const int64_t extent = shape.dimension(k);
    if (!d || extent != (*d < 0 ? 1 : region.extents[*d])) return false;
  }
  const std::optional<size_t> walked = leading_dimensions(region.extents, r.map);
  if (!walked) return false;
  const size_t behind = skip_ones(region.extents, *walked);
  const bool covers_outer = region.has_row() && *walked <= region.row_begin && behind >= region.row_begin;
  const bool covers_rows = has_columns(state, r.region) && behind == first_column(region.extents);
  return covers_outer || covers_rows || behind == region.extents.size();
}

/// Lets the region that runs first compute the value and also write it; later regions load it.
bool try_become_output(RegionState& state, const Node& node, RegionOp op) {
  const ValueId value = node.results[0];
  const auto root_of = [&](const Request& r) { return state.regions[r.region].root; };
  std::vector<Request>& requests = state.requests[value];
  const Request chosen = *std::ranges::min_element(requests, {}, root_of);
  Region& region = state.regions[chosen.region];
  if (state.needed_before[value] <= region.root || !chosen.map.guards.empty()) return false;
  if (std::ranges::count(requests, region.root, root_of) > 1) return false;
  if (!is_read_whole(state, value, chosen) || !may_join(state, node, op, chosen)) return false;
  const std::vector<Request> all = std::move(requests);
  requests.clear();
  for (const Request& r : all) {
    if (r.region != chosen.region || r.node != chosen.node) load(state, value, r);
  }
  const Shape& shape = state.shape(value);
  region.outputs.push_back({value, chosen.node, linear_index(chosen.map, shape), shape.element_type()});
  expand(state, node, chosen);
  return true;
}

/// Whether each region that computes the node again reads no more than the node's memory, except for small repeated
/// values.
bool reads_one_array(const RegionState& state, const Node& node) {
  return std::ranges::count_if(node.operands, [&](ValueId v) {
           const Node* from = state.maker(v);
           return state.shape(v).element_count() != 1 &&
                  (from == nullptr || from->instruction->opcode != Opcode::kBroadcast);
         }) <= 1;
}

/// Returns the elements of the vectors that compute `count` elements in rows of `row`.
int64_t in_vectors(int64_t count, int64_t row) {
  constexpr int64_t kLanes = 16;
  return row == 0 ? 0 : count / row * ((row + kLanes - 1) / kLanes * kLanes);
}

/// Whether few regions read the value, and together read no element of it twice: the parts of a concatenation, which
/// may be a roll. Parts of short rows would fill fewer lanes of their vectors.
bool is_read_in_parts(const RegionState& state, ValueId value) {
  constexpr size_t kMaxParts = 64, kMaxReaders = 4;
  const std::vector<Request>& requests = state.requests[value];
  if (requests.size() > kMaxParts) return false;
  const Shape& shape = state.shape(value);
  if (shape.rank() == 0) return false;
  std::vector<uint32_t> readers;
  int64_t evaluations = 0, computed = 0;
  for (const Request& r : requests) {
    if (state.regions[r.region].has_row()) return false;
    if (std::ranges::count(readers, r.region) > 0) continue;
    readers.push_back(r.region);
    const std::vector<int64_t>& extents = state.regions[r.region].extents;
    const int64_t here = evaluations_in(state, value, r.region);
    evaluations += here;
    computed += in_vectors(here, extents.empty() ? 1 : extents.back());
  }
  const int64_t once = shape.element_count();
  return readers.size() <= kMaxReaders && evaluations <= once &&
         (readers.size() == 1 || 8 * computed <= 9 * in_vectors(once, shape.dimensions().back()));
}

/// Whether one map reads the padded array often, from memory, and its loops are cut where padding begins: a stencil.
/// Then padding costs nothing, and the array isn't copied.
bool is_padded_in_cuts(const RegionState& state, const Node& pad) {
  constexpr int64_t kShortRow = 16;
  const std::vector<Request>& requests = state.requests[pad.results[0]];
  const Region& region = state.regions[requests[0].region];
  const Node* const from = state.maker(pad.operands[0]);
  const RegionOp op = from == nullptr ? RegionOp::kNone : region_op_of(state.graph, *from, state.costs);
  const bool is_in_memory = op != RegionOp::kFree && op != RegionOp::kMovement && op != RegionOp::kCheap;
  if (!is_in_memory || region.has_row() || region.extents.empty() || region.extents.back() < kShortRow) return false;
  const auto& padding = hlo::attributes_of<hlo::PadAttributes>(*pad.instruction).padding;
  const Shape& array = state.shape(pad.operands[0]);
  std::vector<std::set<int64_t>> cuts(region.extents.size());
  for (const Request& r : requests) {
    if (r.region != requests[0].region || r.map.linear) return false;
    for (size_t d = 0; d < padding.size(); ++d) {
      const int64_t low = padding[d].low, end = low + array.dimension(static_cast<int64_t>(d));
      if (low == 0 && padding[d].high == 0) continue;
      const std::optional<GuardRange> range = range_of({r.map.index[d], low, end}, region.extents);
      if (range) cuts[range->dimension].insert({range->first, range->end});
    }
  }
  size_t nodes = region.nodes.size() + 2 * requests.size();  // a load for each, and a guard
  for (size_t k = 0; k < cuts.size(); ++k) {
    cuts[k].erase(0);
    cuts[k].erase(region.extents[k]);
    if (cuts[k].size() > kMaxCuts) return false;
    nodes *= cuts[k].size() + 1;
  }
  return nodes <= kMaxCutNodes;
}

}  // namespace

bool try_join(RegionState& state, const Node& node, RegionOp op) {
  if (node.instruction->opcode == Opcode::kDot) return try_join_dot(state, node);
  if (op == RegionOp::kReduce) return try_join_row(state, node);
  const ValueId value = node.results[0];
  const std::vector<Request>& requests = state.requests[value];
  const bool needed = state.is_needed(value);
  if (op == RegionOp::kFree || (op == RegionOp::kMovement && !needed)) {
    // If the value is also needed in memory, a region writes it there.
    return (op == RegionOp::kFree || !needed) && all_may_join(state, node, op) && expand_all(state, node) && !needed;
  }
  if (requests.empty()) return false;
  if (requests.size() == 1 && !needed) return may_join(state, node, op, requests[0]) && expand_all(state, node);
  if (!needed && op == RegionOp::kCheap && is_lanewise(node.instruction->opcode) && reads_one_array(state, node) &&
      all_may_join(state, node, op))
    return expand_all(state, node);
  if (!needed && is_read_in_parts(state, value) && all_may_join(state, node, op)) return expand_all(state, node);
  const bool is_pad = node.instruction->opcode == Opcode::kPad;
  if (!needed && is_pad && is_padded_in_cuts(state, node) && all_may_join(state, node, op))
    return expand_all(state, node);
  return try_become_output(state, node, op);
}

}  // namespace hilo::engine
