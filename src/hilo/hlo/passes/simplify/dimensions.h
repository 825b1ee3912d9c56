// SPDX-License-Identifier: Apache-2.0
// hlo/passes/simplify/dimensions.h -- helpers of rules that rearrange dimensions.
#pragma once

#include <algorithm>

#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::hlo {

/// Returns whether the list is 0, 1, 2, ...
inline bool is_identity_order(std::span<const int64_t> dimensions) {
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

inline InstructionId broadcast(RewriteBuilder& b, InstructionId x, Int64List dimensions, const Shape& shape) {
  auto attributes = std::make_shared<BroadcastAttributes>();
  attributes->dimensions = std::move(dimensions);
  return b.add(Opcode::kBroadcast, {x}, std::move(attributes), shape);
}

inline InstructionId slice(RewriteBuilder& b, InstructionId x, std::vector<SliceRange> ranges) {
  auto attributes = std::make_shared<SliceAttributes>();
  attributes->ranges = std::move(ranges);
  return b.add(Opcode::kSlice, {x}, std::move(attributes));
}

/// Returns the range of all elements of a dimension.
inline SliceRange whole(int64_t extent) { return {0, extent, 1}; }

/// Returns the number of elements of a range.
inline int64_t length_of(const SliceRange& r) {
  return r.limit <= r.start ? 0 : (r.limit - r.start + r.stride - 1) / r.stride;
}

}  // namespace hilo::hlo
