// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/rewrite/rewrite_where.h"

namespace hilo::hlo {
namespace {

std::vector<int> count_uses(const Computation& c) {
  std::vector<int> uses(c.size());
  for (const Instruction& i : c.instructions()) {
    for (InstructionId operand : i.operands) ++uses[operand];
  }
  ++uses[c.root_id()];
  return uses;
}

/// Returns whether `permutation` swaps the free dimensions of the operands: a product of [b.., m.., k] and [b.., n..,
/// k] has the shape [b.., m.., n..] and is transposed to [b.., n.., m..].
bool exchanges_operands(const DotAttributes& dot, const Shape& left, const Int64List& permutation) {
  const auto batch = std::ssize(dot.lhs_batch_dimensions), rank = std::ssize(permutation);
  const int64_t rows = left.rank() - batch - std::ssize(dot.lhs_contracting_dimensions);
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t source = d < batch ? d : d < rank - rows ? d + rows : d - (rank - rows) + batch;
    if (permutation[d] != source) return false;
  }
  return true;
}

std::shared_ptr<DotAttributes> exchanged(DotAttributes a) {
  std::swap(a.lhs_batch_dimensions, a.rhs_batch_dimensions);
  std::swap(a.lhs_contracting_dimensions, a.rhs_contracting_dimensions);
  std::ranges::reverse(a.operand_precision);
  return std::make_shared<DotAttributes>(std::move(a));
}

StatusOr<ComputationPtr> turn_in(const ComputationPtr& source) {
  if (!has_opcode(*source, Opcode::kTranspose) || !has_opcode(*source, Opcode::kDot)) return source;
  const std::vector<int> uses = count_uses(*source);
  const auto turns = [&](const Instruction& i) {
    if (i.opcode != Opcode::kTranspose) return false;
    const Instruction& dot = source->instruction(i.operands[0]);
    return dot.opcode == Opcode::kDot && uses[dot.id] == 1 &&
           exchanges_operands(attributes_of<DotAttributes>(dot), source->instruction(dot.operands[0]).shape,
                              attributes_of<TransposeAttributes>(i).permutation);
  };
  const auto turned = [&](RewriteBuilder& b, const Instruction& i) -> StatusOr<InstructionId> {
    const Instruction& dot = source->instruction(i.operands[0]);
    return b.add(Opcode::kDot, {b.mapped(dot.operands[1]), b.mapped(dot.operands[0])},
                 exchanged(attributes_of<DotAttributes>(dot)), i.shape);
  };
  // Equal instructions are merged, because the swapped product may exist already.
  return rewrite_where(source, {}, turns, turned);
}

}  // namespace

StatusOr<bool> turn_products(Module& module) { return rewrite_computations(module, turn_in); }

}  // namespace hilo::hlo
