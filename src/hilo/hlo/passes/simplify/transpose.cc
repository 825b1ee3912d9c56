// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

/// Returns whether the dimensions longer than 1 stay in order.
bool moves_only_ones(const Int64List& permutation, const Shape& result) {
  int64_t last = -1;
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (result.dimension(i) == 1) continue;
    if (permutation[i] < last) return false;
    last = permutation[i];
  }
  return true;
}

Int64List inverse_of(const Int64List& permutation) {
  Int64List inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = i;
  return inverse;
}

/// transpose(concatenate(x, y, ...)) -> concatenate of reshapes, if only dimensions of size 1 move in each operand:
/// numbers stacked along one axis and moved to another.
/// Example   f32[5,3] of f32[3,5] from three f32[1,5]: three f32[5,1], along dimension 1
InstructionId transpose_of_concatenate(RewriteBuilder& b, const RewriteNode& from, const Int64List& permutation) {
  const auto turned = [&](InstructionId operand) {
    Int64List extents;
    for (int64_t d : permutation) extents.push_back(b.shape(operand).dimension(d));
    return Shape::array(from.shape.element_type(), extents);
  };
  if (!std::ranges::all_of(from.operands, [&](InstructionId x) { return moves_only_ones(permutation, turned(x)); }))
    return kNoInstruction;
  std::vector<InstructionId> operands;
  for (InstructionId x : from.operands) operands.push_back(b.add(Opcode::kReshape, {x}, nullptr, turned(x)));
  const int64_t axis = inverse_of(permutation)[attributes_of<ConcatenateAttributes>(from).dimension];
  return b.add(Opcode::kConcatenate, std::move(operands),
               make<ConcatenateAttributes>([&](auto& a) { a.dimension = axis; }));
}

}  // namespace

InstructionId simplify_transpose(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0);
  const RewriteNode& from = b.node(x);
  const Int64List& permutation = attributes_of<TransposeAttributes>(n).permutation;
  // The permutation is the identity -> x.
  if (is_identity_order(permutation)) return x;
  if (const Literal* value = splat_value(b, x)) return b.splat(n.shape, *value);
  // transpose(transpose(x)) -> transpose(x).
  if (from.opcode == Opcode::kTranspose) {
    const Int64List& first = attributes_of<TransposeAttributes>(from).permutation;
    Int64List composed;
    for (int64_t d : permutation) composed.push_back(first[d]);
    return b.add(Opcode::kTranspose, {from.operand(0)},
                 make<TransposeAttributes>([&](auto& a) { a.permutation = composed; }));
  }
  const Int64List place = inverse_of(permutation);
  // transpose(iota) -> iota.
  if (from.opcode == Opcode::kIota) {
    const int64_t at = place[attributes_of<IotaAttributes>(from).dimension];
    return b.add(Opcode::kIota, {}, make<IotaAttributes>([&](auto& a) { a.dimension = at; }), n.shape);
  }
  // transpose(broadcast(x)) -> broadcast(x), if the dimensions of x keep their order.
  if (from.opcode == Opcode::kBroadcast) {
    Int64List dimensions = attributes_of<BroadcastAttributes>(from).dimensions;
    for (int64_t& d : dimensions) d = place[d];
    if (std::is_sorted(dimensions.begin(), dimensions.end()))
      return broadcast(b, from.operand(0), std::move(dimensions), n.shape);
  }
  // Only dimensions of size 1 move -> reshape.
  if (moves_only_ones(permutation, n.shape)) return b.add(Opcode::kReshape, {x}, nullptr, n.shape);
  if (from.opcode == Opcode::kConcatenate) return transpose_of_concatenate(b, from, permutation);
  return kNoInstruction;
}

}  // namespace hilo::hlo
