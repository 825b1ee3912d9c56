// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/slice.h"

#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"
#include "hilo/types/checked.h"

namespace hilo::hlo {
namespace {

using Ranges = std::vector<SliceRange>;

bool takes_whole(const SliceRange& r, int64_t extent) { return r.start == 0 && r.stride == 1 && r.limit == extent; }

/// slice(slice(x)) -> slice(x).
InstructionId compose(RewriteBuilder& b, const RewriteNode& inner, const Ranges& outer) {
  Ranges composed = attributes_of<SliceAttributes>(inner).ranges;
  for (size_t d = 0; d < composed.size(); ++d) {
    SliceRange& r = composed[d];
    const auto stride = checked_mul(r.stride, outer[d].stride);
    if (!stride) return kNoInstruction;
    const int64_t count = length_of(outer[d]);
    const int64_t start = r.start + outer[d].start * r.stride;  // inside of the extent, so it fits
    r = {start, count == 0 ? start : start + (count - 1) * *stride + 1, *stride};
  }
  return slice(b, inner.operand(0), std::move(composed));
}

/// slice(concatenate(x, y, ...)) -> slice of the operand that it reads, if it reads only one.
InstructionId slice_of_concatenate(RewriteBuilder& b, const RewriteNode& concatenate, Ranges ranges) {
  const int64_t d = attributes_of<ConcatenateAttributes>(concatenate).dimension;
  SliceRange& r = ranges[d];
  int64_t begin = 0;
  for (InstructionId operand : concatenate.operands) {
    const int64_t end = begin + b.shape(operand).dimension(d);
    if (r.start >= begin && r.limit <= end && r.start < r.limit) {
      r.start -= begin;
      r.limit -= begin;
      return slice(b, operand, std::move(ranges));
    }
    begin = end;
  }
  return kNoInstruction;
}

/// slice(pad(x)) -> slice(x), if it reads no padding.
InstructionId slice_of_pad(RewriteBuilder& b, const RewriteNode& pad, Ranges ranges) {
  const std::vector<PaddingDimension>& padding = attributes_of<PadAttributes>(pad).padding;
  const Shape& x = b.shape(pad.operand(0));
  for (size_t d = 0; d < ranges.size(); ++d) {
    SliceRange& r = ranges[d];
    const int64_t extent = x.dimension(d);
    if (padding[d].interior != 0 && extent > 1) return kNoInstruction;
    if (padding[d].low < -extent || padding[d].low > r.start) return kNoInstruction;
    r.start -= padding[d].low;
    r.limit -= padding[d].low;
    if (r.limit > extent) return kNoInstruction;
  }
  return slice(b, pad.operand(0), std::move(ranges));
}

/// slice(broadcast(x)) -> broadcast(x), or of a slice of x.
InstructionId slice_of_broadcast(RewriteBuilder& b, const RewriteNode& from, const Ranges& ranges, const Shape& shape) {
  const Int64List& dimensions = attributes_of<BroadcastAttributes>(from).dimensions;
  Ranges inner;
  for (int64_t d : dimensions) inner.push_back(ranges[d]);
  const InstructionId x = inner.empty() ? from.operand(0) : slice(b, from.operand(0), std::move(inner));
  return broadcast(b, x, dimensions, shape);
}

}  // namespace

InstructionId simplify_slice(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0);
  const RewriteNode& from = b.node(x);
  const Ranges& ranges = attributes_of<SliceAttributes>(n).ranges;
  bool all = true;
  for (size_t d = 0; d < ranges.size(); ++d) all &= takes_whole(ranges[d], from.shape.dimension(d));
  // All elements -> x.
  if (all) return x;
  if (from.opcode == Opcode::kSlice) return compose(b, from, ranges);
  if (from.opcode == Opcode::kConcatenate) return slice_of_concatenate(b, from, ranges);
  if (from.opcode == Opcode::kPad) return slice_of_pad(b, from, ranges);
  if (from.opcode == Opcode::kBroadcast) return slice_of_broadcast(b, from, ranges, n.shape);
  // slice(iota) -> iota, if it starts at 0 along the counting dimension and takes every element there; the number, if
  // it takes one.
  if (from.opcode == Opcode::kIota) {
    const SliceRange& r = ranges[attributes_of<IotaAttributes>(from).dimension];
    if (r.start == 0 && r.stride == 1) return b.add(Opcode::kIota, {}, from.attributes, n.shape);
    if (length_of(r) == 1) return splat_like(b, n.shape, static_cast<double>(r.start));
  }
  return kNoInstruction;
}

}  // namespace hilo::hlo
