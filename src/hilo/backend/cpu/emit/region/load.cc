// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/emit/region/nodes.h"

#include <algorithm>

#include "hilo/backend/cpu/emit/interleave.h"
#include "hilo/backend/cpu/emit/region/index.h"

namespace hilo::cpu {
namespace {

using llvm::Value;

/// `mask` may be null. Masks of narrow dimensions are constants. Other masks are all true, except at the ends of the
/// array.
Value* emit_irregular_load(RegionState& s, uint32_t n, Value* mask, bool wide_mask) {
  const RegionNode& node = s.region.nodes[n];
  const uint32_t e = s.node_expression[n];
  const std::vector<int64_t> offsets = lane_offsets(s, e);
  const auto shuffled = [&](llvm::Constant* of) {
    return Values{s.wide.load_shuffled(node.type, s.buffers[node.input], scalar_index(s, e), offsets, of)};
  };
  if (mask == nullptr) return shuffled(nullptr)[0];
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(mask); constant != nullptr && wide_mask)
    return shuffled(constant)[0];
  const auto nothing = [&] { return Values{llvm::Constant::getNullValue(s.wide.register_type(node.type))}; };
  const auto whole = [&] { return shuffled(nullptr); };
  if (!wide_mask) return s.scalar.if_else(mask, whole, nothing)[0];
  const auto some = [&] {
    return Values{s.wide.gather(node.type, s.buffers[node.input], lane_indices(s, e, s.ir.getInt64Ty()), mask)};
  };
  return s.scalar.if_else(s.ir.CreateAndReduce(mask), whole, some)[0];
}

/// Prefetches what the load of a strip reads some rows later. Strips of rows that are far apart are too short for the
/// processor to follow.
void prefetch_strip(RegionState& s, const RegionNode& node, Value* pointer, Value* at) {
  constexpr int64_t kLine = 64, kShortestStrip = 128, kFarApart = 2048, kRowsAhead = 8;
  constexpr int64_t kBeyondCaches = 2 << 20;
  constexpr uint32_t kRead = 0, kLocality = 2, kData = 1;
  const int64_t bytes = element_size_bytes(node.type), strip = s.facts.shape.lanes * bytes;
  if (!s.across_rows() || s.region.row_begin + 1 != s.region.extents.size() || strip < kShortestStrip) return;
  const int64_t row = node.index.coefficient(s.region.row_begin) * bytes;
  if (std::abs(row) < kFarApart || std::abs(row) * s.region.extents[s.region.row_begin] < kBeyondCaches) return;
  Value* const begin = s.ir.CreateGEP(s.wide.memory_scalar(node.type), pointer, at);
  for (int64_t line = 0; line < strip; line += kLine) {
    Value* const ahead = s.ir.getInt64(static_cast<uint64_t>(kRowsAhead * row + line));
    Value* const place = s.ir.CreateGEP(s.ir.getInt8Ty(), begin, ahead);
    s.ir.CreateIntrinsic(llvm::Intrinsic::prefetch, {place->getType()},
                         {place, s.ir.getInt32(kRead), s.ir.getInt32(kLocality), s.ir.getInt32(kData)});
  }
}

}  // namespace

bool emit_column_loads(RegionState& s, uint32_t n) {
  const std::vector<uint32_t>& group = s.facts.column_loads[n];
  if (group.empty() || !s.facts.nodes[n].varies) return false;
  const RegionNode& first = s.region.nodes[n];
  if (!s.known.empty() && s.known[first.input] != nullptr) return false;
  if (guard_state(s, first) != GuardState::kInside) return false;
  if (has_varying_terms(s, s.node_expression[n])) return false;
  std::vector<uint32_t> nodes = group;
  const auto place_of = [&](uint32_t node) { return s.region.nodes[node].index.constant; };
  std::ranges::sort(nodes, {}, place_of);
  std::vector<int64_t> columns;
  for (uint32_t node : nodes) columns.push_back(place_of(node) - place_of(nodes[0]));
  const int64_t stride = first.index.coefficient(s.facts.shape.vector_dimension);
  const Values loaded = load_columns(s.wide, first.type, s.buffers[first.input],
                                     scalar_index(s, s.node_expression[nodes[0]]), stride, columns);
  for (size_t k = 0; k < nodes.size(); ++k) set_value(s, nodes[k], loaded[k], true);
  return true;
}

Value* emit_load(RegionState& s, uint32_t n, bool wide) {
  const RegionNode& node = s.region.nodes[n];
  if (!s.known.empty() && s.known[node.input] != nullptr) {
    return wide ? s.wide.splat(s.known[node.input]) : s.known[node.input];
  }
  if (guard_state(s, node) == GuardState::kOutside)
    return llvm::Constant::getNullValue(s.builder(wide).register_type(node.type));
  if (s.columns.loaded[n] != nullptr) return s.wide.load(node.type, s.columns.loaded[n], column_of(s, node.index));
  const uint32_t e = s.node_expression[n];
  Value* pointer = s.buffers[node.input];
  bool wide_mask = false;
  Value* mask = guard_mask(s, n, wide_mask);
  const bool scattered = has_varying_terms(s, e);
  const int64_t step = lane_step(s, e);
  Value* at = scattered && wide && s.facts.shape.lanes > 1 ? nullptr : index_in(s, e, false);
  if (!wide || s.facts.shape.lanes == 1) {
    if (mask != nullptr) at = s.ir.CreateSelect(mask, at, s.scalar.index(0));  // a valid element
    return s.scalar.load_scalar(node.type, pointer, at);
  }
  if (step == kIrregular && !scattered) return emit_irregular_load(s, n, mask, wide_mask);
  if (mask != nullptr && !wide_mask) {
    if (!scattered && step >= 0) {
      at = s.ir.CreateSelect(mask, at, s.scalar.index(0));
      mask = nullptr;
    } else {
      mask = s.wide.splat(mask);
    }
  }
  if (scattered) return emit_gather(s, n, mask);
  if (step == 0) {
    // The address is the same in every lane but the guard differs. Where the guard is false, the value doesn't matter.
    if (mask != nullptr) at = s.ir.CreateSelect(s.wide.any(mask), at, s.scalar.index(0));
    return s.wide.splat(s.scalar.load_scalar(node.type, pointer, at));
  }
  if (step == 1 && mask != nullptr) return s.wide.load_masked(node.type, pointer, at, mask);
  if (step == 1) {
    prefetch_strip(s, node, pointer, at);
    return s.wide.load(node.type, pointer, at);
  }
  if (step == -1) {
    Value* first = s.ir.CreateSub(at, s.scalar.index(s.facts.shape.lanes - 1));
    return s.wide.reverse(mask == nullptr ? s.wide.load(node.type, pointer, first)
                                          : s.wide.load_masked(node.type, pointer, first, s.wide.reverse(mask)));
  }
  return s.wide.load_strided(node.type, pointer, at, s.scalar.index(step), mask);
}

}  // namespace hilo::cpu
