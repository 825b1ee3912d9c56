// SPDX-License-Identifier: Apache-2.0
// engine/region_former.h -- regions while they grow: their requests for values, and the decisions about them.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/engine/access_map.h"
#include "hilo/engine/region_columns.h"
#include "hilo/engine/region_ops.h"

namespace hilo::engine {

inline constexpr size_t kMaxRegionNodes = 256;  // bounds compile time and register pressure of one kernel
inline constexpr uint32_t kNoRequest = ~0u;

/// A node of a region that stands for a value read under a map.
struct Request {
  uint32_t region;
  uint32_t node;
  AccessMap map;
  uint32_t previous = kNoRequest;  ///< index of the previous request of the same region for the same value
};

struct RegionState {
  RegionState(const Graph& of, const Costs& by)
      : graph(of), costs(by), requests(of.values.size()), needed_before(of.values.size(), kNoValue) {}

  const Graph& graph;
  const Costs& costs;
  std::vector<Region> regions;
  std::vector<std::vector<uint32_t>> forwards;  ///< per region and node: the node that replaces it
  std::vector<std::vector<Request>> requests;   ///< per value; deleted once its node has been visited
  /// By value and region: the latest request. The number of regions that request one value isn't bounded.
  boost::unordered_flat_map<uint64_t, uint32_t> latest;
  /// Per region: whether it computes a concatenation of few columns each, so that its code has the columns written out.
  std::vector<bool> interleaves;
  std::vector<size_t> written_nodes;   ///< per region: the number of its nodes if its columns are written out
  std::vector<ValueId> needed_before;  ///< per value: the first position that needs it in memory; kNoValue if none does
  std::vector<uint32_t> others;

  const Shape& shape(ValueId v) const { return graph.values[v].shape; }
  RegionNode& at(const Request& r) { return regions[r.region].nodes[r.node]; }
  bool is_needed(ValueId v) const { return needed_before[v] != kNoValue; }
  /// Returns the node that computes the value; null for a parameter.
  const Node* maker(ValueId v) const {
    const uint32_t node = graph.values[v].node;
    return node == ~0u ? nullptr : &graph.nodes[node];
  }
};

uint32_t add_region(RegionState& state, ValueId root, std::span<const int64_t> extents);
uint32_t add_node(RegionState& state, uint32_t region, RegionNode node);
/// Returns the region's node for the value under this map. Adds it if it is missing.
uint32_t request(RegionState& state, ValueId value, uint32_t region, AccessMap map);
/// Lets the requested node load the value from memory.
void load(RegionState& state, ValueId value, const Request& request);

// The decisions, by file. region_join.cc:

/// Lets the readers of the node compute it in their regions, or lets the first of them compute and write it. It does so
/// if that costs less than memory. Returns false if the node must be a separate region.
bool try_join(RegionState& state, const Node& node, RegionOp op);

// region_reads.cc:
/// Whether the node concatenates few columns each, to narrow rows.
bool is_interleaving(const RegionState& state, const Node& node);
/// Whether the region's code has the columns written out.
bool has_columns(const RegionState& state, uint32_t region);
/// Returns the different maps under which the region reads the value, at each of its columns.
std::vector<AccessMap> read_maps(const RegionState& state, ValueId value, uint32_t region);

// region_siblings.cc:
/// Lets a region over the same dimensions that runs later, and needs some of the same arrays, also compute and write
/// the node's value: carries of a loop that follow from one another. Returns false if none may.
bool try_join_sibling(RegionState& state, const Node& node, RegionOp op);

// region_roots.cc:
/// Creates a region for the node; for a concatenation, one per operand.
void start_root(RegionState& state, const Node& node);

// region_domain.cc:
/// Returns the value over whose dimensions a region of the node loops; kNoValue for the node's own. A reshape loops
/// over the dimensions of its operand: ops there may depend on the index, and row-major order is the same for both.
ValueId domain_value(const RegionState& state, const Node& node);

// region_expand.cc:
/// Whether the region can compute the node under the request's map.
bool can_expand(const RegionState& state, const Node& node, const Request& request);
/// Computes the requested node in the region. Precondition: can_expand.
void expand(RegionState& state, const Node& node, const Request& request);

/// Returns the start of a dynamic slice: a scalar value (or the element of `value` at `map`), clamped to [0, limit].
IndexExpr clamped_start(RegionState& state, ValueId value, AccessMap map, int64_t limit, uint32_t region);

// region_reductions.cc:
/// Returns the reduced dimensions in ascending order, as a row needs them. A program may list them in any order.
hlo::Int64List reduced_dimensions(const hlo::Instruction& reduce);

/// Lets the reduction run as a stage in the row of its only reader, if it fits there.
bool try_join_row(RegionState& state, const Node& node);
/// Lets the region of the only reader, which has no row, compute the product element by element.
bool try_join_dot(RegionState& state, const Node& node);

/// Adds a reduction to the region. `input`: the map of the operands; `results`: the nodes that stand for the results.
void expand_reduce(RegionState& state, const Node& node, uint32_t region, std::span<const uint32_t> results,
                   const AccessMap& input);
/// Adds a product whose contracting dimensions become the region's row. `result` has one expression per dimension of
/// the result.
void expand_dot(RegionState& state, const Node& node, uint32_t region, uint32_t result_node,
                std::span<const IndexExpr> result);

// region_finish.cc:
/// Returns the region without unused nodes and forwards, with nodes in topological order and with merged dimensions.
Region finished_region(Region region, const std::vector<uint32_t>& forwards);

}  // namespace hilo::engine
