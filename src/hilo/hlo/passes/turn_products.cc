// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hilo/hlo/ops/dot.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/hlo/passes/simplify/dimensions.h"
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

Int64List mapped(const Int64List& dimensions, const Int64List& to) {
  Int64List result;
  for (const int64_t d : dimensions) result.push_back(to[d]);
  return result;
}

/// Whether the last dimension stays the last one, so that it is read in the order in which it is written.
bool keeps_last(const Int64List& permutation) { return permutation.back() == std::ssize(permutation) - 1; }

std::shared_ptr<DotAttributes> exchanged(DotAttributes a) {
  std::swap(a.lhs_batch_dimensions, a.rhs_batch_dimensions);
  std::swap(a.lhs_contracting_dimensions, a.rhs_contracting_dimensions);
  std::ranges::reverse(a.operand_precision);
  return std::make_shared<DotAttributes>(std::move(a));
}

/// The products of a computation that are written in another order.
class Turner {
 public:
  explicit Turner(const Computation& c) : c_(c), uses_(count_uses(c)) {}

  bool turns(const Instruction& i) const {
    if (i.opcode == Opcode::kTranspose) return turns_operand(i);
    return i.opcode == Opcode::kDot && (reads_across(i, 0) || reads_across(i, 1));
  }
  StatusOr<InstructionId> turned(RewriteBuilder& b, const Instruction& i) const {
    return i.opcode == Opcode::kTranspose ? turned_transpose(b, i) : turned_reader(b, i);
  }

 private:
  /// Returns the product that computes the operand and has no other user, or null.
  const Instruction* own_product(const Instruction& i, size_t operand) const {
    const Instruction& dot = c_.instruction(i.operands[operand]);
    return dot.opcode == Opcode::kDot && dot.shape.rank() > 0 && uses_[dot.id] == 1 ? &dot : nullptr;
  }
  /// Returns the numbers of a product's dimensions after its operands are exchanged. A product of [b.., m.., k] and
  /// [b.., n.., k] has the shape [b.., m.., n..]; the exchanged one [b.., n.., m..].
  /// Example   a product [b, m, n]: {0, 2, 1}
  Int64List exchanged_dimensions(const Instruction& dot) const {
    const auto& a = attributes_of<DotAttributes>(dot);
    const auto batch = std::ssize(a.lhs_batch_dimensions);
    const int64_t left_rank = c_.instruction(dot.operands[0]).shape.rank();
    const int64_t rows = left_rank - batch - std::ssize(a.lhs_contracting_dimensions);
    const int64_t columns = dot.shape.rank() - batch - rows;
    Int64List to;
    for (int64_t d = 0; d < dot.shape.rank(); ++d)
      to.push_back(d < batch ? d : d < batch + rows ? d + columns : d - rows);
    return to;
  }
  InstructionId add_exchanged(RewriteBuilder& b, const Instruction& dot) const {
    const Int64List to = exchanged_dimensions(dot);
    std::vector<int64_t> dimensions(to.size());
    for (int64_t d = 0; d < dot.shape.rank(); ++d) dimensions[static_cast<size_t>(to[d])] = dot.shape.dimension(d);
    return b.add(Opcode::kDot, {b.mapped(dot.operands[1]), b.mapped(dot.operands[0])},
                 exchanged(attributes_of<DotAttributes>(dot)), Shape::array(dot.shape.element_type(), dimensions));
  }

  bool turns_operand(const Instruction& transpose) const {
    const Int64List& permutation = attributes_of<TransposeAttributes>(transpose).permutation;
    const Instruction* const dot = own_product(transpose, 0);
    return dot != nullptr && !keeps_last(permutation) && keeps_last(mapped(permutation, exchanged_dimensions(*dot)));
  }
  StatusOr<InstructionId> turned_transpose(RewriteBuilder& b, const Instruction& i) const {
    const Instruction& dot = *own_product(i, 0);
    const InstructionId product = add_exchanged(b, dot);
    auto transpose = std::make_shared<TransposeAttributes>();
    transpose->permutation = mapped(attributes_of<TransposeAttributes>(i).permutation, exchanged_dimensions(dot));
    if (is_identity_order(transpose->permutation)) return product;
    return b.add(Opcode::kTranspose, {product}, std::move(transpose));
  }

  /// Whether a product reads an operand along a batch, which is another product's last dimension, and wouldn't if that
  /// one were exchanged. The order of the operand's free dimensions, which are those of the result, must remain.
  bool reads_across(const Instruction& i, size_t operand) const {
    const Instruction* const dot = own_product(i, operand);
    if (dot == nullptr) return false;
    const auto& a = attributes_of<DotAttributes>(i);
    const Int64List& batch = operand == 0 ? a.lhs_batch_dimensions : a.rhs_batch_dimensions;
    const Int64List& contracting = operand == 0 ? a.lhs_contracting_dimensions : a.rhs_contracting_dimensions;
    const Int64List to = exchanged_dimensions(*dot);
    const int64_t last = dot->shape.rank() - 1;
    if (!contains(batch, last) || contains(mapped(batch, to), last)) return false;
    Int64List free;
    for (int64_t d = 0; d <= last; ++d) {
      if (!contains(batch, d) && !contains(contracting, d)) free.push_back(to[d]);
    }
    return std::ranges::is_sorted(free);
  }
  StatusOr<InstructionId> turned_reader(RewriteBuilder& b, const Instruction& i) const {
    auto attributes = std::make_shared<DotAttributes>(attributes_of<DotAttributes>(i));
    std::vector<InstructionId> operands = b.mapped(i.operands);
    for (const size_t operand : {0, 1}) {
      if (!reads_across(i, operand)) continue;
      const Instruction& dot = *own_product(i, operand);
      const Int64List to = exchanged_dimensions(dot);
      Int64List& batch = operand == 0 ? attributes->lhs_batch_dimensions : attributes->rhs_batch_dimensions;
      Int64List& contracting =
          operand == 0 ? attributes->lhs_contracting_dimensions : attributes->rhs_contracting_dimensions;
      batch = mapped(batch, to);
      contracting = mapped(contracting, to);
      operands[operand] = add_exchanged(b, dot);
    }
    return b.add(Opcode::kDot, operands, std::move(attributes), i.shape);
  }

  const Computation& c_;
  std::vector<int> uses_;
};

StatusOr<ComputationPtr> turn_in(const ComputationPtr& source) {
  if (!has_opcode(*source, Opcode::kDot)) return source;
  const Turner turner(*source);
  // Equal instructions are merged, because the swapped product may exist already.
  return rewrite_where(
      source, {}, [&](const Instruction& i) { return turner.turns(i); },
      [&](RewriteBuilder& b, const Instruction& i) { return turner.turned(b, i); });
}

}  // namespace

StatusOr<bool> turn_products(Module& module) { return rewrite_computations(module, turn_in); }

}  // namespace hilo::hlo
