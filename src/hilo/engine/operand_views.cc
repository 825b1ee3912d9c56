// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/operand_views.h"

#include <algorithm>

#include "hilo/hlo/ops/element_access.h"

namespace hilo::engine {
namespace {

constexpr int64_t kMaxKept = 8;  // times the size of the view: a view keeps at most this much memory alive

/// Returns how far the linear index `from` moves per element of the linear index `to`. Only loop dimensions that move
/// `to` by [step, step * extent) count. Returns nullopt if these dimensions don't have one common stride in `from`.
std::optional<int64_t> stride_of(const Region& region, const IndexExpr& from, const IndexExpr& to, int64_t step,
                                 int64_t extent) {
  std::optional<size_t> first;
  for (size_t j = 0; j < region.extents.size(); ++j) {
    const int64_t c = to.coefficient(j);
    if (region.extents[j] == 1 || c * region.extents[j] <= step || c >= step * extent) continue;
    if (!first) first = j;
    if (from.coefficient(j) * to.coefficient(*first) != from.coefficient(*first) * c) return std::nullopt;
  }
  if (!first) return std::nullopt;
  const int64_t wide = from.coefficient(*first) * step, c = to.coefficient(*first);
  if (wide <= 0 || wide % c != 0) return std::nullopt;
  return wide / c;
}

/// Returns the view of a value of this shape, indexed by `to`, in the value that `from` indexes.
std::optional<OperandView> view_in(const Region& region, const IndexExpr& from, const IndexExpr& to,
                                   const Shape& shape) {
  OperandView view{from.constant, row_major_strides(shape.dimensions())};
  for (int64_t d = 0; d < shape.rank(); ++d) {
    int64_t& stride = view.strides[d];
    if (shape.dimension(d) == 1) continue;
    const std::optional<int64_t> found = stride_of(region, from, to, stride, shape.dimension(d));
    if (!found) return std::nullopt;
    stride = *found;
  }
  return view;
}

/// Whether the region writes all elements of a value as copies of another value's elements, and does nothing else.
/// Parts of a concatenation are separate regions.
bool only_moves(const Graph& graph, const Region& region) {
  if (!copies_elements(region)) return false;
  const Shape &from = graph.values[region.inputs[0].value].shape, &to = graph.values[region.outputs[0].value].shape;
  return region.outputs[0].index.constant == 0 && to.element_count() > 0 &&
         hlo::count_of(region.extents) == to.element_count() && from.element_type() == to.element_type();
}

/// Returns the view of the region's output in the memory of its input.
std::optional<ValueView> read_view(const Graph& graph, const Region& region) {
  const Shape &to = graph.values[region.outputs[0].value].shape, &from = graph.values[region.inputs[0].value].shape;
  if (from.element_count() > kMaxKept * to.element_count()) return std::nullopt;
  const auto how = view_in(region, region.nodes[0].index, region.outputs[0].index, to);
  if (!how) return std::nullopt;
  return ValueView{region.inputs[0].value, *how};
}

/// Returns the view of the region's whole input in the memory of its output.
std::optional<ValueView> written_view(const Graph& graph, const Region& region) {
  const Shape &to = graph.values[region.outputs[0].value].shape, &from = graph.values[region.inputs[0].value].shape;
  if (from.element_count() != to.element_count() || region.nodes[0].index.constant != 0) return std::nullopt;
  const auto how = view_in(region, region.outputs[0].index, region.nodes[0].index, from);
  if (!how) return std::nullopt;
  return ValueView{region.outputs[0].value, *how};
}

/// The readers of each value, by kind.
class Readers {
 public:
  Readers(const Graph& graph, const RegionGraph& regions, const Target& target)
      : graph_(graph), target_(target), others_(graph.values.size(), 0), updated_(graph.values.size(), false) {
    for (const ValueId v : graph.results) ++others_[v];
    for (const Region& region : regions.regions) {
      for (const RegionInput& input : region.inputs) {
        if (input.value != kNoValue) ++others_[input.value];
      }
      if (region.updated == kNoValue) continue;
      ++others_[region.updated];
      updated_[region.updated] = true;
    }
    for (const uint32_t n : regions.other_nodes) {
      for (const ValueId v : graph.nodes[n].operands) nodes_[v].push_back(n);
    }
  }

  /// Whether all readers of `v` are library calls that accept the view.
  bool accept(ValueId v, const OperandView& how) const {
    const auto readers = nodes_.find(v);
    if (others_[v] > 0 || readers == nodes_.end()) return false;
    return std::ranges::all_of(readers->second, [&](uint32_t n) { return accepts(graph_.nodes[n], v, how); });
  }

  /// Whether a library call computes `v` for a single region and can write the view.
  bool makes(ValueId v, const OperandView& how) const {
    const uint32_t n = graph_.values[v].node;
    if (others_[v] != 1 || nodes_.contains(v) || n == ~0u || is_region_op(graph_, graph_.nodes[n], target_.costs()))
      return false;
    return target_.writes_view(*graph_.nodes[n].instruction, shapes_of(graph_.nodes[n]), how);
  }

  /// Whether the value may be overwritten. Its reads must not be delayed.
  bool is_updated(ValueId v) const { return updated_[v]; }

 private:
  bool accepts(const Node& node, ValueId v, const OperandView& how) const {
    for (size_t k = 0; k < node.operands.size(); ++k) {
      if (node.operands[k] == v && !target_.reads_view(*node.instruction, k, shapes_of(node), how)) return false;
    }
    return true;
  }
  std::vector<Shape> shapes_of(const Node& node) const {
    std::vector<Shape> shapes;
    for (const ValueId operand : node.operands) shapes.push_back(graph_.values[operand].shape);
    return shapes;
  }

  const Graph& graph_;
  const Target& target_;
  std::vector<int> others_;  ///< per value: the number of regions that read it, and of results that are it
  std::vector<bool> updated_;
  boost::unordered_flat_map<ValueId, std::vector<uint32_t>> nodes_;
};

}  // namespace

ValueViews take_views(const Graph& graph, RegionGraph& regions, const Target& target) {
  ValueViews views;
  const Readers readers(graph, regions, target);
  std::erase_if(regions.regions, [&](const Region& region) {
    if (!only_moves(graph, region)) return false;
    const ValueId from = region.inputs[0].value, to = region.outputs[0].value;
    const std::optional<ValueView> read = read_view(graph, region);
    if (read && !readers.is_updated(from) && readers.accept(to, read->how)) return views.emplace(to, *read).second;
    const std::optional<ValueView> written = written_view(graph, region);
    return written && readers.makes(from, written->how) && views.emplace(from, *written).second;
  });
  return views;
}

}  // namespace hilo::engine
