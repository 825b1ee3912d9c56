// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_former.h"

#include <algorithm>
#include <map>

#include "hilo/hlo/ops/element_access.h"

namespace hilo::engine {
namespace {

constexpr size_t kMaxWalked = 64;        // values that are searched for common operands
constexpr size_t kMaxSiblingNodes = 96;  // of the region; more would not fit in registers
constexpr size_t kMaxOutputs = 8;        // arrays: each is one more stream of memory

/// What a node reads, directly or through operations that its region would compute.
struct Reads {
  std::map<uint32_t, int64_t> shared;  ///< per region: arrays that it also needs
  std::vector<ValueId> leaves;         ///< arrays in memory
  double nanoseconds = 0;              ///< of its operations, per element
  bool is_complete = true;
};

/// Whether the value is a number in many places or follows from the index. Computing it again costs nothing.
bool is_repeated(const RegionState& state, ValueId v) {
  const Node* from = state.maker(v);
  if (state.shape(v).element_count() == 1) return true;
  if (from == nullptr) return false;
  return region_op_of(state.graph, *from, state.costs) == RegionOp::kFree;
}

/// Returns the time of an elementwise op on one element.
double nanoseconds_of(const RegionState& state, const hlo::Instruction& i) {
  return op_cost(state.costs, i.def().cost, i.shape.element_type());
}

Reads reads_of(const RegionState& state, const Node& node) {
  Reads reads;
  std::vector<ValueId> queue;
  const auto add_operands = [&](const Node& of) {
    for (const ValueId v : of.operands) {
      if (!is_repeated(state, v) && std::ranges::find(queue, v) == queue.end()) queue.push_back(v);
    }
  };
  const auto add_node = [&](const Node& of) {
    if (is_lanewise(of.instruction->opcode)) reads.nanoseconds += nanoseconds_of(state, *of.instruction);
    add_operands(of);
  };
  add_node(node);
  for (size_t k = 0; k < queue.size(); ++k) {
    const ValueId v = queue[k];
    for (const Request& r : state.requests[v]) ++reads.shared[r.region];
    const Node* from = state.maker(v);
    const RegionOp op = from == nullptr ? RegionOp::kNone : region_op_of(state.graph, *from, state.costs);
    const bool joins = op == RegionOp::kMovement || op == RegionOp::kCheap || op == RegionOp::kExpensive;
    if (!joins || state.is_needed(v)) reads.leaves.push_back(v);
    else add_node(*from);
    reads.is_complete = queue.size() <= kMaxWalked;
    if (!reads.is_complete) break;
  }
  return reads;
}

std::vector<int64_t> without_ones(std::span<const int64_t> sizes) {
  std::vector<int64_t> out(sizes.begin(), sizes.end());
  std::erase(out, 1);
  return out;
}

/// A longer reduction is split into parts, and a longer map is shared by threads.
constexpr int64_t kShort = 1 << 15;

/// Whether the node is a short sum, maximum or similar of all elements of an array. A product has another loop.
bool is_short_reduction(const RegionState& state, const Node& node) {
  return node.instruction->opcode == hlo::Opcode::kReduce && node.results.size() == 1 &&
         state.shape(node.results[0]).rank() == 0 && node.operands.size() == 2 &&
         state.shape(node.operands[0]).element_count() < kShort;
}

/// Whether the region is a short row, or a loop that can become one: it has one dimension other than ones.
bool is_short_row(const Region& region) {
  const std::vector<int64_t> extents = without_ones(region.extents);
  return extents.size() == 1 && extents[0] > 0 && extents[0] < kShort;
}

/// Whether the region loops over the elements that the node computes or reduces, and only over them.
bool has_same_loop(const RegionState& state, const Node& node, RegionOp op, const Region& region) {
  const bool is_row = region.has_row() && region.row_begin == 0;
  const ValueId value = op == RegionOp::kReduce ? node.operands[0] : node.results[0];
  const bool may_be =
      op == RegionOp::kReduce ? is_row || is_short_row(region) : !region.has_row() || (is_row && is_short_row(region));
  return may_be && without_ones(region.extents) == without_ones(state.shape(value).dimensions());
}

/// Whether no map that threads should share becomes part of a row, which one thread computes.
bool fits_one_thread(const RegionState& state, RegionOp op, const Reads& reads, const Region& region) {
  if ((op == RegionOp::kReduce) == region.has_row()) return true;
  double each = op == RegionOp::kReduce ? 0 : reads.nanoseconds;
  for (const RegionNode& n : region.nodes) {
    if (op == RegionOp::kReduce && n.kind == NodeKind::kOp) each += nanoseconds_of(state, *n.instruction);
  }
  return each * static_cast<double>(hlo::count_of(region.extents)) < state.costs.fork;
}

/// Returns how many arrays the region writes. A number to which it reduces a row stays in a register.
size_t written_arrays(const RegionState& state, const Region& region) {
  return static_cast<size_t>(std::ranges::count_if(
      region.outputs, [&](const RegionOutput& o) { return state.shape(o.value).element_count() != 1; }));
}

/// Whether the region, which runs later, may compute the node's value.
bool may_compute(const RegionState& state, const Node& node, RegionOp op, const Reads& reads, uint32_t index) {
  const ValueId value = node.results[0];
  const Region& region = state.regions[index];
  if ((region.updated != kNoValue && op == RegionOp::kReduce) || region.nodes.size() > kMaxSiblingNodes ||
      written_arrays(state, region) >= kMaxOutputs || !has_same_loop(state, node, op, region) ||
      !fits_one_thread(state, op, reads, region))
    return false;
  const auto runs_later = [&](const Request& r) { return state.regions[r.region].root > region.root; };
  if (state.needed_before[value] <= region.root || !std::ranges::all_of(state.requests[value], runs_later))
    return false;
  // Otherwise a library call or an update in place would need a copy.
  return std::ranges::all_of(reads.leaves,
                             [&](ValueId v) { return !state.is_needed(v) || state.needed_before[v] > region.root; });
}

/// Returns the region that shares the most arrays with the node; kNoRequest if none may compute it.
uint32_t best_sibling(const RegionState& state, const Node& node, RegionOp op) {
  const Reads reads = reads_of(state, node);
  uint32_t best = kNoRequest;
  if (!reads.is_complete) return best;
  for (const auto& [region, count] : reads.shared) {
    if ((best == kNoRequest || count > reads.shared.at(best)) && may_compute(state, node, op, reads, region))
      best = region;
  }
  return best;
}

/// Adds an output for the node's value to the region, and computes it there.
void add_output(RegionState& state, const Node& node, RegionOp op, uint32_t index) {
  const ValueId value = node.results[0];
  const Shape& shape = state.shape(value);
  const uint32_t root = add_node(state, index, {});
  Region& region = state.regions[index];
  const Shape over = Shape::array(shape.element_type(), region.extents);
  const AccessMap identity = identity_map(over.rank());
  if (op == RegionOp::kReduce) {
    region.row_begin = 0;
    region.outputs.push_back({value, root, IndexExpr(), shape.element_type()});
    const AccessMap input = reshaped_map(identity, over, state.shape(node.operands[0]), over.dimensions());
    return expand_reduce(state, node, index, {&root, 1}, input);
  }
  region.outputs.push_back({value, root, linear_index(identity, over), shape.element_type()});
  expand(state, node, {index, root, reshaped_map(identity, over, shape, region.extents)});
}

}  // namespace

bool try_join_sibling(RegionState& state, const Node& node, RegionOp op) {
  const bool is_elementwise =
      (op == RegionOp::kCheap || op == RegionOp::kExpensive) && is_lanewise(node.instruction->opcode);
  if (!is_elementwise && (op != RegionOp::kReduce || !is_short_reduction(state, node))) return false;
  const uint32_t region = best_sibling(state, node, op);
  if (region == kNoRequest) return false;
  const std::vector<Request> readers = std::move(state.requests[node.results[0]]);
  state.requests[node.results[0]].clear();
  for (const Request& r : readers) load(state, node.results[0], r);
  add_output(state, node, op, region);
  return true;
}

}  // namespace hilo::engine
