// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/gather.h"

#include "hilo/hlo/ops/scatter.h"
#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {

InstructionId simplify_gather(RewriteBuilder& b, const RewriteNode& n) {
  const InstructionId x = n.operand(0), indices = n.operand(1);
  const auto& gather = attributes_of<GatherAttributes>(n);
  const Shape index_shape = b.shape(indices);
  const int64_t vector_size = gather.start_index_map.size();
  if (const Literal* value = splat_value(b, x)) return b.splat(n.shape, *value);
  // One window -> dynamic-slice, which clamps its starts as gather does.
  if (index_shape.element_count() != vector_size || vector_size == 0 || !gather.operand_batching_dims.empty())
    return kNoInstruction;
  const Shape scalar = Shape::scalar(index_shape.element_type());
  const InstructionId flat =
      b.add(Opcode::kReshape, {indices}, nullptr, index_shape.with_dimensions(std::span(&vector_size, 1)));
  std::vector<InstructionId> operands(b.shape(x).rank() + 1, kNoInstruction);
  operands[0] = x;
  for (int64_t i = 0; i < vector_size; ++i) {
    const InstructionId start = slice(b, flat, {{i, i + 1, 1}});
    operands[static_cast<size_t>(gather.start_index_map[i]) + 1] = b.add(Opcode::kReshape, {start}, nullptr, scalar);
  }
  for (InstructionId& start : operands) {
    if (start == kNoInstruction) start = splat_like(b, scalar, 0);
  }
  const InstructionId window = b.add(Opcode::kDynamicSlice, operands,
                                     make<DynamicSliceAttributes>([&](auto& a) { a.sizes = gather.slice_sizes; }));
  return b.add(Opcode::kReshape, {window}, nullptr, n.shape);
}

InstructionId simplify_scatter(RewriteBuilder& b, const RewriteNode& n) {
  // No updates -> the operands.
  const size_t count = n.operands.size() / 2;
  if (b.shape(n.operands.back()).element_count() != 0) return kNoInstruction;
  return count == 1 ? n.operand(0) : b.tuple(n.operands.first(count));
}

}  // namespace hilo::hlo
