// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/reshape.h"

#include <algorithm>

#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

/// Returns the position of each dimension of `from` in `to`, if `to` is `from` with dimensions of size 1 inserted or
/// removed. Removed dimensions have position -1.
std::optional<Int64List> match_dimensions_above_one(std::span<const int64_t> from, std::span<const int64_t> to) {
  Int64List place(from.size(), -1);
  size_t j = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1) continue;
    while (j < to.size() && to[j] == 1) ++j;
    if (j == to.size() || to[j] != from[i]) return std::nullopt;
    place[i] = j++;
  }
  while (j < to.size() && to[j] == 1) ++j;
  return j == to.size() ? std::optional(place) : std::nullopt;
}

}  // namespace

InstructionId simplify_reshape(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0);
  const RewriteNode& from = b.node(x);
  // The shape stays -> x.
  if (from.shape == n.shape) return x;
  // reshape(reshape(x)) -> reshape(x).
  if (from.opcode == Opcode::kReshape) return b.add(Opcode::kReshape, {from.operand(0)}, nullptr, n.shape);
  if (const Literal* value = splat_value(b, x)) return b.splat(n.shape, *value);
  // Only inserts or removes dimensions of size 1: iota and broadcast can create the new shape directly.
  const auto place = match_dimensions_above_one(from.shape.dimensions(), n.shape.dimensions());
  if (!place) return kNoInstruction;
  if (from.opcode == Opcode::kIota) {
    const int64_t at = (*place)[attributes_of<IotaAttributes>(from).dimension];
    if (at >= 0) return b.add(Opcode::kIota, {}, make<IotaAttributes>([&](auto& a) { a.dimension = at; }), n.shape);
  }
  if (from.opcode == Opcode::kBroadcast) {
    Int64List dimensions = attributes_of<BroadcastAttributes>(from).dimensions;
    for (int64_t& d : dimensions) d = (*place)[d];
    if (std::ranges::find(dimensions, -1) == dimensions.end()) {
      return broadcast(b, from.operand(0), std::move(dimensions), n.shape);
    }
  }
  return kNoInstruction;
}

InstructionId simplify_iota(RewriteBuilder& b, const RewriteNode& n) {
  // Along a dimension of size 1 -> 0.
  return n.shape.dimension(attributes_of<IotaAttributes>(n).dimension) == 1 ? splat_like(b, n.shape, 0)
                                                                            : kNoInstruction;
}

InstructionId simplify_constant(RewriteBuilder& b, const RewriteNode& n) {
  // An array of equal elements -> broadcast of a scalar, which every consumer recognizes.
  const Literal& value = attributes_of<ConstantAttributes>(n).value;
  if (!value.shape().is_array() || value.shape().element_count() < 2) return kNoInstruction;
  const size_t size = element_size_bytes(value.shape().element_type());
  const std::span<const std::byte> bytes = value.bytes();
  if (!std::equal(bytes.begin() + size, bytes.end(), bytes.begin())) return kNoInstruction;
  return b.splat(n.shape, Literal::from_bytes(Shape::scalar(value.shape().element_type()), bytes.first(size)));
}

InstructionId simplify_reverse(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0);
  const Int64List& dimensions = attributes_of<ReverseAttributes>(n).dimensions;
  if (splat_value(b, x) != nullptr) return x;
  // Dimensions of size 1 don't need to be reversed.
  Int64List longer;
  std::copy_if(dimensions.begin(), dimensions.end(), std::back_inserter(longer),
               [&](int64_t d) { return n.shape.dimension(d) > 1; });
  if (longer.empty()) return x;
  // reverse(reverse(x)) -> x reversed along the dimensions that only one of them reverses.
  if (const RewriteNode* inner = match(b, x, Opcode::kReverse)) {
    Int64List merged;
    for (int64_t d = 0; d < n.shape.rank(); ++d) {
      const Int64List& other = attributes_of<ReverseAttributes>(*inner).dimensions;
      if (contains(longer, d) != contains(other, d)) merged.push_back(d);
    }
    return merged.empty() ? inner->operand(0)
                          : b.add(Opcode::kReverse, {inner->operand(0)},
                                  make<ReverseAttributes>([&](auto& a) { a.dimensions = merged; }));
  }
  if (longer.size() == dimensions.size()) return kNoInstruction;
  return b.add(Opcode::kReverse, {x}, make<ReverseAttributes>([&](auto& a) { a.dimensions = longer; }));
}

}  // namespace hilo::hlo
