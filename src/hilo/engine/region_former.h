// SPDX-License-Identifier: Apache-2.0
// engine/region_former.h -- grows regions from their results towards what they read.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "hilo/engine/access_map.h"
#include "hilo/engine/region_ops.h"

namespace hilo::engine {

/// Nodes are visited from last to first. When a node's turn comes, all its readers have said where they want it (in which
/// region, under which access map); it then joins them, or becomes a region of its own that they load from.
class RegionFormer {
 public:
  RegionFormer(const Graph& graph, const Costs& costs);
  RegionGraph run() &&;

 private:
  static constexpr uint32_t kNoRequest = ~0u;
  struct Request {
    uint32_t region;
    uint32_t node;
    AccessMap map;
    uint32_t previous = kNoRequest;  ///< of the same region for the same value: its place in requests_
  };

  // region_former.cc: the visit and its decisions
  void visit(uint32_t node);
  void materialise(uint32_t node);
  bool try_join(uint32_t node, RegionOp op);
  bool may_join(ValueId value, RegionOp op, const Request& request);
  bool try_become_output(ValueId value);
  bool repeats_work(ValueId value, RegionOp op, const Request& request) const;
  bool row_accepts(const Node& node, const Request& request, bool apply);
  bool dot_accepts(const Request& request) const;
  void load(ValueId value, const Request& request);
  uint32_t new_region(ValueId root, std::vector<int64_t> extents);
  void start_root(uint32_t node);
  ValueId domain_value(const Node& node) const;
  ValueId finer_value(const Node& node) const;
  bool moves_elements(ValueId value, const Shape& own) const;
  void start_over(const Node& node, ValueId domain);
  const hlo::Instruction* producer(ValueId value) const;

  // region_expand.cc: a node joins a region
  uint32_t request(ValueId value, uint32_t region, AccessMap map);
  bool can_expand(const Node& node, const Request& request) const;
  bool is_scalar_broadcast(const Node& node) const;
  void expand(const Node& node, const Request& request);
  void expand_reduce(uint32_t node, uint32_t region, const std::vector<uint32_t>& result_nodes, AccessMap input_map);
  void expand_dot(const Node& node, uint32_t region, uint32_t result_node, const std::vector<IndexExpr>& result);
  void expand_dynamic_slice(const Node& node, const Request& request, AccessMap map);
  void expand_dynamic_update_slice(const Node& node, const Request& request, AccessMap map);
  void expand_concatenate(const Node& node, const Request& request, AccessMap map);
  void expand_gather(const Node& node, const Request& request, AccessMap map);
  /// The start of a dynamic slice: a scalar value (or the element of `value` at `map`), clamped to [0, limit].
  IndexExpr clamped_start(ValueId value, AccessMap map, int64_t limit, uint32_t region);
  void forward(uint32_t region, uint32_t node, uint32_t to);
  AccessMap operand_map(const Node& node, size_t operand, const AccessMap& map) const;
  std::optional<AccessMap> dimensions_map(const Node& node, const Request& request) const;

  const Shape& shape(ValueId v) const { return graph_.values[v].shape; }
  RegionNode& at(const Request& r) { return regions_[r.region].nodes[r.node]; }

  const Graph& graph_;
  const Costs& costs_;
  std::vector<Region> regions_;
  std::vector<std::vector<uint32_t>> forwards_;  ///< per region and node: another node that stands for it
  std::vector<std::vector<Request>> requests_;   ///< per value; gone once its node has been visited
  /// By value and region: the latest request. One value may be asked for by as many regions as there are.
  boost::unordered_flat_map<uint64_t, uint32_t> latest_;
  std::vector<ValueId> needed_before_;  ///< per value: the first position that needs it in memory
  std::vector<uint32_t> others_;
};

/// The region with dead nodes dropped, forwards resolved, nodes in topological order, and dimensions merged.
Region finished_region(Region region, const std::vector<uint32_t>& forwards);

}  // namespace hilo::engine
