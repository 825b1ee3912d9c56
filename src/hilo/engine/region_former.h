// SPDX-License-Identifier: Apache-2.0
// engine/region_former.h -- regions while they grow: what they request of each value that they read, and who decides.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/engine/access_map.h"
#include "hilo/engine/region_ops.h"

namespace hilo::engine {

inline constexpr size_t kMaxRegionNodes = 256;  // bounds compile time and register pressure of one kernel
inline constexpr uint32_t kNoRequest = ~0u;

/// A region's node that stands for a value, read under a map.
struct Request {
  uint32_t region;
  uint32_t node;
  AccessMap map;
  uint32_t previous = kNoRequest;  ///< of the same region for the same value: its place among the value's
};

struct RegionState {
  RegionState(const Graph& of, const Costs& by)
      : graph(of), costs(by), requests(of.values.size()), needed_before(of.values.size(), kNoValue) {}

  const Graph& graph;
  const Costs& costs;
  std::vector<Region> regions;
  std::vector<std::vector<uint32_t>> forwards;  ///< per region and node: another node that stands for it
  std::vector<std::vector<Request>> requests;   ///< per value; gone once its node has been visited
  /// By value and region: the latest request. As many regions as there are may ask for one value.
  boost::unordered_flat_map<uint64_t, uint32_t> latest;
  std::vector<ValueId> needed_before;  ///< per value: the first position that needs it in memory; kNoValue if none does
  std::vector<uint32_t> others;

  const Shape& shape(ValueId v) const { return graph.values[v].shape; }
  RegionNode& at(const Request& r) { return regions[r.region].nodes[r.node]; }
  bool is_needed(ValueId v) const { return needed_before[v] != kNoValue; }
  /// The node that makes the value; null for a parameter.
  const Node* maker(ValueId v) const {
    const uint32_t node = graph.values[v].node;
    return node == ~0u ? nullptr : &graph.nodes[node];
  }
};

uint32_t add_region(RegionState& state, ValueId root, std::span<const int64_t> extents);
uint32_t add_node(RegionState& state, uint32_t region, RegionNode node);
/// The region's node for the value under this map.
uint32_t request(RegionState& state, ValueId value, uint32_t region, AccessMap map);
/// The requested node loads the value from memory.
void load(RegionState& state, ValueId value, const Request& request);

// The decisions, each in the file of its name. region_join.cc:

/// Lets the node's readers compute it in their regions, or the first of them compute and write it, if that is no more
/// work than memory saves. False if it must be a region of its own.
bool try_join(RegionState& state, const Node& node, RegionOp op);

// region_roots.cc:
/// A region of its own for the node; of a concatenation, one for each operand.
void start_root(RegionState& state, const Node& node);

// region_domain.cc:
/// The value over whose dimensions a region of the node loops; kNoValue for its own. A reshape has those of what it
/// reshapes: ops in there may look at their position, and row-major order is the same either way.
ValueId domain_value(const RegionState& state, const Node& node);

// region_expand.cc:
/// One number in many places, which is the same wherever it is read?
bool is_scalar_broadcast(const RegionState& state, const Node& node);

/// Can the region compute the node under the request's map?
bool can_expand(const RegionState& state, const Node& node, const Request& request);
/// Precondition: can_expand.
void expand(RegionState& state, const Node& node, const Request& request);

/// The start of a dynamic slice: a scalar value (or the element of `value` at `map`), clamped to [0, limit].
IndexExpr clamped_start(RegionState& state, ValueId value, AccessMap map, int64_t limit, uint32_t region);

// region_reductions.cc:
/// In ascending order, as a row has them; a program may list them in any.
hlo::Int64List reduced_dimensions(const hlo::Instruction& reduce);

/// Lets the reduction run as a stage of its only reader's row, if it fits there.
bool try_join_row(RegionState& state, const Node& node);
/// Lets the product be computed element by element in its only reader's region, which has no row.
bool try_join_dot(RegionState& state, const Node& node);

/// `input`: where the operands are read; `results`: the nodes that stand for the results.
void expand_reduce(RegionState& state, const Node& node, uint32_t region, std::span<const uint32_t> results,
                   const AccessMap& input);
/// The contracting dimensions become the region's row. `result` has one expression per dimension of the result.
void expand_dot(RegionState& state, const Node& node, uint32_t region, uint32_t result_node,
                std::span<const IndexExpr> result);

// region_finish.cc:
/// The region with dead nodes dropped, forwards resolved, nodes in topological order, and dimensions merged.
Region finished_region(Region region, const std::vector<uint32_t>& forwards);

}  // namespace hilo::engine
