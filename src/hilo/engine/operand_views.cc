// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/operand_views.h"

#include <algorithm>

namespace hilo::engine {
namespace {

constexpr int64_t kMostKept = 8;  // times the view's size: more memory isn't kept for it

/// Elements of the source per element of the result, along the loop dimensions that move inside of [step, step * extent) of the
/// result: one figure, or the dimension of the result isn't one of the source.
std::optional<int64_t> stride_of(const Region& region, int64_t step, int64_t extent) {
  const IndexExpr &from = region.nodes[0].index, &to = region.outputs[0].index;
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

/// Does the region write elements of one value to another, each where it is or elsewhere, and nothing else?
bool only_moves(const Region& region) {
  if (region.inputs.size() != 1 || region.outputs.size() != 1 || region.nodes.size() != 1) return false;
  const RegionNode& node = region.nodes[0];
  const RegionOutput& output = region.outputs[0];
  return node.kind == NodeKind::kLoad && node.guards.empty() && node.index.terms.empty() && node.type == output.type &&
         output.index.terms.empty() && output.index.constant == 0 && region.updated == kNoValue && !region.has_row() &&
         region.inputs[0].value != kNoValue && output.value != kNoValue;
}

std::optional<ValueView> view_of(const Graph& graph, const Region& region) {
  if (!only_moves(region)) return std::nullopt;
  const Shape &to = graph.values[region.outputs[0].value].shape, &from = graph.values[region.inputs[0].value].shape;
  if (from.element_type() != to.element_type() || to.element_count() == 0) return std::nullopt;
  if (from.element_count() > kMostKept * to.element_count()) return std::nullopt;
  const std::vector<int64_t> steps = row_major_strides(to.dimensions());
  ValueView view{region.inputs[0].value, {region.nodes[0].index.constant, steps}};
  for (size_t d = 0; d < steps.size(); ++d) {
    if (to.dimension(static_cast<int64_t>(d)) == 1) continue;
    const std::optional<int64_t> stride = stride_of(region, steps[d], to.dimension(static_cast<int64_t>(d)));
    if (!stride) return std::nullopt;
    view.how.strides[d] = *stride;
  }
  return view;
}

/// Who reads values, and how.
class Readers {
 public:
  Readers(const Graph& graph, const RegionGraph& regions, const Target& target)
      : graph_(graph), target_(target), must_lie_(graph.values.size(), false), updated_(graph.values.size(), false) {
    for (const ValueId v : graph.results) must_lie_[v] = true;
    for (const Region& region : regions.regions) {
      for (const RegionInput& input : region.inputs) {
        if (input.value != kNoValue) must_lie_[input.value] = true;
      }
      if (region.updated != kNoValue) must_lie_[region.updated] = updated_[region.updated] = true;
    }
    for (const uint32_t n : regions.other_nodes) {
      for (const ValueId v : graph.nodes[n].operands) nodes_[v].push_back(n);
    }
  }

  /// Do only library calls read it, all of which take the view?
  bool take(ValueId v, const OperandView& how) const {
    const auto readers = nodes_.find(v);
    if (must_lie_[v] || readers == nodes_.end()) return false;
    return std::ranges::all_of(readers->second, [&](uint32_t n) { return takes(graph_.nodes[n], v, how); });
  }

  /// May others overwrite it, so that nobody should read it later than now?
  bool is_updated(ValueId v) const { return updated_[v]; }

 private:
  bool takes(const Node& node, ValueId v, const OperandView& how) const {
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
  std::vector<bool> must_lie_, updated_;
  boost::unordered_flat_map<ValueId, std::vector<uint32_t>> nodes_;
};

}  // namespace

ValueViews take_views(const Graph& graph, RegionGraph& regions, const Target& target) {
  ValueViews views;
  const Readers readers(graph, regions, target);
  std::erase_if(regions.regions, [&](const Region& region) {
    const std::optional<ValueView> view = view_of(graph, region);
    if (!view || readers.is_updated(view->of) || !readers.take(region.outputs[0].value, view->how)) return false;
    views.emplace(region.outputs[0].value, *view);
    return true;
  });
  return views;
}

}  // namespace hilo::engine
