// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_former.h"

#include <algorithm>

#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/reduce.h"

namespace hilo::engine {

using hlo::attributes_of;

namespace {

constexpr int64_t kMaxSerialRow = 4096;  // elements; a longer reduction to one value is split into parts for threads

/// The position of a reduction in a region's row.
struct RowFit {
  size_t row_begin;
  std::vector<int64_t> extents;    ///< of the row, except ones
  std::vector<size_t> dimensions;  ///< of the region, one per extent; empty if they must be added to it
};

/// Returns the position of the reduction's row in the region. Returns nullopt unless the result's dimensions are the
/// first of the domain, in order.
std::optional<RowFit> fit_row(const RegionState& state, const Node& node, const Request& r) {
  const Region& region = state.regions[r.region];
  if (r.map.linear || !r.map.guards.empty() || region.updated != kNoValue) return std::nullopt;
  const std::optional<size_t> walked = leading_dimensions(region.extents, r.map);
  if (!walked) return std::nullopt;
  const size_t end = region.extents.size(), behind = skip_ones(region.extents, *walked);
  const bool fits = behind >= region.row_begin && *walked <= region.row_begin;
  if (region.has_row() && !fits) return std::nullopt;
  const bool is_added = !region.has_row() && behind == end;
  RowFit fit{region.has_row() ? region.row_begin : is_added ? end : *walked, {}, {}};
  for (int64_t d : reduced_dimensions(*node.instruction)) {
    const int64_t extent = state.shape(node.operands[0]).dimension(d);
    if (extent != 1) fit.extents.push_back(extent);
  }
  const int64_t row = hlo::count_of(fit.extents), outer = hlo::count_of(std::span(region.extents).first(fit.row_begin));
  if (row == 0 || (outer < 4 && row > kMaxSerialRow)) return std::nullopt;
  if (is_added) return fit;
  for (size_t k = skip_ones(region.extents, fit.row_begin); k < end; k = skip_ones(region.extents, k + 1))
    fit.dimensions.push_back(k);
  const auto extent_of = [&](size_t k) { return region.extents[k]; };
  if (!std::ranges::equal(fit.dimensions, fit.extents, {}, extent_of)) return std::nullopt;
  return fit;
}

/// Adds the row to the region, and the reduction as a stage of it.
void join_row(RegionState& state, const Node& node, const Request& r, RowFit fit) {
  Region& region = state.regions[r.region];
  const bool is_added = fit.row_begin == region.extents.size();
  region.row_begin = fit.row_begin;
  if (is_added) {
    for (int64_t extent : fit.extents) {
      fit.dimensions.push_back(region.extents.size());
      region.extents.push_back(extent);
    }
    if (fit.extents.empty()) region.extents.push_back(1);
  }
  const hlo::Int64List reduced = reduced_dimensions(*node.instruction);
  AccessMap input;
  size_t outer = 0, next = 0;
  for (int64_t d = 0; d < state.shape(node.operands[0]).rank(); ++d) {
    if (!hlo::contains(reduced, d)) input.index.push_back(r.map.index[outer++]);
    else if (state.shape(node.operands[0]).dimension(d) == 1) input.index.push_back({});
    else input.index.push_back(IndexExpr::dimension(fit.dimensions[next++]));
  }
  std::vector<uint32_t> results;
  for (ValueId v : node.results)
    results.push_back(state.requests[v].empty() ? add_node(state, r.region, {}) : state.requests[v][0].node);
  expand_reduce(state, node, r.region, results, input);
}

/// Returns the reduction without operands.
RegionNode reduction_of(const RegionState& state, const Node& node) {
  return {.kind = NodeKind::kReduce,
          .type = state.shape(node.results[0]).element_type(),
          .instruction = node.instruction,
          .count = static_cast<uint32_t>(node.operands.size() / 2),
          .body = attributes_of<hlo::ReduceAttributes>(*node.instruction).to_apply.get()};
}

/// Adds a node for a reduction over `operands`, and one for each of its results.
void add_reduction(RegionState& state, uint32_t region, RegionNode reduce, std::span<const uint32_t> results,
                   std::span<const ValueId> values) {
  const uint32_t id = add_node(state, region, std::move(reduce));
  for (uint32_t k = 0; k < results.size(); ++k)
    state.regions[region].nodes[results[k]] = {
        .kind = NodeKind::kReduceResult, .type = state.shape(values[k]).element_type(), .operands = {id}, .result = k};
}

}  // namespace

hlo::Int64List reduced_dimensions(const hlo::Instruction& reduce) {
  hlo::Int64List dimensions = attributes_of<hlo::ReduceAttributes>(reduce).dimensions;
  std::ranges::sort(dimensions);
  return dimensions;
}

bool try_join_row(RegionState& state, const Node& node) {
  const Request* first = nullptr;  // a single region requests all used results, under one map
  for (ValueId v : node.results) {
    const std::vector<Request>& requests = state.requests[v];
    if (state.is_needed(v) || requests.size() > 1) return false;
    if (requests.empty()) continue;
    if (first != nullptr && (first->region != requests[0].region || !(first->map == requests[0].map))) return false;
    first = &requests[0];
  }
  if (first == nullptr) return false;
  if (state.regions[first->region].nodes.size() + node.operands.size() > kMaxRegionNodes) return false;
  if (has_columns(state, first->region) && !is_plain_reduction(reduction_of(state, node))) return false;
  std::optional<RowFit> fit = fit_row(state, node, *first);
  if (fit) join_row(state, node, *first, *std::move(fit));
  return fit.has_value();
}

bool try_join_dot(RegionState& state, const Node& node) {
  constexpr size_t kNodes = 8;  // approximate number of nodes of a product
  const ValueId v = node.results[0];
  if (state.is_needed(v) || state.requests[v].size() != 1) return false;
  const Request r = state.requests[v][0];
  const Region& region = state.regions[r.region];
  if (r.map.linear || !r.map.guards.empty() || region.updated != kNoValue || region.has_row()) return false;
  if (region.nodes.size() + kNodes > kMaxRegionNodes) return false;
  const std::optional<size_t> walked = leading_dimensions(region.extents, r.map);
  if (!walked || skip_ones(region.extents, *walked) != region.extents.size()) return false;
  expand_dot(state, node, r.region, r.node, r.map.index);
  return true;
}

void expand_reduce(RegionState& state, const Node& node, uint32_t region, std::span<const uint32_t> results,
                   const AccessMap& input) {
  const size_t count = node.operands.size() / 2;
  RegionNode reduce = reduction_of(state, node);
  for (size_t k = 0; k < 2 * count; ++k)
    reduce.operands.push_back(request(state, node.operands[k], region, k < count ? input : AccessMap()));
  add_reduction(state, region, std::move(reduce), results, node.results);
}

void expand_dot(RegionState& state, const Node& node, uint32_t region, uint32_t result_node,
                std::span<const IndexExpr> result) {
  const auto& a = attributes_of<hlo::DotAttributes>(*node.instruction);
  const Shape &lhs = state.shape(node.operands[0]), &rhs = state.shape(node.operands[1]);
  AccessMap left, right;
  left.index.resize(lhs.rank());
  right.index.resize(rhs.rank());
  size_t next = 0;
  for (size_t k = 0; k < a.lhs_batch_dimensions.size(); ++k, ++next) {
    left.index[a.lhs_batch_dimensions[k]] = result[next];
    right.index[a.rhs_batch_dimensions[k]] = result[next];
  }
  const auto fill = [&](AccessMap& map, const hlo::Int64List& batch, const hlo::Int64List& contracting) {
    for (const int64_t d : hlo::free_dimensions(std::ssize(map.index), batch, contracting))
      map.index[d] = result[next++];
  };
  fill(left, a.lhs_batch_dimensions, a.lhs_contracting_dimensions);
  fill(right, a.rhs_batch_dimensions, a.rhs_contracting_dimensions);
  Region& r = state.regions[region];
  r.row_begin = r.extents.size();
  for (size_t k = 0; k < a.lhs_contracting_dimensions.size(); ++k) {
    left.index[a.lhs_contracting_dimensions[k]] = IndexExpr::dimension(r.extents.size());
    right.index[a.rhs_contracting_dimensions[k]] = IndexExpr::dimension(r.extents.size());
    r.extents.push_back(lhs.dimension(a.lhs_contracting_dimensions[k]));
  }
  if (r.row_begin == r.extents.size()) r.extents.push_back(1);
  const ElementType type = state.shape(node.results[0]).element_type();
  RegionNode dot{.kind = NodeKind::kReduce, .type = type, .instruction = node.instruction, .count = 1, .is_dot = true};
  dot.operands = {request(state, node.operands[0], region, std::move(left)),
                  request(state, node.operands[1], region, std::move(right))};
  // The accumulator starts at zero, which f8e8m0fnu doesn't have.
  const bool is_narrow = is_floating(type) && element_type_info(type).bits < 32;
  dot.operands.push_back(
      add_node(state, region, {.kind = NodeKind::kConstant, .type = is_narrow ? ElementType::kF32 : type}));
  add_reduction(state, region, std::move(dot), {&result_node, 1}, node.results);
}

}  // namespace hilo::engine
