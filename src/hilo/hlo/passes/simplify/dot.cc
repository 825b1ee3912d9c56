// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/dot.h"

#include "hilo/hlo/passes/simplify/dimensions.h"
#include "hilo/hlo/passes/simplify/match.h"
#include "hilo/hlo/passes/simplify/rules.h"

namespace hilo::hlo {
namespace {

/// The operand under a transpose, with `batch` and `contracting` renumbered for it; nullopt if there is no transpose or
/// the free dimensions, which appear in the result in order, would change places.
std::optional<InstructionId> under_transpose(const RewriteBuilder& b, InstructionId x, Int64List& batch,
                                             Int64List& contracting) {
  const RewriteNode* transpose = match(b, x, Opcode::kTranspose);
  if (transpose == nullptr) return std::nullopt;
  const Int64List& permutation = attributes_of<TransposeAttributes>(*transpose).permutation;
  int64_t last = -1;
  for (int64_t d = 0; d < transpose->shape.rank(); ++d) {
    if (contains(batch, d) || contains(contracting, d)) continue;
    if (permutation[static_cast<size_t>(d)] < last) return std::nullopt;
    last = permutation[static_cast<size_t>(d)];
  }
  for (int64_t& d : batch) d = permutation[static_cast<size_t>(d)];
  for (int64_t& d : contracting) d = permutation[static_cast<size_t>(d)];
  return transpose->operand(0);
}

}  // namespace

InstructionId simplify_dot(RewriteBuilder& b, const RewriteNode& n) {
  // dot(transpose(x), y) -> dot(x, y) with x's dimensions renumbered: the sums and their order are the same.
  DotAttributes dot = attributes_of<DotAttributes>(n);
  const auto x = under_transpose(b, n.operand(0), dot.lhs_batch_dimensions, dot.lhs_contracting_dimensions);
  const auto y = under_transpose(b, n.operand(1), dot.rhs_batch_dimensions, dot.rhs_contracting_dimensions);
  if (!x && !y) return kNoInstruction;
  return b.add(Opcode::kDot, {x.value_or(n.operand(0)), y.value_or(n.operand(1))},
               std::make_shared<DotAttributes>(std::move(dot)), n.shape);
}

}  // namespace hilo::hlo
