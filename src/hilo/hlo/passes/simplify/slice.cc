// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/slice.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "hilo/hlo/ops/element_access.h"
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

/// Appends the range of each of the merged dimensions `extents` that together are range `r` of their product. Returns
/// false if that isn't a box.
/// Example   of 4 x 32: [0:128:4] is [0:4] and [0:32:4]; [32:96] is [1:3] and [0:32]; [40:48] is [1:2] and [8:16]
bool split_range(const SliceRange& r, std::span<const int64_t> extents, Ranges& ranges) {
  if (extents.size() == 1) {
    ranges.push_back(r);
    return true;
  }
  const std::span<const int64_t> inner = extents.subspan(1);
  const int64_t row = count_of(inner), last = r.start + (length_of(r) - 1) * r.stride;
  const int64_t first_row = r.start / row, rows = last / row - first_row + 1, at = r.start % row;
  if (r.stride % row == 0 && rows > 1) {
    ranges.push_back({first_row, first_row + rows, r.stride / row});
    return split_range({at, at + 1, 1}, inner, ranges);
  }
  const bool repeats = row % r.stride == 0 && at < r.stride && last % row == row - r.stride + at;
  if (rows > 1 && !repeats) return false;
  ranges.push_back({first_row, first_row + rows, 1});
  return split_range({at, rows == 1 ? last % row + 1 : row, r.stride}, inner, ranges);
}

/// slice(reshape(transpose(x))) -> reshape(slice(transpose(x))), if the reshape merges other dimensions to the sliced
/// ones. Then the elements that the slice doesn't read aren't moved.
InstructionId slice_of_reshape(RewriteBuilder& b, const RewriteNode& reshape, const Ranges& outer, const Shape& shape) {
  const InstructionId x = reshape.operand(0);
  if (b.node(x).opcode != Opcode::kTranspose) return kNoInstruction;
  const std::span<const int64_t> from = b.shape(x).dimensions(), to = reshape.shape.dimensions();
  if (shape.element_count() == 0) return kNoInstruction;
  Ranges ranges;
  size_t i = 0;
  for (size_t d = 0; d < to.size();) {  // groups of dimensions of equal size
    const size_t begin = i, end = d;
    int64_t merged = i < from.size() ? from[i++] : 1, size = to[d++];
    while (merged != size) {
      if (merged < size) merged *= from[i++];
      else size *= to[d++];
    }
    const std::span<const int64_t> extents = from.subspan(begin, i - begin);
    const auto is_whole = [&](size_t k) { return takes_whole(outer[k], to[k]); };
    if (size == 1 || std::ranges::all_of(std::views::iota(end, d), is_whole))
      std::ranges::transform(extents, std::back_inserter(ranges), whole);
    else if (d - end > 1 || !split_range(outer[end], extents, ranges)) return kNoInstruction;
  }
  while (i < from.size()) ranges.push_back(whole(from[i++]));
  return b.add(Opcode::kReshape, {slice(b, x, std::move(ranges))}, nullptr, shape);
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
  if (from.opcode == Opcode::kReshape) return slice_of_reshape(b, from, ranges, n.shape);
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
