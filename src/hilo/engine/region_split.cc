// SPDX-License-Identifier: Apache-2.0
#include "hilo/engine/region_split.h"

#include <algorithm>
#include <bit>

#include "hilo/base/sizes.h"
#include "hilo/hlo/ops/element_access.h"

namespace hilo::engine {
namespace {

constexpr int64_t kMinPart = 1 << 14;  // elements; fewer don't pay off as a task
constexpr int64_t kMaxParts = 1 << 10;
constexpr int64_t kMaxPartsOfProduct = 1 << 4;  // each part is rounded, and the errors of factors add up

/// Returns the bits of the neutral element of a sum, product or exclusive or.
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

/// Returns the number of parts: the greatest divisor that leaves them large enough.
int64_t parts_of(int64_t extent, int64_t elements, hlo::ReducerKind kind) {
  const bool is_product = kind == hlo::ReducerKind::kMultiply;
  const int64_t most = std::min(is_product ? kMaxPartsOfProduct : kMaxParts, elements / kMinPart);
  for (int64_t parts = most; parts >= 2; --parts) {
    if (extent % parts == 0) return parts;
  }
  return 1;
}

/// Returns the only reduction of a region that is one row and writes single elements, if it can be computed in parts.
std::optional<uint32_t> only_reduction(const Region& region) {
  if (!region.has_row() || region.row_begin != 0 || region.updated != kNoValue) return std::nullopt;
  const auto is_reduce = [](const RegionNode& n) { return n.kind == NodeKind::kReduce; };
  if (std::ranges::any_of(region.outputs, [](const RegionOutput& o) { return !o.index.coefficients.empty(); }) ||
      std::ranges::count_if(region.nodes, is_reduce) != 1)
    return std::nullopt;
  const auto reduce = std::ranges::find_if(region.nodes, is_reduce);
  // Parts of narrower floats would be rounded in between. The neutral element of c128 doesn't fit in a constant's bits.
  const bool is_narrow = is_floating(reduce->type) && element_type_info(reduce->type).bits < 32;
  if (is_narrow || reduce->type == ElementType::kC128 || reduce->is_dot ||
      reducer_of(*reduce) == hlo::ReducerKind::kGeneric)
    return std::nullopt;
  return static_cast<uint32_t>(reduce - region.nodes.begin());
}

/// Fills `split.parts`. Each of `parts` reduces its range of the row, starting at the neutral element if there is one.
void make_parts(const Region& region, uint32_t reduce, int64_t parts, SplitRegion& split) {
  Region& result = split.parts;
  result.extents = region.extents;
  result.extents[0] /= parts;
  result.extents.insert(result.extents.begin(), parts);
  result.row_begin = 1;
  result.inputs = region.inputs;
  result.root = region.root;
  result.nodes.assign(region.nodes.begin(), region.nodes.begin() + reduce + 1);
  const auto widen = [&](IndexExpr& e) {
    // Replaces index 0, which was i_0, by part * (extent / parts) + i_1.
    if (e.coefficients.empty()) return;
    e.coefficients.insert(e.coefficients.begin(), e.coefficients[0] * result.extents[1]);
    e.drop_zeros();
  };
  for (RegionNode& n : result.nodes) {
    widen(n.index);
    for (Guard& g : n.guards) widen(g.index);
  }
  const RegionNode& whole = region.nodes[reduce];
  const hlo::ReducerKind kind = reducer_of(whole);
  if (kind == hlo::ReducerKind::kAdd || kind == hlo::ReducerKind::kMultiply || kind == hlo::ReducerKind::kXor) {
    result.nodes.insert(result.nodes.begin() + reduce,
                        {.kind = NodeKind::kConstant, .type = whole.type, .bits = neutral_bits(kind, whole.type)});
    result.nodes.back().operands.back() = reduce;
  }
  const uint32_t parts_reduce = static_cast<uint32_t>(result.nodes.size() - 1);
  for (uint32_t k = 0; k < whole.count; ++k) {
    const ElementType type = region.nodes[whole.operands[k]].type;
    result.outputs.push_back({kNoValue, size32(result.nodes), IndexExpr::dimension(0), type});
    split.partial_bytes.push_back(parts * element_size_bytes(type));
    result.nodes.push_back({.kind = NodeKind::kReduceResult, .type = type, .operands = {parts_reduce}, .result = k});
  }
}

/// Fills `split.whole`, the region over the results of the parts.
void join_parts(const Region& region, uint32_t reduce, int64_t parts, SplitRegion& split) {
  Region& whole = split.whole;
  whole = region;
  whole.extents = {parts};
  split.first_partial = region.inputs.size();
  for (size_t k = 0; k < region.nodes[reduce].count; ++k) {
    RegionNode& from = whole.nodes[region.nodes[reduce].operands[k]];
    from = {
        .kind = NodeKind::kLoad, .type = from.type, .index = IndexExpr::dimension(0), .input = size32(whole.inputs)};
    whole.inputs.push_back({kNoValue, from.type});
  }
  // Row values other than the partial results have no reader in this region.
  std::vector<bool> used(whole.nodes.size(), false);
  for (const RegionOutput& o : whole.outputs) used[o.node] = true;
  for (size_t n = whole.nodes.size(); n-- > 0;) {
    if (!used[n]) whole.nodes[n] = {.kind = NodeKind::kConstant, .type = ElementType::kS32};
    for (uint32_t o : whole.nodes[n].operands) used[o] = true;
    for (const IndexTerm& t : whole.nodes[n].index.terms) used[t.node] = true;
  }
}

}  // namespace

std::optional<SplitRegion> split_reduction(const Region& region) {
  const std::optional<uint32_t> reduce = only_reduction(region);
  if (!reduce) return std::nullopt;
  const hlo::ReducerKind kind = reducer_of(region.nodes[*reduce]);
  const int64_t parts = parts_of(region.extents[0], hlo::count_of(region.extents), kind);
  if (parts < 2) return std::nullopt;
  SplitRegion split;
  make_parts(region, *reduce, parts, split);
  join_parts(region, *reduce, parts, split);
  return split;
}

}  // namespace hilo::engine
