// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kMaxGroup = 64;  // elements of a group: an operand of few elements may be far apart

/// Replaces padding between elements by padding around them: each element gets a dimension, whose padding completes its
/// group.
/// Example   f32[3] padded by 1_0_1: f32[3,1] padded by 0_0 and 1_0 is f32[3,2], reshaped to f32[6]
InstructionId pad_groups(RewriteBuilder& b, const RewriteNode& n) {
  const Shape from = b.shape(n.operand(0));
  Int64List split, joined;
  auto edges = std::make_shared<PadAttributes>();
  std::vector<SliceRange> ranges;
  bool has_groups = false, is_cut = false;
  const std::vector<PaddingDimension>& padding = attributes_of<PadAttributes>(n).padding;
  for (size_t d = 0; d < padding.size(); ++d) {
    const PaddingDimension& p = padding[d];
    const int64_t extent = from.dimension(d), result = n.shape.dimension(d);
    ranges.push_back(whole(result));
    split.push_back(extent);
    if (p.interior == 0 || extent <= 1) {
      joined.push_back(result);
      edges->padding.push_back({p.low, p.high, 0});
      continue;
    }
    const int64_t group = p.interior + 1, groups = (result + group - 1) / group;
    if (group > kMaxGroup) return kNoInstruction;
    const int64_t place = (p.low % group + group) % group, before = (p.low - place) / group;
    split.push_back(1);
    joined.push_back(groups * group);
    edges->padding.push_back({before, groups - before - extent, 0});
    edges->padding.push_back({place, group - 1 - place, 0});
    has_groups = true;
    is_cut |= groups * group != result;
  }
  if (!has_groups) return kNoInstruction;
  const ElementType type = from.element_type();
  const InstructionId apart = b.add(Opcode::kReshape, {n.operand(0)}, nullptr, Shape::array(type, split));
  const InstructionId padded = b.add(Opcode::kPad, {apart, n.operand(1)}, std::move(edges));
  const InstructionId together = b.add(Opcode::kReshape, {padded}, nullptr, Shape::array(type, joined));
  return is_cut ? slice(b, together, std::move(ranges)) : together;
}

}  // namespace

InstructionId simplify_pad(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0), value = n.operand(1);
  const Shape from = b.shape(x);
  const std::vector<PaddingDimension>& padding = attributes_of<PadAttributes>(n).padding;
  bool nothing = true, only_crops = true;
  std::vector<SliceRange> ranges;
  for (size_t d = 0; d < padding.size(); ++d) {
    const PaddingDimension& p = padding[d];
    const int64_t extent = from.dimension(d);
    const bool has_interior = p.interior != 0 && extent > 1;
    nothing &= p.low == 0 && p.high == 0 && !has_interior;
    only_crops &= p.low <= 0 && p.high <= 0 && !has_interior && p.low >= -extent && p.high >= -extent - p.low;
    if (only_crops) ranges.push_back({-p.low, extent + p.high, 1});
  }
  // No padding -> x.
  if (nothing) return x;
  // Negative padding only -> slice.
  if (only_crops) return slice(b, x, std::move(ranges));
  // The padding value is also the value of every element -> broadcast of it.
  const Literal* inside = splat_value(b, x);
  const Literal* outside = splat_value(b, value);
  if (inside != nullptr && outside != nullptr && inside->identical(*outside)) return b.splat(n.shape, *inside);
  // An empty array is padded -> broadcast of the padding value.
  if (from.element_count() == 0) return broadcast(b, value, {}, n.shape);
  return pad_groups(b, n);
}

}  // namespace hilo::hlo
