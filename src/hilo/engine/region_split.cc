// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_split.h"

#include <algorithm>
#include <bit>

namespace hilo::engine {
namespace {

constexpr int64_t kLeastPart = 1 << 14;  // elements; less isn't worth a task
constexpr int64_t kMostParts = 1 << 10;
constexpr int64_t kMostPartsOfProduct = 1 << 4;  // each is rounded, and the errors of factors add up

/// The bits of the neutral element of a sum, product or exclusive or.
uint64_t neutral_bits(hlo::ReducerKind kind, ElementType type) {
  if (type == ElementType::kC64) {
    const uint64_t minus_zero = std::bit_cast<uint32_t>(-0.0f);
    return kind == hlo::ReducerKind::kMultiply ? std::bit_cast<uint32_t>(1.0f) : minus_zero << 32 | minus_zero;
  }
  if (kind == hlo::ReducerKind::kMultiply) {
    if (type == ElementType::kF32) return std::bit_cast<uint32_t>(1.0f);
    if (type == ElementType::kF64) return std::bit_cast<uint64_t>(1.0);
    return 1;
  }
  if (kind != hlo::ReducerKind::kAdd || !is_floating(type)) return 0;
  return uint64_t{1} << (element_type_info(type).bits - 1);  // -0.0
}

/// The number of parts: the greatest divisor that leaves them large enough.
int64_t parts_of(int64_t extent, int64_t elements, hlo::ReducerKind kind) {
  const bool is_product = kind == hlo::ReducerKind::kMultiply;
  const int64_t most = std::min(is_product ? kMostPartsOfProduct : kMostParts, elements / kLeastPart);
  for (int64_t parts = most; parts >= 2; --parts) {
    if (extent % parts == 0) return parts;
  }
  return 1;
}

}  // namespace

std::optional<SplitRegion> split_reduction(const Region& region) {
  if (!region.has_row() || region.row_begin != 0 || region.updated != kNoValue) return std::nullopt;
  int64_t elements = 1;
  for (int64_t e : region.extents) elements *= e;
  for (const RegionOutput& o : region.outputs) {
    if (!o.index.coefficients.empty()) return std::nullopt;
  }
  // One reduction whose inputs hang on no other.
  uint32_t reduce = kNoNode;
  for (uint32_t n = 0; n < region.nodes.size(); ++n) {
    if (region.nodes[n].kind != NodeKind::kReduce) continue;
    if (reduce != kNoNode) return std::nullopt;
    reduce = n;
  }
  const hlo::ReducerKind kind = reducer_of(region.nodes[reduce]);
  const int64_t parts = parts_of(region.extents[0], elements, kind);
  if (parts < 2) return std::nullopt;
  // Parts of narrower floats would be rounded on the way.
  const ElementType type = region.nodes[reduce].type;
  if (kind == hlo::ReducerKind::kGeneric || (is_floating(type) && element_type_info(type).bits < 32))
    return std::nullopt;
  if (type == ElementType::kC128) return std::nullopt;  // whose neutral element doesn't fit into a constant's bits
  const size_t count = region.nodes[reduce].count;
  if (region.nodes[reduce].is_dot) return std::nullopt;
  const bool neutral =
      kind == hlo::ReducerKind::kAdd || kind == hlo::ReducerKind::kMultiply || kind == hlo::ReducerKind::kXor;

  SplitRegion split;
  split.parts.extents = region.extents;
  split.parts.extents[0] /= parts;
  split.parts.extents.insert(split.parts.extents.begin(), parts);
  split.parts.row_begin = 1;
  split.parts.inputs = region.inputs;
  split.parts.root = split.whole.root = region.root;
  split.parts.nodes.assign(region.nodes.begin(), region.nodes.begin() + reduce + 1);
  const auto widen = [&](IndexExpr& e) {
    // Index 0 was i_0; now it is part * (extent / parts) + i_1.
    if (e.coefficients.empty()) return;
    e.coefficients.insert(e.coefficients.begin(), e.coefficients[0] * split.parts.extents[1]);
    while (!e.coefficients.empty() && e.coefficients.back() == 0) e.coefficients.pop_back();
  };
  for (RegionNode& n : split.parts.nodes) {
    widen(n.index);
    for (Guard& g : n.guards) widen(g.index);
  }
  if (neutral) {
    RegionNode init;
    init.kind = NodeKind::kConstant;
    init.type = region.nodes[reduce].type;
    init.bits = neutral_bits(kind, init.type);
    split.parts.nodes.insert(split.parts.nodes.begin() + reduce, init);
    split.parts.nodes.back().operands.back() = reduce;
  }
  const uint32_t parts_reduce = static_cast<uint32_t>(split.parts.nodes.size() - 1);
  for (size_t k = 0; k < count; ++k) {
    RegionNode result;
    result.kind = NodeKind::kReduceResult;
    result.type = region.nodes[region.nodes[reduce].operands[k]].type;
    result.operands = {parts_reduce};
    result.result = static_cast<uint32_t>(k);
    split.parts.outputs.push_back(
        {kNoValue, static_cast<uint32_t>(split.parts.nodes.size()), IndexExpr::dimension(0), result.type});
    split.partial_bytes.push_back(parts * element_size_bytes(result.type));
    split.parts.nodes.push_back(std::move(result));
  }

  split.whole = region;
  split.whole.extents = {parts};
  split.first_partial = region.inputs.size();
  for (size_t k = 0; k < count; ++k) {
    RegionNode& from = split.whole.nodes[region.nodes[reduce].operands[k]];
    const ElementType type = from.type;
    from = {};
    from.kind = NodeKind::kLoad;
    from.type = type;
    from.index = IndexExpr::dimension(0);
    from.input = static_cast<uint32_t>(split.whole.inputs.size());
    split.whole.inputs.push_back({kNoValue, type});
  }
  // Row values other than the partial results have no meaning any more, and nobody reads them.
  std::vector<bool> used(split.whole.nodes.size(), false);
  for (const RegionOutput& o : split.whole.outputs) used[o.node] = true;
  for (size_t n = split.whole.nodes.size(); n-- > 0;) {
    if (!used[n]) {
      split.whole.nodes[n] = {};
      split.whole.nodes[n].kind = NodeKind::kConstant;
      split.whole.nodes[n].type = ElementType::kS32;
      continue;
    }
    for (uint32_t o : split.whole.nodes[n].operands) used[o] = true;
    for (const IndexTerm& t : split.whole.nodes[n].index.terms) used[t.node] = true;
  }
  return split;
}

}  // namespace hilo::engine
