// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {

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
  return kNoInstruction;
}

}  // namespace hilo::hlo
